package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Type describes the records of a store.
type Type struct {
	ID      string            // the name of the id in an ordering
	Key     string            // the unique field by which ties break, or "" if they do by id
	Default []ordering.Term   // the default ordering; if empty, by id
	History int               // the number of changes to keep; 0 keeps none
	Unique  [][]string        // sets of fields of which no two records have the same values, unless one is null
	Known   []string          // fields that there are even if no record has the member
	Cores   Cores             // for sorts; if nil, New sets it for the store alone
	indexes [][]ordering.Term // canonical; see AddIndex

	// Field returns the field with the name and reports whether there is one. If
	// Members is set, it returns a field for every name.
	Field func(name string) (Field, bool)

	// Names are the names of the fields if all records have the same. Errors
	// suggest them.
	Names []string

	// Members yields the names of the members of a record, with what the store ignores, and FieldOf
	// returns the name of the field that a member is. The fields of a state are those of the members that at least one of its
	// records has, and all names that begin with one of them and two underscores.
	// If nil, all records have the same fields.
	Members func(*Entry) iter.Seq2[string, string]
	FieldOf func(member string) string
}

// Indexes returns the orders of AddIndex.
func (typ *Type) Indexes() [][]ordering.Term { return typ.indexes }

// AddIndex declares that the records always have an index by terms, whose fields must be
// known. It is an error if they have it anyway.
func (typ *Type) AddIndex(terms []ordering.Term) error {
	for i, t := range terms {
		if slices.ContainsFunc(terms[:i], func(u ordering.Term) bool { return u.Field == t.Field }) {
			return fmt.Errorf("%s has %s twice", ordering.Format(terms), t.Field)
		}
	}
	canon, _ := canonical(nil, typ.tied(slices.Clone(terms)), typ.ID)
	last := cmp.Or(typ.Key, typ.ID)
	switch {
	case len(terms) == 0:
		return errors.New("an index needs a term")
	case mixed(terms, last):
		same := slices.Clone(terms)
		for i := range same {
			same[i].Desc = false
		}
		return fmt.Errorf("%s has two directions, so it serves no query with conditions on its first fields in the order of the others: declare %s, which serves both directions, or end it with %s to declare the order itself",
			ordering.Format(terms), ordering.Format(same), last)
	case len(canon) == 0, canon[0].Field == typ.Key:
		return fmt.Errorf("the index by %s always exists", last)
	case slices.ContainsFunc(typ.indexes, func(other []ordering.Term) bool { return slices.Equal(other, canon) }):
		return fmt.Errorf("%s is there twice; an index also serves the reverse order", ordering.Format(terms))
	}
	typ.indexes = append(typ.indexes, canon)
	return nil
}

// mixed reports whether terms have two directions but none for ties.
func mixed(terms []ordering.Term, id string) bool {
	return !slices.ContainsFunc(terms, func(t ordering.Term) bool { return t.Field == id }) &&
		slices.ContainsFunc(terms, func(t ordering.Term) bool { return t.Desc != terms[0].Desc })
}

// A Field is a field that entries can be ordered by.
type Field struct {
	Name string
	// Key returns the sort key of an entry. It must return equal keys for equal records, and must be
	// safe for concurrent use.
	Key func(e *Entry) sortkey.Key
	// Kind is as in an [ordering.ValueField], but times have whole microseconds and their years four
	// digits. If a key is of another kind, the index is wrong.
	Kind reflect.Kind
	// KeyOf returns the key of a value in a condition.
	KeyOf func(value any) (sortkey.Key, error)
}

// resolve returns the fields of terms, which must be known.
func (typ *Type) resolve(terms []ordering.Term) []Field {
	fields := make([]Field, len(terms))
	for i, t := range terms {
		fields[i], _ = typ.Field(t.Field)
	}
	return fields
}

