package store

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// A Schema is what a store has to know of its records.
type Schema struct {
	ID      string          // the name of the id in an ordering
	Default []ordering.Term // the default ordering; none is by id
	History int             // how many changes are kept; 0 is none

	// Field returns the field of that name, and whether there is one. It returns
	// a field for any name if Members is set.
	Field func(name string) (Field, bool)

	// Names are the fields, if all records have the same. Errors suggest them.
	Names []string

	// Members returns the members of a record by their names in JSON. Their
	// names in snake_case are the fields of a state: those that at least one of
	// its records has. If nil, all records have the same fields.
	Members func(*Entry) iter.Seq[string]
}

// A Field is what entries can be ordered by.
type Field struct {
	Name string
	Kind Kind
	Key  func(*Entry) ordering.Key
}

// A Kind is what holds for all keys of a field. If it does not hold, records are
// in the wrong order.
type Kind uint8

const (
	Mixed   Kind = iota // nothing
	Integer             // Key.AsInt reports true
	Text                // Key.AsText reports true
)

// resolve returns the fields of terms that are known.
func (sc *Schema) resolve(terms []ordering.Term) []Field {
	fields := make([]Field, len(terms))
	for i, t := range terms {
		fields[i], _ = sc.Field(t.Field)
	}
	return fields
}

// has reports whether a state with these names of members has a field.
func (sc *Schema) has(name string, names []string) bool {
	if sc.Members == nil {
		_, ok := sc.Field(name)
		return ok
	}
	_, ok := slices.BinarySearch(names, name)
	return ok
}

// check returns an error for the first term that is no field. A single field of
// records that all have the same needs no check where an index was found for it.
func (sc *Schema) check(terms []ordering.Term, names []string) error {
	for _, t := range terms {
		if !sc.has(t.Field, names) {
			if sc.Members == nil {
				names = sc.Names
			}
			return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, names))
		}
	}
	return nil
}

// known returns the terms that are fields, in the memory of buf if that suffices.
func (sc *Schema) known(buf, terms []ordering.Term, names []string) []ordering.Term {
	for _, t := range terms {
		if sc.has(t.Field, names) {
			buf = append(buf, t)
		}
	}
	return buf
}

// canonical returns the form of terms under which their index is kept, and
// whether the index is read backwards. The form serves the terms and their
// mirror: no field twice, nothing after the id, the leading term ascending.
// Ties break by id in the direction of the leading term, so an id that only
// says that is dropped; the empty form is the order by id. buf is written to only
// if the terms need change.
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
