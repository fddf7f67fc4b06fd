package files

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/goblinlab/goblinlab/internal/fault"
)

const utf8Name = "utf-8"

// decode makes text of bytes. Without a name it guesses: what a byte order mark
// says; UTF-8 where all of it is; UTF-16 where every other byte is zero;
// GB18030 where all of it is; Windows-1252, in which everything is something.
func decode(data []byte, name string, whole bool) (text, used string, binary bool, err error) {
	if name != "" {
		e, err := htmlindex.Get(name)
		if err != nil {
			return "", "", false, fault.New(fault.InvalidArgument, "files.encoding", fault.Args{"value": clip(name)})
		}
		used, _ = htmlindex.Name(e)
		return convert(e, data), used, false, nil
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		return strings.ToValidUTF8(string(data[3:]), "\uFFFD"), utf8Name + "-bom", false, nil
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		return convert(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), data), "utf-16le", false, nil
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return convert(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), data), "utf-16be", false, nil
	}
	cut := data
	if !whole { // a sign may be cut at the end
		for i := 1; i < utf8.UTFMax && i <= len(cut); i++ {
			if c := cut[len(cut)-i]; utf8.RuneStart(c) {
				if !utf8.FullRune(cut[len(cut)-i:]) {
					cut = cut[:len(cut)-i]
				}
				break
			}
		}
	}
	zeros := bytes.Count(data, []byte{0})
	switch {
	case zeros == 0 && utf8.Valid(cut) && !mostlyControl(cut):
		return string(cut), utf8Name, false, nil
	case zeros > 0:
		if n := len(data) / 2; n > 1 && zeros > n*7/10 {
			if even, odd := zerosAt(data, 0), zerosAt(data, 1); even == 0 {
				return convert(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), data), "utf-16le", false, nil
			} else if odd == 0 {
				return convert(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), data), "utf-16be", false, nil
			}
		}
		return "", "", true, nil
	case mostlyControl(data):
		return "", "", true, nil
	}
	if text := convert(simplifiedchinese.GB18030, data); strings.Count(strings.TrimRight(text, "\uFFFD"), "\uFFFD") == 0 && mostlyHan(text) {
		return text, "gb18030", false, nil
	}
	e, err := htmlindex.Get("windows-1252")
	if err != nil {
		return "", "", false, err
	}
	return convert(e, data), "windows-1252", false, nil
}

func convert(e encoding.Encoding, data []byte) string {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(out)
}

func zerosAt(data []byte, from int) (n int) {
	for i := from; i < len(data); i += 2 {
		if data[i] == 0 {
			n++
		}
	}
	return n
}

// mostlyControl reports whether bytes are no text: more than one in thirty is a
// control sign that texts do not have.
func mostlyControl(data []byte) bool {
	n := 0
	for _, c := range data {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n*30 > len(data)
}

// mostlyHan reports whether the signs beyond ASCII are Chinese: almost every
// pair of bytes is some sign of GB18030.
func mostlyHan(text string) bool {
	han, other := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
		case r >= 0x4e00 && r <= 0x9fff, r >= 0x3000 && r <= 0x303f, r >= 0xff00 && r <= 0xffef:
			han++
		default:
			other++
		}
	}
	return han > 4*other
}
