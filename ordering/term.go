package ordering

import "strings"

// A Term is one part of an ordering: a field and a direction. The zero Term names no
// field.
type Term struct {
	Field string // snake_case name
	Desc  bool   // descending
}

// Asc returns the ascending term for a field.
func Asc(field string) Term { return Term{Field: field} }

// Desc returns the descending term for a field.
func Desc(field string) Term { return Term{Field: field, Desc: true} }

// String returns the name of the field, with a leading minus if the term is
// descending.
func (t Term) String() string {
	if t.Desc {
		return "-" + t.Field
	}
	return t.Field
}

// Reverse returns the term for the same field in the opposite direction.
func (t Term) Reverse() Term { return Term{Field: t.Field, Desc: !t.Desc} }

// Format returns the terms joined by commas, such as "-start_date,name". It is the
// inverse of [Terms] and returns "" for no terms. O(len).
func Format(terms []Term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(t.String())
	}
	return b.String()
}
