package quantity_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

func TestParse(t *testing.T) {
	t.Parallel()
	cpu, memory, size := quantity.ParseCPU, quantity.ParseMemory, quantity.ParseSize
	for name, c := range map[string]struct {
		parse  func(string, quantity.Limits) (int64, error)
		text   string
		limits quantity.Limits
		want   int64
		wantID string
	}{
		"whole cores":              {parse: cpu, text: "4", want: 4000},
		"half a core":              {parse: cpu, text: "0.5", want: 500},
		"milli":                    {parse: cpu, text: "500m", want: 500},
		"spaces around":            {parse: cpu, text: " 2 ", want: 2000},
		"finest":                   {parse: cpu, text: "0.001", want: 1},
		"finer than a thousandth":  {parse: cpu, text: "0.0005", wantID: "quantity.cpu.too-fine"},
		"part of a milli":          {parse: cpu, text: "1.5m", wantID: "quantity.cpu.too-fine"},
		"no number":                {parse: cpu, text: "four", wantID: "quantity.cpu.unreadable"},
		"empty":                    {parse: cpu, text: "", wantID: "quantity.cpu.unreadable"},
		"exponent":                 {parse: cpu, text: "1e3", wantID: "quantity.cpu.unreadable"},
		"thousands":                {parse: cpu, text: "1,000", wantID: "quantity.cpu.unreadable"},
		"two dots":                 {parse: cpu, text: "1.2.3", wantID: "quantity.cpu.unreadable"},
		"dot at the end":           {parse: cpu, text: "1.", wantID: "quantity.cpu.unreadable"},
		"fraction":                 {parse: cpu, text: "1/2", wantID: "quantity.cpu.unreadable"},
		"memory suffix on CPU":     {parse: cpu, text: "4Gi", wantID: "quantity.cpu.unreadable"},
		"negative":                 {parse: cpu, text: "-1", wantID: "quantity.cpu.negative"},
		"zero":                     {parse: cpu, text: "0", wantID: "quantity.cpu.zero"},
		"minus zero":               {parse: cpu, text: "-0", wantID: "quantity.cpu.zero"},
		"at the limit":             {parse: cpu, text: "8", limits: quantity.Limits{Max: 8000}, want: 8000},
		"above the limit":          {parse: cpu, text: "8.001", limits: quantity.Limits{Max: 8000}, wantID: "quantity.cpu.too-large"},
		"below the least":          {parse: cpu, text: "5m", limits: quantity.Limits{Min: 10}, wantID: "quantity.cpu.too-small"},
		"beyond any machine":       {parse: cpu, text: "99999999999999999999", wantID: "quantity.cpu.too-large"},
		"very long":                {parse: cpu, text: strings.Repeat("9", 1000), wantID: "quantity.cpu.unreadable"},
		"gibibytes":                {parse: memory, text: "24Gi", want: 24 << 30},
		"gibibytes as people do":   {parse: memory, text: "24 GiB", want: 24 << 30},
		"mebibytes":                {parse: memory, text: "512Mi", want: 512 << 20},
		"gigabytes":                {parse: memory, text: "1G", want: 1e9},
		"kilo both ways":           {parse: memory, text: "1k", want: 1000},
		"plain bytes":              {parse: memory, text: "1048576", want: 1 << 20},
		"bytes with B":             {parse: memory, text: "100B", want: 100},
		"one and a half":           {parse: memory, text: "1.5Gi", want: 3 << 29},
		"part of a byte is cut":    {parse: memory, text: "0.3Ki", want: 307},
		"less than a byte":         {parse: memory, text: "0.1", wantID: "quantity.memory.zero"},
		"lower-case g":             {parse: memory, text: "24g", wantID: "quantity.memory.unreadable"},
		"milli of memory":          {parse: memory, text: "24m", wantID: "quantity.memory.unreadable"},
		"suffix alone":             {parse: memory, text: "Gi", wantID: "quantity.memory.unreadable"},
		"memory negative":          {parse: memory, text: "-1Gi", wantID: "quantity.memory.negative"},
		"memory zero":              {parse: memory, text: "0Gi", wantID: "quantity.memory.zero"},
		"memory above the limit":   {parse: memory, text: "65Gi", limits: quantity.Limits{Max: 64 << 30}, wantID: "quantity.memory.too-large"},
		"memory below the least":   {parse: memory, text: "1Mi", limits: quantity.Limits{Min: 16 << 20}, wantID: "quantity.memory.too-small"},
		"memory beyond an int64":   {parse: memory, text: "9999999Pi", wantID: "quantity.memory.too-large"},
		"size":                     {parse: size, text: "20GiB", want: 20 << 30},
		"size that is none":        {parse: size, text: "much", wantID: "quantity.size.unreadable"},
		"size negative":            {parse: size, text: "-1Gi", wantID: "quantity.size.negative"},
		"size zero":                {parse: size, text: "0", wantID: "quantity.size.zero"},
		"size above the limit":     {parse: size, text: "65Gi", limits: quantity.Limits{Max: 64 << 30}, wantID: "quantity.size.too-large"},
		"size below the least":     {parse: size, text: "1Mi", limits: quantity.Limits{Min: 16 << 20}, wantID: "quantity.size.too-small"},
		"other digits":             {parse: memory, text: "２４Gi", wantID: "quantity.memory.unreadable"},
		"infinity":                 {parse: memory, text: "Inf", wantID: "quantity.memory.unreadable"},
		"a space inside the digit": {parse: memory, text: "2 4Gi", wantID: "quantity.memory.unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.parse(c.text, c.limits)
			var f *fault.Error
			gotID := ""
			if errors.As(err, &f) {
				gotID = f.ID
				if f.Kind != fault.InvalidArgument || f.Args["value"] == nil {
					t.Errorf("the fault is %v", f)
				}
				for _, l := range []lang.Lang{lang.English, lang.Chinese} {
					text := lang.Text(l, "fault."+f.ID, f.Args)
					if text == "fault."+f.ID || strings.ContainsAny(text, "?{}") {
						t.Errorf("in %s it reads %q", l, text)
					}
					if strings.HasPrefix(f.ID, "quantity.size.") && (strings.Contains(strings.ToLower(text), "memory") || strings.Contains(text, "内存")) {
						t.Errorf("a size is called memory: %q", text)
					}
				}
			}
			if got != c.want || gotID != c.wantID {
				t.Errorf("got %d %q, want %d %q", got, gotID, c.want, c.wantID)
			}
		})
	}
}

