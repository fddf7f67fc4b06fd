package devinit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/mask"
)

// maxLine is the longest piece of an app's output that is written as one line.
const maxLine = 16 << 10

// Output is the container's standard output, shared by several apps, and the
// log file of each. Each line is written whole, with the name of its app in
// front, and without the secrets of this start.
type Output struct {
	mu     sync.Mutex
	w      io.Writer
	redact *strings.Replacer
	mask   *mask.Masker // of the user's own secrets
	files  map[string]*logFile
}

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w, redact: strings.NewReplacer()} }

// keep makes the output of these apps go to files as well, and hides secrets.
func (o *Output) keep(dir string, apps []App, redact *strings.Replacer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.redact, o.files = redact, map[string]*logFile{}
	for _, a := range apps {
		o.files[a.Name] = newLogFile(filepath.Join(dir, a.Name+".log"), maxLogFile, time.Now)
	}
}

// logOf returns the end of an app's log, whole lines of at most so many bytes;
// ok is false for an app that has none.
func (o *Output) logOf(app string, limit int64) (data []byte, ok bool, err error) {
	o.mu.Lock()
	file := o.files[app]
	o.mu.Unlock()
	if file == nil {
		return nil, false, nil
	}
	data, err = file.tail(limit)
	return data, true, err
}

// hide hides the user's own secrets from now on.
func (o *Output) hide(m *mask.Masker) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mask = m
}

// Prefixed returns a writer for whole lines of one source.
func (o *Output) Prefixed(name string) io.Writer { return prefixed{o, name, name, &long{}} }

// about returns a writer for what goblin-init says about an app: it belongs
// into the app's log file too.
func (o *Output) about(app string) io.Writer { return prefixed{o, "goblin-init", app, &long{}} }

type prefixed struct {
	out    *Output
	source string
	app    string // whose file the lines go to
	long   *long
}

// long is a line that comes in pieces.
type long struct{ line *mask.Line }

// masked masks a piece. One that fills the buffer and ends no line goes on.
func (p prefixed) masked(text string, whole, more bool) string {
	if p.long.line == nil {
		if whole && !more {
			return p.out.mask.Whole(text)
		}
		p.long.line = p.out.mask.Line()
	}
	out := p.long.line.Part(text, more)
	if !more {
		p.long.line = nil
	}
	return out
}

// Write writes each line of p after the prefix. A missing line break at the end
// is added. Errors are not reported to the source: an app shall not end because
// nobody reads its log.
func (p prefixed) Write(data []byte) (int, error) {
	var b bytes.Buffer
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	file := p.out.files[p.app]
	for line := range bytes.Lines(data) {
		ends := bytes.HasSuffix(line, []byte("\n"))
		text := p.out.redact.Replace(string(bytes.TrimRight(line, "\r\n")))
		text = p.masked(text, ends, !ends && len(line) >= maxLine)
		b.WriteString("[" + p.source + "] " + text + "\n")
		if file == nil {
			continue
		}
		if p.source != p.app {
			text = "[" + p.source + "] " + text
		}
		file.add([]byte(text))
	}
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
