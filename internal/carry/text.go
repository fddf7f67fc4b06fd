package carry

import "github.com/goblinlab/goblinlab/internal/lang"

// Text says a note in a language.
func Text(l lang.Lang, n Note) string {
	what := n.What
	if id := "carry.what." + n.What; lang.Has(id) {
		what = lang.Text(l, id, nil)
	}
	text := lang.Text(l, "carry."+string(n.How), map[string]any{"what": what})
	if n.Why != nil {
		text += joiner[l] + lang.Text(l, "fault."+n.Why.ID, n.Why.Args)
	}
	return text
}

// joiner stands between two sentences.
var joiner = map[lang.Lang]string{lang.English: " ", lang.Chinese: ""}
