package devinit

import (
	"os"
	"strings"

	"github.com/goblinlab/goblinlab/internal/mask"
)

const (
	// envHidden names the variables and the files that hold the user's secrets: names and paths, no values.
	envHidden = "GOBLINLAB_HIDDEN"

	// envTokenFile names the file with the token of the user's own programs.
	envTokenFile = "GOBLINLAB_TOKEN_FILE"
)

// masker hides the secrets that the user asked for. What cannot be read is no
// reason not to start: an app cannot read it either.
func masker(environ []string) *mask.Masker {
	env := environMap(environ)
	var values [][]byte
	for item := range strings.SplitSeq(env[envHidden]+","+env[envTokenFile], ",") {
		switch {
		case item == "":
		case !strings.HasPrefix(item, "/"):
			values = append(values, []byte(env[item]))
		default:
			if b, err := os.ReadFile(item); err == nil {
				values = append(values, b)
			}
		}
	}
	return mask.New(values, mask.Tokens{})
}
