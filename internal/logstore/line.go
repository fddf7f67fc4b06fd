package logstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/lang"
)

// Source says whose line it is.
type Source byte

// The sources.
const (
	Output   Source = 'O' // of the program
	Platform Source = 'P' // of GoblinLab
)

// coded is how a line of the platform is stored that has a code: its text is a
// saying, so that it can be said in every language.
const coded = 'C'

// saying is what is stored of a line that has a code.
type saying struct {
	Code string         `json:"code"`
	Args map[string]any `json:"args,omitempty"`
	Text string         `json:"text"` // in English, whatever becomes of the catalogue
}

// MaxLine is the most bytes of a line, as the program wrote them; a longer one
// is stored in parts.
const MaxLine = 16 << 10

// maxStored bounds a stored line: each byte may become a replacement character
// of three, and the head is below 64 bytes.
const maxStored = 3*MaxLine + 64

// Line is a stored line.
type Line struct {
	Number  int64 // from 0, without gaps; given by the store
	Time    time.Time
	Source  Source
	Text    string // without its newline
	Partial bool   // the line goes on in the next one
	// Code and Args say what a line of the platform is about; Text is that in English.
	Code string
	Args map[string]any
}

// Say is a line of the platform, a message of the catalogue.
func Say(at time.Time, id string, args map[string]any) Line {
	return Line{Time: at, Source: Platform, Text: lang.Text(lang.English, id, args), Code: id, Args: args}
}

// In is the line's text in a language.
func (l *Line) In(to lang.Lang) string {
	if l.Code == "" || to == lang.English || !lang.Has(l.Code) {
		return l.Text
	}
	return clean(lang.Text(to, l.Code, l.Args))
}

// Cut is where the first part of a line ends that is longer than MaxLine: at
// MaxLine, or up to three bytes before, so that no character is torn. It looks
// at the bytes before the cut and the one after it alone, so that a line that
// is read again is cut at the same places.
func Cut(b []byte) int { return CutAt(b, MaxLine) }

// CutAt is Cut for another length.
func CutAt(b []byte, limit int) int {
	if len(b) <= limit {
		return len(b)
	}
	for i := limit; i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return limit // no text
}

// clean makes text that is valid UTF-8, without NUL, which neither databases
// nor terminals like, and without newline, which ends a stored line. Other
// control characters stay: colours and carriage returns are part of the output.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	if strings.IndexByte(text, '\n') >= 0 {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	return text
}

// split makes lines fit: a newline begins a new one, and what is too long goes in parts.
func split(lines []Line) []Line {
	fits := true
	for i := range lines {
		if len(lines[i].Text) > MaxLine || strings.IndexByte(lines[i].Text, '\n') >= 0 {
			fits = false
			break
		}
	}
	if fits {
		return lines
	}
	var out []Line
	for _, l := range lines {
		partial := l.Partial
		if len(l.Text) > MaxLine || strings.IndexByte(l.Text, '\n') >= 0 {
			l.Code, l.Args = "", nil // parts of a sentence are no message
		}
		for text := range strings.SplitSeq(l.Text, "\n") {
			for b := []byte(text); ; {
				n := Cut(b)
				l.Text, l.Partial = string(b[:n]), n < len(b)
				out = append(out, l)
				if b = b[n:]; len(b) == 0 {
					break
				}
			}
		}
		out[len(out)-1].Partial = partial
	}
	return out
}

// appendLine adds the stored form of a line.
func appendLine(b []byte, l Line) []byte {
	b = l.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	part := byte('F')
	if l.Partial {
		part = 'P'
	}
	if l.Code != "" {
		if said, ok := l.said(); ok {
			b = append(b, ' ', coded, part, ' ')
			return append(append(b, said...), '\n')
		}
	}
	b = append(b, ' ', byte(l.Source), part, ' ')
	b = append(b, clean(l.Text)...)
	return append(b, '\n')
}

// said is the stored form of a line with a code; not ok when it does not fit, and
// is stored as its text alone.
func (l *Line) said() (text []byte, ok bool) {
	text, err := json.Marshal(saying{l.Code, l.Args, clean(l.Text)})
	return text, err == nil && len(text) <= MaxLine
}

var errLine = errors.New("this is not a stored line")

// parseLine reads a stored line without its newline.
func parseLine(b []byte) (Line, error) {
	at := bytes.IndexByte(b, ' ')
	if at < 0 || len(b) < at+4 || b[at+3] != ' ' {
		return Line{}, errLine
	}
	source, part := Source(b[at+1]), b[at+2]
	if source != Output && source != Platform && source != coded || part != 'F' && part != 'P' {
		return Line{}, errLine
	}
	t, err := time.Parse(time.RFC3339Nano, string(b[:at]))
	if err != nil {
		return Line{}, fmt.Errorf("%w: %w", errLine, err)
	}
	if source == coded {
		var s saying
		if err := json.Unmarshal(b[at+4:], &s); err != nil || s.Code == "" {
			return Line{}, errLine
		}
		return Line{Time: t.UTC(), Source: Platform, Partial: part == 'P', Text: clean(s.Text), Code: s.Code, Args: s.Args}, nil
	}
	return Line{Time: t.UTC(), Source: source, Partial: part == 'P', Text: string(b[at+4:])}, nil
}
