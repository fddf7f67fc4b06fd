package reason

import (
	"regexp"
	"strconv"
	"time"
)

// PulledImage is what the kubelet tells of a pull that succeeded.
type PulledImage struct {
	Name  string // as the pod has it
	Took  time.Duration
	Bytes int64 // compressed, as the registry counts; 0 when it was not told
}

var pulledWords = regexp.MustCompile(`^Successfully pulled image "([^"]+)" in ([0-9a-zµ.]+)(?: \([^)]*\))?\.?(?: Image size: (\d{1,18}) bytes)?`)

// Pulled reads the message of an event Pulled; false for one that tells that
// the image was on the node.
func Pulled(message string) (PulledImage, bool) {
	m := pulledWords.FindStringSubmatch(message)
	if m == nil {
		return PulledImage{}, false
	}
	took, err := time.ParseDuration(m[2])
	if err != nil {
		return PulledImage{}, false
	}
	p := PulledImage{Name: m[1], Took: took}
	if m[3] != "" {
		if p.Bytes, err = strconv.ParseInt(m[3], 10, 64); err != nil {
			return PulledImage{}, false
		}
	}
	return p, true
}
