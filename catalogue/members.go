package catalogue

import (
	"maps"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// members says which members the open records of a collection have: those are
// its fields. Only a writer's own has counts; a snapshot's has the names alone.
type members struct {
	counts  map[string]int // by name on the wire
	names   []string       // in snake_case, sorted; replaced, never changed
	changed bool           // names are no longer those that are counted
	shared  bool           // counts belong to others too, and are copied before they change
}

func newMembers() members {
	return members{counts: map[string]int{}, names: []string{"id"}}
}

// writable gives counts of its own, for a fork that is written to. O(names).
func (m members) writable() members {
	m.counts, m.shared = maps.Clone(m.counts), false
	return m
}

// share gives a fork that is written to, if ever, when it has copied the counts.
// So has m from now on. O(1).
func (m *members) share() members {
	m.shared = m.counts != nil
	return *m
}

// apply counts one change; nil is no record. O(members), the first time after
// share O(names) besides.
func (m *members) apply(old, new *resources.Record) {
	if m.counts != nil {
		if m.shared {
			*m = m.writable()
		}
		m.count(new, 1)
		m.count(old, -1)
	}
}

func (m *members) count(r *resources.Record, by int) {
	if r == nil {
		return
	}
	for name := range r.All() {
		now := m.counts[name] + by
		if now == 0 {
			delete(m.counts, name)
		} else {
			m.counts[name] = now
		}
		m.changed = m.changed || now == 0 || now == by
	}
}

// settle brings the names up to date, and tells whether that took anything.
// O(names × log names) if one came or went since, else O(1).
func (m *members) settle() bool {
	if !m.changed {
		return false
	}
	names := []string{"id"}
	for name := range m.counts {
		if snake := ordering.Snake(name); snake != "" { // a term must name something
			names = append(names, snake)
		}
	}
	slices.Sort(names)
	m.names, m.changed = slices.Compact(names), false
	return true
}

// openRecord is the record of an entry if it is an open one, else nil.
func openRecord(e *entry) *resources.Record {
	if e == nil {
		return nil
	}
	r, _ := e.value.(*resources.Record)
	return r
}

// openField is a member of open records as a field: the member that is called
// what the service would write for that name, or else the first one that has
// this name in snake_case.
func openField(name string) ordering.Field[entry] {
	if name == "id" {
		return ordering.Field[entry]{Name: name, Kind: ordering.Integer,
			Key: func(e *entry) ordering.Key { return ordering.Int(int64(e.id)) }}
	}
	wire := ordering.Camel(name)
	return ordering.Field[entry]{Name: name, Key: func(e *entry) ordering.Key {
		r := openRecord(e)
		if text, ok := r.Get(wire); ok {
			return ordering.JSON(text)
		}
		for member, text := range r.All() {
			if ordering.Snake(member) == name {
				return ordering.JSON(text)
			}
		}
		return ordering.Null()
	}}
}