func TestFormsHearOfTheField(t *testing.T) {
	t.Parallel()
	var f fault.Fields
	cpu := quantity.AddCPU(&f, "resources.cpu", "4", quantity.Limits{})
	memory := quantity.AddMemory(&f, "resources.memory", "much", quantity.Limits{})
	want := &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{
		{Path: "resources.memory", ID: "quantity.memory.unreadable", Args: fault.Args{"value": "much"}},
	}}
	if diff := cmp.Diff(want, f.Err()); diff != "" {
		t.Error(diff)
	}
	if cpu != 4000 || memory != 0 {
		t.Errorf("got %d and %d", cpu, memory)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"cores":            {quantity.CPU(4000), "4 CPU"},
		"half a core":      {quantity.CPU(500), "0.5 CPU"},
		"one milli":        {quantity.CPU(1), "0.001 CPU"},
		"none":             {quantity.CPU(0), "0 CPU"},
		"minus":            {quantity.CPU(-1500), "-1.5 CPU"},
		"gibibytes":        {quantity.Memory(24 << 30), "24 GiB"},
		"one and a half":   {quantity.Memory(3 << 29), "1.5 GiB"},
		"mebibytes":        {quantity.Memory(512 << 20), "512 MiB"},
		"bytes":            {quantity.Memory(100), "100 B"},
		"no memory":        {quantity.Memory(0), "0 B"},
		"cut, not rounded": {quantity.Memory(64<<30 - 1), "63.99 GiB"},
		"decimal giga":     {quantity.Memory(1e9), "953.67 MiB"},
		"the largest":      {quantity.Memory(math.MaxInt64), "8191.99 PiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.got != c.want {
				t.Errorf("got %q, want %q", c.got, c.want)
			}
		})
	}
	for want, got := range map[string]resource.Quantity{
		"4":         quantity.CPUQuantity(4000),
		"500m":      quantity.CPUQuantity(500),
		"24Gi":      quantity.BytesQuantity(24 << 30),
		"512Mi":     quantity.BytesQuantity(512 << 20),
		"1000000":   quantity.BytesQuantity(1_000_000),
		"8":         quantity.CountQuantity(8),
		"1536Mi":    quantity.BytesQuantity(3 << 29),
		"976562500": quantity.BytesQuantity(976562500),
	} {
		if got.String() != want {
			t.Errorf("Kubernetes reads %q, want %q", got.String(), want)
		}
	}
}

func TestWhatKubernetesWritesIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		milli := rapid.Int64Range(1, 1<<40).Draw(t, "milli")
		q := quantity.CPUQuantity(milli)
		if q.MilliValue() != milli {
			t.Fatalf("%d became %s", milli, q.String())
		}
		if text := q.String(); !strings.ContainsAny(text, "kMGTPE") {
			if got, err := quantity.ParseCPU(text, quantity.Limits{}); err != nil || got != milli {
				t.Fatalf("%s is read as %d, %v", text, got, err)
			}
		}
		if got, err := quantity.ParseCPU(strings.TrimSuffix(quantity.CPU(milli), " CPU"), quantity.Limits{}); err != nil || got != milli {
			t.Fatalf("%s is read as %d, %v", quantity.CPU(milli), got, err)
		}
		bytes := rapid.Int64Range(1, math.MaxInt64).Draw(t, "bytes")
		b := quantity.BytesQuantity(bytes)
		if b.Value() != bytes {
			t.Fatalf("%d became %s", bytes, b.String())
		}
	})
}

// What both read must mean the same to Kubernetes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"4", "0.5", "500m", "24Gi", "512Mi", "1G", "-1", "0", "1e3", "9999999Pi", "1.5Gi", " 2 ", "1.", ".5", "", "$", "１", "4 GiB", "0x10", "1_000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limits := quantity.Limits{Min: 1, Max: 1 << 50}
		milli, errCPU := quantity.ParseCPU(text, limits)
		bytes, errMemory := quantity.ParseMemory(text, limits)
		for _, got := range []struct {
			v   int64
			err error
		}{{milli, errCPU}, {bytes, errMemory}} {
			var fe *fault.Error
			if got.err == nil && (got.v < limits.Min || got.v > limits.Max) {
				t.Fatalf("%q is %d, outside of the limits", text, got.v)
			}
			if got.err != nil && (!errors.As(got.err, &fe) || got.v != 0) {
				t.Fatalf("%q gives %d and %v", text, got.v, got.err)
			}
		}
		if errCPU != nil && errMemory != nil {
			return // and Kubernetes' parser takes hours over some exponents
		}
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return
		}
		if errCPU == nil && q.MilliValue() != milli {
			t.Fatalf("%q is %dm CPU here, %dm in Kubernetes", text, milli, q.MilliValue())
		}
		// Kubernetes rounds up to whole bytes.
		if d := q.Value() - bytes; errMemory == nil && (d < 0 || d > 1) {
			t.Fatalf("%q is %d bytes here, %d in Kubernetes", text, bytes, q.Value())
		}
	})
}
