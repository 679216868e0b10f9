package store

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/ordering"
)

// members counts the records of a state that have each member, and so knows the names of
// its fields. It is kept in trees, which a writer changes and forks like indexes. The
// zero value is for records that all have the same fields.
type members struct {
	records *counts // by JSON name: the records that have the member
	fields  *counts // by the name of a field: the JSON names that are that field
}

// counts holds a positive number for each name.
type counts = btree.BTreeG[count]

type count struct {
	name string
	n    int
}

func newCounts() *counts {
	return btree.NewBTreeGOptions(func(a, b count) bool { return a.name < b.name }, btree.Options{NoLocks: true})
}

// newMembers returns the members of no records. The fields are those that the schema
// names.
func newMembers(sc *Schema) (m members) {
	if sc.Members == nil {
		return m
	}
	m = members{newCounts(), newCounts()}
	add(m.fields, sc.ID, 1)
	for _, names := range [][]string{sc.Unique, sc.Known} {
		for _, name := range names {
			add(m.fields, name, 1)
		}
	}
	return m
}

// fork returns a fork. It writes to m. O(1).
func (m members) fork() members {
	if m.records != nil {
		m.records, m.fields = m.records.Copy(), m.fields.Copy()
	}
	return m
}

// add adds by to the number of a name and returns the sum.
func add(c *counts, name string, by int) int {
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

// has reports whether there is a field with the name. O(log names).
func (m members) has(name string) bool {
	_, ok := m.fields.Get(count{name: name})
	return ok
}

// names returns the sorted names of the fields, or nil if all records have the same.
// O(names).
func (m members) names() (names []string) {
	if m.fields != nil {
		names = make([]string, 0, m.fields.Len())
		m.fields.Scan(func(c count) bool {
			names = append(names, c.name)
			return true
		})
	}
	return names
}

// countMembers adds by to the numbers of the members of an entry, which may be nil.
func (sc *Schema) countMembers(numbers map[string]int, e *Entry, by int) {
	if e != nil {
		for name := range sc.Members(e) {
			numbers[name] += by
		}
	}
}

// memberChanges adds to dst, which may be nil, by how much changes change the number of
// records that have each member. It returns nil if all records have the same fields.
// O(members of the records).
func (sc *Schema) memberChanges(dst map[string]int, changes []Change) map[string]int {
	if sc.Members == nil {
		return nil
	}
	if dst == nil {
		dst = map[string]int{}
	}
	for _, ch := range changes {
		sc.countMembers(dst, ch.New, 1)
		sc.countMembers(dst, ch.Old, -1)
	}
	return dst
}

// membersOf returns the members of entries.
func (sc *Schema) membersOf(entries []*Entry) members {
	m := newMembers(sc)
	if sc.Members != nil {
		numbers := map[string]int{}
		for _, e := range entries {
			sc.countMembers(numbers, e, 1)
		}
		m.apply(numbers)
	}
	return m
}

// apply adds changes to the numbers and reports whether a field was removed. A member
// whose name consists of underscores only is not a field. O(changes × log names).
func (m members) apply(changes map[string]int) (removed bool) {
	for name, by := range changes {
		if by == 0 {
			continue
		}
		n := add(m.records, name, by)
		if n != 0 && n != by {
			continue
		}
		field := ordering.Snake(name)
		switch {
		case field == "":
		case n == 0:
			removed = add(m.fields, field, -1) == 0 || removed
		default:
			add(m.fields, field, 1)
		}
	}
	return removed
}

// recount applies changes to the numbers of members.
func (s *State) recount(changes map[string]int) {
	if s.names.apply(changes) {
		s.dropUnnamed()
	}
}

// dropUnnamed drops the indexes of fields that no record has.
func (s *State) dropUnnamed() {
	s.indexes = slices.DeleteFunc(s.indexes, func(x namedIndex) bool { return !s.schema.hasAll(x.terms, s.names) })
}
