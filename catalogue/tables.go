package catalogue

import "slices"

// tables is one state of a collection: its trees and what is counted beside
// them. The collection's own is changed by writers; a fork of it is immutable
// in a [Snapshot] and private in a [Tx].
type tables[T any] struct {
	primary  *index[struct{}, T]
	orders   []kept[T] // never changed in place
	lastID   int       // the highest id ever used
	revision uint64    // counts the commits
	members  members   // names of members, of open records only
}

func newTables[T any](open bool) tables[T] {
	t := tables[T]{primary: newPrimary[T]()}
	if open {
		t.members = newMembers()
	}
	return t
}

// fork shares all nodes with t until one of the two writes. It writes to t (a
// tree's Copy does), so only the owner may call it. A fork that is to be
// written to needs the owner's counts of members besides. O(orders).
func (t *tables[T]) fork() tables[T] {
	f := *t
	f.primary = t.primary.copy()
	f.orders = slices.Clone(t.orders)
	for i := range f.orders {
		f.orders[i].order = f.orders[i].order.fork()
	}
	f.members = members{names: t.members.names}
	return f
}

// apply makes one change in every tree. O(orders × log n).
func (t *tables[T]) apply(ch change[T]) {
	t.primary.apply(ch)
	for _, k := range t.orders {
		k.order.apply(ch)
	}
	if ch.new != nil {
		t.lastID = max(t.lastID, ch.new.id)
	}
	t.members.apply(openRecord(ch.old), openRecord(ch.new))
}

// entries lists all entries by id.
func (t *tables[T]) entries() []*entry[T] {
	return t.primary.page(make([]*entry[T], 0, t.primary.len()), 0, t.primary.len(), false)
}
