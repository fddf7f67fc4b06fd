package ident

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Clean is a name as people mean it: without blanks around it, and with one
// blank where several are.
func Clean(name string) string { return strings.Join(strings.Fields(name), " ") }

// maxKey is the length from which on a key is its hash: bytes that an index takes.
const maxKey = 200

// NameKey is what names have in common that people take for the same: compatible
// forms (NFKC), letters of either case, blanks, what cannot be seen, and letters
// of other alphabets that look like Latin ones. It is for comparing, not for
// reading. NameKey(NameKey(s)) is NameKey(s).
func NameKey(name string) string {
	for range 8 { // what was folded may compose anew; three rounds were the most ever needed
		next := fold(name)
		if next == name {
			break
		}
		name = next
	}
	if len(name) > maxKey {
		sum := sha256.Sum256([]byte(name))
		return hex.EncodeToString(sum[:])
	}
	return name
}

func fold(s string) string {
	s = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
	s = strings.Map(func(r rune) rune {
		switch {
		case Invisible(r):
			return -1
		case alike[r] != 0:
			return alike[r]
		}
		return r
	}, s)
	return norm.NFKC.String(Clean(s))
}

// Invisible reports characters that draw nothing: of format, as a zero-width
// space, variation selectors, fillers.
func Invisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return true
	}
	return r == '\u2800' // the braille pattern without a dot
}

// alike are the small letters of Cyrillic, Greek and others that are drawn as
// Latin ones in the usual fonts (Unicode's confusables, single letters only).
var alike = map[rune]rune{
	'а': 'a', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'с': 'c', 'ѕ': 's',
	'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'ү': 'y', 'к': 'k', 'м': 'm', 'т': 't', 'в': 'b', 'н': 'h', 'г': 'r',
	'α': 'a', 'β': 'b', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'μ': 'm', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ζ': 'z', 'γ': 'y',
	'ı': 'i', 'ɡ': 'g', 'ɑ': 'a', 'օ': 'o', 'ո': 'n', 'ս': 'u', 'հ': 'h',
}