// tied returns terms followed by the key of the type, in the direction of the first term, so that
// ties break by it. If terms have the key or the id, it returns them up to that term. If the type
// has no key, it returns terms.
func (typ *Type) tied(terms []ordering.Term) []ordering.Term {
	if typ.Key == "" || len(terms) == 0 {
		return terms
	}
	i := slices.IndexFunc(terms, func(t ordering.Term) bool { return t.Field == typ.Key || t.Field == typ.ID })
	if i >= 0 {
		return terms[:i+1]
	}
	return append(slices.Clip(terms), ordering.Term{Field: typ.Key, Desc: terms[0].Desc})
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

// compareEntries compares the values of fields in turn and then the ids.
func compareEntries(a, b *Entry, fields []Field, terms []ordering.Term) int {
	for i, f := range fields {
		c := f.Key(a).Compare(f.Key(b))
		if terms[i].Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return compareIDs(a, b)
}

// has reports whether a state with these names has the field.
func (typ *Type) has(name string, names members) bool {
	if typ.Members == nil {
		_, ok := typ.Field(name)
		return ok
	}
	return names.has(name)
}

// hasAll reports whether a state with these names has the fields of all terms.
func (typ *Type) hasAll(terms []ordering.Term, names members) bool {
	return !slices.ContainsFunc(terms, func(t ordering.Term) bool { return !typ.has(t.Field, names) })
}

// check returns an error for the first term whose field is unknown. Making the error takes
// O(names).
func (typ *Type) check(terms []ordering.Term, names members) error {
	for _, t := range terms {
		switch {
		case typ.has(t.Field, names):
		case typ.Members == nil:
			return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, typ.Names))
		default:
			if outer := outerOf(t.Field); outer != t.Field {
				return fmt.Errorf("%w: %q: no record has %q: %s", ordering.ErrUnknownField, t.Field, outer, ordering.Suggest(outer, names.names()))
			}
			return fmt.Errorf("%w: no record has %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, names.names()))
		}
	}
	return nil
}

// members counts the records of a state that have each member, and so knows the names of
// its fields. The zero value is for records that all have the same fields.
type members struct {
	// records has the number of records that have the member, by JSON name. All states of a
	// store share it. A writer changes it in place while it holds [Store.committing].
	records set[count]
	// fields has the number of JSON names that are the field, by its name. It does not change.
	fields  set[count]
	fieldOf func(member string) string
}

// A count is a positive number for a name.
type count struct {
	name string
	n    int
}

func newCounts() set[count] { return newSet(func(a, b count) bool { return a.name < b.name }) }

// newMembers returns the members of no records. The fields are the ones that the type names.
func newMembers(typ *Type) (m members) {
	if typ.Members == nil {
		return m
	}
	m = members{newCounts(), newCounts(), typ.FieldOf}
	for _, name := range slices.Concat([]string{typ.ID}, slices.Concat(typ.Unique...), typ.Known) {
		add(m.fields, outerOf(name), 1)
	}
	for _, terms := range typ.indexes {
		for _, t := range terms {
			add(m.fields, outerOf(t.Field), 1)
		}
	}
	return m
}

// fork returns independent counts. It writes to m. O(1).
func (m members) fork() members {
	if m.records != nil {
		m.records, m.fields = forkSet(m.records), forkSet(m.fields)
	}
	return m
}

// add adds by to the number of a name and returns the sum.
func add(c set[count], name string, by int) int {
	found, ok := c.Get(count{name: name})
	if !ok {
		found.name = strings.Clone(name) // which may be part of the text of a record
	}
	if found.n += by; found.n == 0 {
		c.Delete(found)
	} else {
		c.Set(found)
	}
	return found.n
}

// has reports whether there is a field with the name, or one that may contain it. O(log names).
func (m members) has(name string) bool { return m.hasMember(name) || m.hasMember(outerOf(name)) }

func (m members) hasMember(name string) bool {
	_, ok := m.fields.Get(count{name: name})
	return ok
}

// outerOf returns the part of a name before the first two underscores.
func outerOf(name string) string {
	outer, _, _ := strings.Cut(name, "__")
	return outer
}

// names returns the sorted names of the fields, or nil if all records have the same.
// O(names).
func (m members) names() (names []string) {
	if m.fields != nil {
		for _, c := range m.fields.Items() {
			names = append(names, c.name)
		}
	}
	return names
}

// countMembers adds by to the numbers of the members of an entry, which may be nil.
func (typ *Type) countMembers(numbers map[string]int, e *Entry, by int) {
	if e != nil {
		for name := range typ.Members(e) {
			numbers[name] += by
		}
	}
}

// memberChanges adds to dst, which may be nil, by how much changes change the number of
// records that have each member. It returns nil if all records have the same fields.
// O(members of the records).
func (typ *Type) memberChanges(dst map[string]int, changes []Change) map[string]int {
	if typ.Members == nil {
		return nil
	}
	if dst == nil {
		dst = map[string]int{}
	}
	for _, ch := range changes {
		typ.countMembers(dst, ch.New, 1)
		typ.countMembers(dst, ch.Old, -1)
	}
	return dst
}

// membersOf returns the members of entries, which are sorted by id.
func (typ *Type) membersOf(entries []*Entry) members {
	return newMembers(typ).counted(typ.memberChanges(nil, difference(nil, entries)))
}

// counted adds changes to the numbers of records and returns the members after them. A member
// without a name is not a field. O(changes × log names).
func (m members) counted(changes map[string]int) members {
	forked := false
	for name, by := range changes {
		if by == 0 {
			continue
		}
		n := add(m.records, name, by)
		if n != 0 && n != by {
			continue
		}
		if !forked {
			m.fields, forked = forkSet(m.fields), true
		}
		switch field := m.fieldOf(name); {
		case field == "":
		case n == 0:
			add(m.fields, field, -1)
		default:
			add(m.fields, field, 1)
		}
	}
	return m
}
