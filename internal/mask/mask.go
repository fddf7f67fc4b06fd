// Package mask hides secrets in text that programs print: the values
// themselves, and the forms that tools give them (base64, as in a header of
// HTTP; percent signs, as in an address; a string of JSON). Text comes in
// pieces, and a value that lies across the border of two is found, too.
//
// What was masked cannot be had again. Values below MinValue bytes are not
// masked: they would hide ordinary words.
package mask

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Hidden stands where a secret stood. It is shorter than any: masking makes no text longer.
const Hidden = "***"

// MinValue is the least length of a value that is masked, in bytes.
const MinValue = 6

// A long value is looked for piece by piece, so that no more than a piece has
// to be held back at the border of two texts.
const pieceBytes = 512

// Masker hides what it was made for. It may be used by several goroutines; nil
// hides nothing.
type Masker struct {
	byHead map[[MinValue]byte][]string // by their first bytes, the longest first
	first  [256]bool
	second [256]bool
	token  func(text string) int // length of a token at the start of a text, 0 for none
	mark   string                // that tokens begin with
	hold   int                   // bytes of an end that may be a secret's beginning
}

// Tokens are recognized by their form.
type Tokens struct {
	Prefix string
	Length int                    // in bytes
	Is     func(text string) bool // of a text of that length
}

// New makes a masker for values, and for tokens unless their prefix is empty;
// nil when there is nothing to hide.
func New(values [][]byte, tokens Tokens) *Masker {
	m := &Masker{byHead: map[[MinValue]byte][]string{}}
	for _, v := range values {
		for _, p := range forms(v) {
			m.add(p)
		}
	}
	if tokens.Prefix != "" {
		m.mark, m.hold = tokens.Prefix, max(m.hold, tokens.Length-1)
		m.token = func(text string) int {
			if len(text) >= tokens.Length && strings.HasPrefix(text, tokens.Prefix) && tokens.Is(text[:tokens.Length]) {
				return tokens.Length
			}
			return 0
		}
	}
	if len(m.byHead) == 0 && m.token == nil {
		return nil
	}
	for head, list := range m.byHead {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
		m.byHead[head] = slices.Compact(list)
	}
	return m
}

func (m *Masker) add(p string) {
	if len(p) < MinValue {
		return
	}
	head := [MinValue]byte([]byte(p[:MinValue]))
	if slices.Contains(m.byHead[head], p) {
		return
	}
	m.byHead[head] = append(m.byHead[head], p)
	m.first[p[0]], m.second[p[1]] = true, true
	m.hold = max(m.hold, len(p)-1)
}

// Hold is how many bytes at most a part may become longer by, since they were
// held back from the part before.
func (m *Masker) Hold() int {
	if m == nil {
		return 0
	}
	return m.hold + utf8.UTFMax
}

// Whole masks a text that stands alone.
func (m *Masker) Whole(text string) string {
	if m == nil {
		return text
	}
	out, _ := m.mask(text, 0)
	return out
}

// keptWords is how much the kubelet keeps of the end of a container's output.
const keptWords = 2048

// End masks the end of an output as the kubelet keeps it. Where that was cut, so
// may a secret have been: the first line is left out.
func (m *Masker) End(text string) string {
	if m != nil && len(text) >= keptWords-utf8.UTFMax {
		_, text, _ = strings.Cut(text, "\n")
	}
	return m.Whole(text)
}

// at is how long the longest secret at the start of a text is; 0 for none.
func (m *Masker) at(text string) int {
	n := 0
	if len(text) >= MinValue && m.first[text[0]] && m.second[text[1]] {
		for _, p := range m.byHead[[MinValue]byte([]byte(text[:MinValue]))] {
			if strings.HasPrefix(text, p) {
				n = len(p)
				break
			}
		}
	}
	if m.token != nil && text[0] == m.mark[0] {
		n = max(n, m.token(text))
	}
	return n
}

// mask masks a text but for its last bytes, of which those that nothing hides
// are given back: a secret that begins there may be cut short. Secrets that
// overlap are hidden together.
func (m *Masker) mask(text string, hold int) (out, rest string) {
	end := max(len(text)-hold, 0)
	for hold > 0 && end > 0 && end < len(text) && end > len(text)-hold-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end-- // no character is torn
	}
	var b strings.Builder
	done := 0 // what is before it is written, or hidden
	for i := 0; i < end; i++ {
		n := m.at(text[i:])
		if n == 0 {
			continue
		}
		to := i + n
		for j := i + 1; j <= to && j < len(text); j++ {
			if n := m.at(text[j:]); n > 0 {
				to = max(to, j+n)
			}
		}
		b.WriteString(text[done:i])
		b.WriteString(Hidden)
		done = to
		i = to - 1
	}
	switch {
	case b.Len() == 0:
		return text[:end], text[end:]
	case done < end:
		b.WriteString(text[done:end])
		done = end
	}
	return b.String(), text[done:]
}

// Line masks the parts of one line as they come. It is not for several goroutines.
type Line struct {
	m    *Masker
	rest string
}

// Line begins a line.
func (m *Masker) Line() *Line { return &Line{m: m} }

// Part gives a part without its secrets. While the line goes on, its end is
// held back and comes with the next part.
func (l *Line) Part(text string, more bool) string {
	if l.m == nil {
		return text
	}
	text = l.rest + text
	if !more {
		l.rest = ""
		return l.m.Whole(text)
	}
	out, rest := l.m.mask(text, l.m.hold)
	l.rest = rest
	return out
}
