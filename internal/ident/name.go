package ident

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxName is the longest name that ObjectName gives. A StatefulSet's revision
// label is "<name>-<10 characters>" and must fit into the 63 of a label value;
// the pods' "-0" and a Job's "-abcde" are shorter.
const MaxName = 52

const (
	maxSlug         = 40
	emptySlug       = "x"
	namespacePrefix = "gl-" // keeps "kube-…", which Kubernetes reserves, out of reach
)

// Letters that Unicode does not take apart into a Latin letter and a mark.
var latin = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h",
)

// Slug makes [a-z0-9-] of any text, at most 40 characters, no dash at either
// end or twice in a row, never empty. It drops what it cannot write, so it is
// for people's eyes: two names may have one slug.
func Slug(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range latin.Replace(strings.ToLower(norm.NFKD.String(name))) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // the accent that NFKD took off its letter
		default:
			dash = true
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	return cut(b.String(), maxSlug)
}

func cut(slug string, n int) string {
	if len(slug) > n {
		slug = slug[:n]
	}
	if slug = strings.Trim(slug, "-"); slug == "" {
		return emptySlug
	}
	return slug
}

// ObjectName is the name of the Kubernetes object of id: "<slug>-<id>", a
// DNS-1123 label of at most MaxName characters that starts with a letter. It
// is injective in id, which stands in it whole; the slug, cut where it must
// be, is for people.
func ObjectName(slug, id string) string { return join("", slug, id) }

// Namespace is the name of a team's namespace, under the same promises.
func Namespace(slug, id string) string { return join(namespacePrefix, slug, id) }

func join(prefix, slug, id string) string {
	tail := "-" + tail(id)
	slug = Slug(slug)
	if prefix == "" && slug[0] >= '0' && slug[0] <= '9' {
		slug = "x" + slug
	}
	return prefix + cut(slug, MaxName-len(prefix)-len(tail)) + tail
}

// tail is the id itself, or a hash of what is no id, so that no input, however
// it got here, makes a name that Kubernetes refuses. Hashes cannot meet ids:
// "z" is too short to be a kind.
func tail(id string) string {
	if _, ok := Kind(id); ok {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "z-" + strings.ToLower(base32.HexEncoding.EncodeToString(sum[:])[:uniqueLen+3])
}
