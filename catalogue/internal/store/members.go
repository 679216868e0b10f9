package store

import (
	"iter"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// members counts how many records have a member, for records that need not have
// the same. The zero value counts nothing.
type members struct {
	of     func(*Entry) iter.Seq[string]
	counts map[string]int // by name in JSON
	shared bool           // a clone has the same map: it is copied before it changes
}

func newMembers(of func(*Entry) iter.Seq[string]) members {
	if of == nil {
		return members{}
	}
	return members{of: of, counts: map[string]int{}}
}

// clone returns members that count on their own. O(1).
func (m *members) clone() members {
	m.shared = true
	return *m
}

// apply counts a change and reports whether a name came or went. O(members of
// the record); once after clone O(names) besides.
func (m *members) apply(ch Change) (changed bool) {
	if m.of == nil {
		return false
	}
	if m.shared {
		m.counts, m.shared = maps.Clone(m.counts), false
	}
	came := m.count(ch.New, 1)
	went := m.count(ch.Old, -1)
	return came || went
}

func (m *members) count(e *Entry, by int) (changed bool) {
	if e == nil {
		return false
	}
	for name := range m.of(e) {
		now := m.counts[name] + by
		if now == 0 {
			delete(m.counts, name)
		} else {
			m.counts[name] = now
		}
		changed = changed || now == 0 || now == by
	}
	return changed
}

// names returns the sorted names of the fields, id among them. A member whose name
// is nothing but underscores has none. O(names × log names).
func (m *members) names(id string) []string {
	if m.of == nil {
		return nil
	}
	names := []string{id}
	for name := range m.counts {
		if snake := ordering.Snake(name); snake != "" {
			names = append(names, snake)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
