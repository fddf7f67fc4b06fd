package files

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden is the folder of unfinished uploads in a volume's root. It is not
// listed, and no path leads into it.
const Hidden = ".goblinlab-files"

// hidden reports whether a name in a volume's root is the platform's own.
func hidden(name string) bool { return name == Hidden || name == Frozen }

// The bounds of Linux.
const (
	maxName = 255
	maxPath = 4095
)

// Path reads a percent-encoded path from the volume's root and makes it the one
// form in which it is used: relative, without empty parts, "." for the root.
func Path(ref string) (string, error) {
	raw, err := url.PathUnescape(ref)
	if err != nil {
		return "", bad("files.path-encoding", ref)
	}
	return clean(raw)
}

// clean is Path for a path that is not encoded.
func clean(raw string) (string, error) {
	if len(raw) > maxPath {
		return "", bad("files.path-long", raw)
	}
	var parts []string
	for part := range strings.SplitSeq(raw, "/") {
		switch {
		case part == "":
			continue
		case part == "." || part == "..":
			return "", bad("files.path-dots", raw)
		case len(part) > maxName:
			return "", bad("files.name-long", part)
		case strings.ContainsRune(part, 0):
			return "", bad("files.path-nul", raw)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ".", nil
	}
	if hidden(parts[0]) {
		return "", missing(raw)
	}
	return strings.Join(parts, "/"), nil
}

// Ref is a path percent-encoded: letters, digits and a few signs stay, every
// other byte is encoded, so that it can stand in an address, a query or JSON as it is.
func Ref(p string) string {
	if p == "." {
		return ""
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(p) {
		c := p[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// Show is a name for people: valid UTF-8 without what moves a cursor or turns
// the direction of text around.
func Show(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(name, string(utf8.RuneError)))
}

// join is a name in a folder; dir is a clean path.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// base is the last part of a clean path, and the folder that it is in.
func split(p string) (dir, base string) { return path.Dir(p), path.Base(p) }

// within reports whether a clean path is another one or below it.
func within(p, dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }
