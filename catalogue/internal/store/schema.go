package store

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// A Schema describes the records of a store.
type Schema struct {
	ID      string          // the name of the id in an ordering
	Default []ordering.Term // the default ordering; if empty, by id
	History int             // the number of changes to keep; 0 keeps none
	Unique  []string        // fields of which no two records have the same value, except null
	Known   []string        // fields that there are even if no record has the member

	// Field returns the field with the name and reports whether there is one. If
	// Members is set, it returns a field for every name.
	Field func(name string) (Field, bool)

	// Names are the names of the fields if all records have the same. Errors
	// suggest them.
	Names []string

	// Members returns the JSON names of the members of a record. The fields of a
	// state are the snake_case names of the members that at least one of its
	// records has. If nil, all records have the same fields.
	Members func(*Entry) iter.Seq[string]
}

// A Field is a field that entries can be ordered by.
type Field = ordering.Field[Entry]

// resolve returns the fields of terms, which must be known.
func (sc *Schema) resolve(terms []ordering.Term) []Field {
	fields := make([]Field, len(terms))
	for i, t := range terms {
		fields[i], _ = sc.Field(t.Field)
	}
	return fields
}

// fieldsOf returns the fields of conditions, which must be known.
func (sc *Schema) fieldsOf(where []Condition) []Field {
	fields := make([]Field, len(where))
	for i, c := range where {
		fields[i], _ = sc.Field(c.Field)
	}
	return fields
}

// has reports whether a state with these names has the field.
func (sc *Schema) has(name string, names members) bool {
	if sc.Members == nil {
		_, ok := sc.Field(name)
		return ok
	}
	return names.has(name)
}

// hasAll reports whether a state with these names has the fields of all terms.
func (sc *Schema) hasAll(terms []ordering.Term, names members) bool {
	return !slices.ContainsFunc(terms, func(t ordering.Term) bool { return !sc.has(t.Field, names) })
}

// check returns an error for the first term whose field is unknown. Making the error takes
// O(names).
func (sc *Schema) check(terms []ordering.Term, names members) error {
	for _, t := range terms {
		switch {
		case sc.has(t.Field, names):
		case sc.Members == nil:
			return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, sc.Names))
		default:
			return fmt.Errorf("%w: no record has %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, names.names()))
		}
	}
	return nil
}

// known appends the terms whose field is known to buf.
func (sc *Schema) known(buf, terms []ordering.Term, names members) []ordering.Term {
	for _, t := range terms {
		if sc.has(t.Field, names) {
			buf = append(buf, t)
		}
	}
	return buf
}

// canonical returns the canonical form of terms, under which their index is
// kept, and reports whether the index is read backwards. An ordering and its
// reverse have the same form: it has no field twice, nothing after the id, and an
// ascending first term. Ties break by id in the direction of the first term, so
// an id in that direction is dropped. The form of the order by id is empty.
// canonical appends to buf unless terms are canonical already.
func canonical(buf, terms []ordering.Term, id string) (canon []ordering.Term, desc bool) {
	if len(terms) == 0 {
		return nil, false
	}
	desc = terms[0].Desc
	if len(terms) == 1 && terms[0].Field != id && !desc {
		return terms, false
	}
	for _, t := range terms {
		if t.Field == id {
			if t.Desc != desc {
				buf = append(buf, ordering.Desc(id))
			}
			break
		}
		t.Desc = t.Desc != desc
		if !slices.ContainsFunc(buf, func(u ordering.Term) bool { return u.Field == t.Field }) {
			buf = append(buf, t)
		}
	}
	return buf, desc
}
