package quantity

import (
	"math/big"
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Limits are the least and the largest amount that is accepted, in the unit of
// the parsed value. Max 0 means no limit but that of int64.
type Limits struct{ Min, Max int64 }

const maxText = 32 // characters; the largest int64 has 19 digits

// ParseCPU reads "4", "0.5" or "500m" as thousandths of a core. The error is a
// *fault.Error that names the text, the limit and what to write instead.
func ParseCPU(text string, l Limits) (milli int64, err error) { return parse(cpu, text, l) }

// ParseMemory reads "24Gi", "24GiB", "512Mi", "1.5G" or plain bytes as bytes.
// The error is a *fault.Error that names the text, the limit and what to write
// instead.
func ParseMemory(text string, l Limits) (bytes int64, err error) { return parse(memory, text, l) }

// ParseSize is ParseMemory for what lies on a disk: volumes, homes, logs.
func ParseSize(text string, l Limits) (bytes int64, err error) { return parse(size, text, l) }

// AddCPU is ParseCPU for a form: what is wrong is noted at path, and the amount is 0.
func AddCPU(f *fault.Fields, path, text string, l Limits) int64 { return add(f, path, cpu, text, l) }

// AddMemory is ParseMemory for a form: what is wrong is noted at path, and the amount is 0.
func AddMemory(f *fault.Fields, path, text string, l Limits) int64 {
	return add(f, path, memory, text, l)
}

// AddSize is ParseSize for a form: what is wrong is noted at path, and the size is 0.
func AddSize(f *fault.Fields, path, text string, l Limits) int64 { return add(f, path, size, text, l) }

// A kind is a dimension with its suffixes, each with what one of it is in the stored unit.
type kind struct {
	name     string // in message ids
	suffixes map[string]*big.Rat
	human    func(int64) string
}

var (
	cpu = kind{name: "cpu", human: CPU, suffixes: map[string]*big.Rat{
		"": big.NewRat(1000, 1), "m": big.NewRat(1, 1),
	}}
	memory = kind{name: "memory", human: Memory, suffixes: bytes}
	size   = kind{name: "size", human: Memory, suffixes: bytes}
)

var bytes = map[string]*big.Rat{
	"": power(1000, 0), "k": power(1000, 1), "K": power(1000, 1), "M": power(1000, 2),
	"G": power(1000, 3), "T": power(1000, 4), "P": power(1000, 5),
	"Ki": power(1024, 1), "Mi": power(1024, 2), "Gi": power(1024, 3), "Ti": power(1024, 4), "Pi": power(1024, 5),
}

func power(base, n int64) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(n), nil))
}

func add(f *fault.Fields, path string, k kind, text string, l Limits) int64 {
	v, wrong := k.read(text, l)
	if wrong != nil {
		f.Add(path, wrong.ID, wrong.Args)
	}
	return v
}

func parse(k kind, text string, l Limits) (int64, error) {
	v, wrong := k.read(text, l)
	if wrong != nil {
		return 0, wrong
	}
	return v, nil
}

func (k kind) read(text string, l Limits) (int64, *fault.Error) {
	bad := func(problem string, args fault.Args) (int64, *fault.Error) {
		args["value"] = shorten(text)
		return 0, fault.New(fault.InvalidArgument, "quantity."+k.name+"."+problem, args)
	}
	number, suffix := split(strings.TrimSpace(text))
	if k.name != cpu.name {
		suffix = strings.TrimSuffix(suffix, "B")
	}
	unit, known := k.suffixes[suffix]
	if number == "" || !known || len(text) > maxText {
		return bad("unreadable", fault.Args{})
	}
	amount, ok := new(big.Rat).SetString(number)
	if !ok {
		return bad("unreadable", fault.Args{})
	}
	amount.Mul(amount, unit)
	switch amount.Sign() {
	case -1:
		return bad("negative", fault.Args{})
	case 0:
		return bad("zero", fault.Args{})
	}
	if l.Max > 0 && amount.Cmp(new(big.Rat).SetInt64(l.Max)) > 0 {
		return bad("too-large", fault.Args{"limit": k.human(l.Max)})
	}
	if amount.Cmp(new(big.Rat).SetInt64(l.Min)) < 0 {
		return bad("too-small", fault.Args{"limit": k.human(l.Min)})
	}
	whole := new(big.Int).Quo(amount.Num(), amount.Denom())
	if !whole.IsInt64() {
		return bad("too-large", fault.Args{"limit": k.human(largest)})
	}
	if k.name == cpu.name && !amount.IsInt() {
		return bad("too-fine", fault.Args{})
	}
	if whole.Sign() == 0 { // less than a byte
		return bad("zero", fault.Args{})
	}
	return whole.Int64(), nil
}

const largest = 1<<63 - 1

// split takes a decimal number off the front; number is empty when there is
// none. Exponents, "+" and digit groups are not read: they are more often
// slips than meant.
func split(text string) (number, suffix string) {
	i, digits, dots := 0, 0, 0
	if strings.HasPrefix(text, "-") {
		i = 1
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && dots == 0 && digits > 0:
			dots++
		default:
			return keep(text[:i], digits), strings.TrimSpace(text[i:])
		}
	}
	return keep(text, digits), ""
}

func keep(number string, digits int) string {
	if digits == 0 || strings.HasSuffix(number, ".") {
		return ""
	}
	return number
}

func shorten(text string) string {
	r := []rune(strings.ToValidUTF8(text, "?"))
	if len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return string(r)
}
