package image

import (
	"regexp"
	"strings"
	"time"
)

// The grammar of references is that of github.com/distribution/reference:
// [host[:port]/]path[:tag][@digest].
var (
	domain = `(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]{1,5})?`
	part   = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
	tag    = `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`
	digest = `[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`

	referenceForm = regexp.MustCompile(`^(?:` + domain + `/)?` + part + `(?:/` + part + `)*(?::` + tag + `)?(?:@` + digest + `)?$`)
	subdomainForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$`)
)

const maxReference = 512 // of the column

// reference reports whether an image can be named so.
func reference(text string) bool { return len(text) <= maxReference && referenceForm.MatchString(text) }

// subdomain reports whether a Secret can be named so.
func subdomain(text string) bool { return len(text) <= 253 && subdomainForm.MatchString(text) }

// clip makes what somebody typed fit into a message.
func clip(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func now() time.Time { return time.Now().UTC() }
