package quantity

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// CPU writes thousandths of a core for people: "4 CPU", "0.5 CPU".
func CPU(milli int64) string { return decimal(milli, 1000, 3) + " CPU" }

var units = []struct {
	size int64
	name string
}{{1 << 50, "PiB"}, {1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}

// Memory writes bytes for people, in the largest unit that they reach, with at
// most two decimals, cut and not rounded: "24 GiB", "1.5 GiB", "512 MiB".
func Memory(bytes int64) string {
	for _, u := range units {
		if bytes >= u.size || bytes <= -u.size {
			return decimal(bytes, u.size, 2) + " " + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + " B"
}

// decimal is n/unit with at most the given decimals, without trailing zeros.
func decimal(n, unit int64, decimals int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", max(-n, 0)
	}
	whole, rest := n/unit, n%unit
	var b strings.Builder
	b.WriteString(sign + strconv.FormatInt(whole, 10) + ".")
	for range decimals {
		digit := 0
		// rest*10 cannot overflow: rest is below a unit of at most 1<<50.
		rest *= 10
		digit, rest = int(rest/unit), rest%unit
		b.WriteByte(byte('0' + digit))
	}
	return strings.TrimRight(strings.TrimRight(b.String(), "0"), ".")
}

// CPUQuantity is thousandths of a core as Kubernetes takes them: "4", "500m".
func CPUQuantity(milli int64) resource.Quantity {
	return canonical(*resource.NewMilliQuantity(milli, resource.DecimalSI))
}

// BytesQuantity is bytes as Kubernetes takes them: "24Gi", "512Mi".
func BytesQuantity(bytes int64) resource.Quantity {
	return canonical(*resource.NewQuantity(bytes, resource.BinarySI))
}

// CountQuantity is a number of whole things, as GPUs or pods.
func CountQuantity(n int64) resource.Quantity {
	return canonical(*resource.NewQuantity(n, resource.DecimalSI))
}

// canonical fills the text that a Quantity caches, so that equal amounts are
// deeply equal however they were made.
func canonical(q resource.Quantity) resource.Quantity {
	_ = q.String()
	return q
}
