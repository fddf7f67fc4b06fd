package devinit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// maxLine is the longest piece of an app's output that is written as one line.
const maxLine = 16 << 10

// Output is the container's standard output, shared by several apps. Each line
// is written whole, with the name of its app in front.
type Output struct {
	mu sync.Mutex
	w  io.Writer
}

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Prefixed returns a writer for whole lines of one source.
func (o *Output) Prefixed(name string) io.Writer { return prefixed{o, "[" + name + "] "} }

type prefixed struct {
	out    *Output
	prefix string
}

// Write writes each line of p after the prefix. A missing line break at the end
// is added. Errors are not reported to the source: an app shall not end because
// nobody reads its log.
func (p prefixed) Write(data []byte) (int, error) {
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		b.WriteString(p.prefix)
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	_, _ = p.out.w.Write(b.Bytes())
	return len(data), nil
}

// copyLines passes r on to w line by line until it ends. Very long lines are
// passed on in pieces, so that memory stays bounded.
func copyLines(w io.Writer, r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			_, _ = w.Write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
