package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// minEncoded is the least length of a piece of base64 that is masked: below it
// belongs to values that are too short themselves.
const minEncoded = MinValue

// forms are the texts by which a value is found. A value of several lines is
// found line by line, since logs come so; what frames a key in PEM is no secret.
func forms(value []byte) []string {
	if len(bytes.TrimSpace(value)) < MinValue {
		return nil
	}
	var out []string
	for _, line := range append(bytes.Split(value, []byte("\n")), value) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) < MinValue || bytes.HasPrefix(line, []byte("-----")) && !bytes.Contains(line, []byte("\n")) {
			continue
		}
		text := string(line)
		if !strings.Contains(text, "\n") {
			out = append(out, pieces(text)...)
		}
		for _, html := range []bool{false, true} {
			out = append(out, pieces(escaped(text, html))...)
		}
		for _, e := range urls(text) {
			out = append(out, pieces(e)...)
		}
		for _, e := range encoded(line) {
			out = append(out, pieces(e)...)
		}
	}
	// The line break at the end of a file is part of what base64 of the file says.
	for _, e := range encoded(value) {
		out = append(out, pieces(e)...)
	}
	return out
}

// pieces cuts a long text into equal ones.
func pieces(text string) []string {
	n := (len(text) + pieceBytes - 1) / pieceBytes
	out := make([]string, n)
	for i := range n {
		out[i] = text[i*len(text)/n : (i+1)*len(text)/n]
	}
	return out
}

// escaped is the inside of a string of JSON; Go and others write "&", "<" and ">" in their own way.
func escaped(text string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(text) != nil {
		return text
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// urls are the ways in which a text stands in an address.
func urls(text string) []string {
	query, path := url.QueryEscape(text), url.PathEscape(text)
	user := strings.TrimPrefix(url.User(text).String(), "//")
	return []string{query, path, user, lowerHex(query), lowerHex(path), strings.ReplaceAll(query, "+", "%20")}
}

// lowerHex writes %2F as %2f.
func lowerHex(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// encoded is base64 in both alphabets and hexadecimal. Inside of a longer text,
// as a password behind "user:", the value begins at one of three places of a
// group of four characters; what neighbours share with it is left out.
func encoded(value []byte) []string {
	out := []string{hex.EncodeToString(value), strings.ToUpper(hex.EncodeToString(value))}
	for shift := range 3 {
		padded := append(make([]byte, shift), value...)
		from := (shift*8 + 5) / 6
		to := len(padded) * 8 / 6
		if to-from < minEncoded {
			continue
		}
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, e.EncodeToString(padded)[from:to])
		}
	}
	return out
}
