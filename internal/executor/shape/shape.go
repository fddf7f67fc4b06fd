package shape

import "time"

type kind int

const (
	object kind = iota
	list
	mapping
	text
	choice
	span
	instant
	integer
	number
	boolean
	anything
)

// Shape is what a value looks like.
type Shape struct {
	kind    kind
	about   string
	fields  []Field
	exactly []string // fields of which one is given
	item    *Shape
	choices []string
	key     string // pattern of the keys of a mapping
	least   int64  // of an integer, of entries, of characters, of nanoseconds
	most    int64  // 0 means no bound
	fixed   bool   // no macros
}

// Field is a field of an object.
type Field struct {
	Name     string
	Shape    Shape
	Required bool
}

// Required is a field that must be given.
func Required(name string, s Shape) Field { return Field{name, s, true} }

// Optional is a field that may be left out.
func Optional(name string, s Shape) Field { return Field{name, s, false} }

// Object has these fields and no others.
func Object(fields ...Field) Shape { return Shape{kind: object, fields: fields} }

// Exactly wants exactly one of the named fields of an object.
func (s Shape) Exactly(names ...string) Shape { s.exactly = names; return s }

// With adds fields to an object.
func (s Shape) With(fields ...Field) Shape {
	s.fields = append(s.fields[:len(s.fields):len(s.fields)], fields...)
	return s
}

// About says in the schema what the value is for.
func (s Shape) About(words string) Shape { s.about = words; return s }

// Fixed is a value that cannot hold macros.
func (s Shape) Fixed() Shape { s.fixed = true; return s }

// List has least to most entries.
func List(item Shape, least, most int64) Shape {
	return Shape{kind: list, item: &item, least: least, most: most}
}

// Map has up to most entries, whose keys match a pattern.
func Map(item Shape, key string, most int64) Shape {
	return Shape{kind: mapping, item: &item, key: key, most: most}
}

// Text has least to most characters; most 0 means no bound.
func Text(least, most int64) Shape { return Shape{kind: text, least: least, most: most} }

// Choice is one of these texts.
func Choice(of ...string) Shape { return Shape{kind: choice, choices: of} }

// Span is a span of time as "90s", from least to most.
func Span(least, most time.Duration) Shape {
	return Shape{kind: span, least: int64(least), most: int64(most)}
}

// Instant is a time in the notation of RFC 3339.
func Instant() Shape { return Shape{kind: instant} }

// Integer is a whole number from least to most.
func Integer(least, most int64) Shape { return Shape{kind: integer, least: least, most: most} }

// Number is a number from least to most.
func Number(least, most int64) Shape { return Shape{kind: number, least: least, most: most} }

// Bool is true or false.
func Bool() Shape { return Shape{kind: boolean} }

// Any is an object that somebody else looks at.
func Any() Shape { return Shape{kind: anything} }
