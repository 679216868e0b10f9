package store

import (
	"iter"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// members counts the records that have each member. The zero value counts nothing
// and is for records that all have the same fields.
type members struct {
	of     func(*Entry) iter.Seq[string]
	counts map[string]int // by JSON name
	shared bool           // a clone uses the same map, so it is copied before it changes
}

func newMembers(of func(*Entry) iter.Seq[string]) members {
	if of == nil {
		return members{}
	}
	return members{of: of, counts: map[string]int{}}
}

// clone returns an independent copy. O(1).
func (m *members) clone() members {
	m.shared = true
	return *m
}

// apply counts a change and reports whether a name was added or removed.
// O(members of the record), plus O(names) for the first change after clone.
func (m *members) apply(ch Change) (changed bool) {
	if m.of == nil {
		return false
	}
	if m.shared {
		m.counts, m.shared = maps.Clone(m.counts), false
	}
	added := m.count(ch.New, 1)
	removed := m.count(ch.Old, -1)
	return added || removed
}

// count adds by to the counts of the members of e, which may be nil.
func (m *members) count(e *Entry, by int) (changed bool) {
	if e == nil {
		return false
	}
	for name := range m.of(e) {
		n := m.counts[name] + by
		if n == 0 {
			delete(m.counts, name)
		} else {
			m.counts[name] = n
		}
		changed = changed || n == 0 || n == by
	}
	return changed
}

// names returns the sorted names of the fields, including those that the schema names. A
// member whose name consists of underscores only is not a field. names returns nil if
// all records have the same fields. O(names × log names).
func (m *members) names(sc *Schema) []string {
	if m.of == nil {
		return nil
	}
	names := slices.Concat([]string{sc.ID}, sc.Unique, sc.Known)
	for name := range m.counts {
		if snake := ordering.Snake(name); snake != "" {
			names = append(names, snake)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
