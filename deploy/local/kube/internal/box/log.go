package box

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	longestLine = 16 << 10 // bytes; a longer one is written in parts, as the CRI has it
	attachWait  = time.Second
)

// boxLog writes what the program says in the format of the CRI, and to those who are attached.
type boxLog struct {
	following sync.WaitGroup

	mu       sync.Mutex
	file     *os.File
	attached []attached
}

// attached is somebody who sees the output as it comes.
type attached struct {
	stream string
	file   *os.File
}

// follow copies one of the program's outputs until its last writer has ended.
func (l *boxLog) follow(stream string, from *os.File) {
	l.following.Go(func() {
		r := bufio.NewReaderSize(from, longestLine)
		for {
			line, err := r.ReadSlice('\n')
			if len(line) > 0 {
				l.write(stream, line)
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	})
}

func (l *boxLog) write(stream string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attached = slices.DeleteFunc(l.attached, func(a attached) bool { return a.stream == stream && !a.write(line) })
	tag, end := "F", ""
	if line[len(line)-1] != '\n' {
		end = "\n"
		if len(line) == longestLine {
			tag = "P"
		}
	}
	fmt.Fprintf(l.file, "%s %s %s %s%s", time.Now().Format(time.RFC3339Nano), stream, tag, line, end)
}

// write says whether somebody still listens: who does not read for a while does not hold the program up.
func (a attached) write(b []byte) bool {
	_ = a.file.SetWriteDeadline(time.Now().Add(attachWait))
	_, err := a.file.Write(b)
	if err != nil {
		a.file.Close()
	}
	return err == nil
}

func (l *boxLog) attach(stream string, f *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attached = append(l.attached, attached{stream: stream, file: f})
}

func (l *boxLog) detach(f *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Close()
	l.attached = slices.DeleteFunc(l.attached, func(a attached) bool { return a.file == f })
}

// reopen goes on in another file.
func (l *boxLog) reopen(files []*os.File) error {
	if len(files) != 1 {
		return errors.New("reopen takes one file")
	}
	f, err := dup(files[0])
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file.Close()
	l.file = f
	return nil
}

// wait returns when all output is written.
func (l *boxLog) wait() { l.following.Wait() }
