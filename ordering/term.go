package ordering

import "strings"

// A Term is one name of an ordering and its direction. The zero Term names no
// field.
type Term struct {
	Field string // snake_case name
	Desc  bool   // descending
}

// Asc is the ascending term of a field.
func Asc(field string) Term { return Term{Field: field} }

// Desc is the descending term of a field.
func Desc(field string) Term { return Term{Field: field, Desc: true} }

// String gives the term as a query writes it: the name, behind a minus when it
// is descending.
func (t Term) String() string {
	if t.Desc {
		return "-" + t.Field
	}
	return t.Field
}

// Reverse is the same field in the other direction.
func (t Term) Reverse() Term { return Term{Field: t.Field, Desc: !t.Desc} }

// Format joins terms as a query writes them: "-start_date,name". No terms give
// the empty string. O(len).
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
