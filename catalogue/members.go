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
	counts map[string]int // by name on the wire
	names  []string       // in snake_case, sorted; replaced, never changed
}

func newMembers() members {
	return members{counts: map[string]int{}, names: []string{"id"}}
}

// writable gives counts of its own, for a fork that is written to.
func (m members) writable() members {
	return members{counts: maps.Clone(m.counts), names: m.names}
}

// apply counts one change; nil is no record. O(members), and O(all names) when
// a name comes or goes.
func (m *members) apply(old, new *resources.Record) {
	if m.counts == nil {
		return
	}
	before := len(m.counts)
	added := m.count(new, 1)
	removed := m.count(old, -1)
	if added || removed || len(m.counts) != before {
		m.rename()
	}
}

func (m *members) count(r *resources.Record, by int) (changed bool) {
	if r == nil {
		return false
	}
	for name := range r.All() {
		was := m.counts[name]
		if was+by == 0 {
			delete(m.counts, name)
		} else {
			m.counts[name] = was + by
		}
		changed = changed || was == 0 || was+by == 0
	}
	return changed
}

func (m *members) rename() {
	names := []string{"id"}
	for name := range m.counts {
		if snake := ordering.Snake(name); snake != "" { // a term must name something
			names = append(names, snake)
		}
	}
	slices.Sort(names)
	m.names = slices.Compact(names)
}

// openRecord is the record of an entry if it is an open one, else nil.
func openRecord[T any](e *entry[T]) *resources.Record {
	if e == nil {
		return nil
	}
	r, _ := any(&e.value).(*resources.Record)
	return r
}

// openField is a member of open records as a field: the member that is called
// what the service would write for that name, or else the first one that has
// this name in snake_case.
func openField(name string) ordering.Field[resources.Record] {
	if name == "id" {
		return ordering.Field[resources.Record]{Name: name, Wire: name, Kind: ordering.Integer,
			Key: func(r *resources.Record) ordering.Key { return ordering.Int(int64(r.ID)) }}
	}
	wire := ordering.Camel(name)
	return ordering.Field[resources.Record]{Name: name, Wire: wire, Key: func(r *resources.Record) ordering.Key {
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
