package catalogue

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// tables is one state of a collection: its trees and what is counted beside
// them. The collection's own is changed by writers; a fork of it is immutable
// in a snapshot and private in a transaction.
type tables struct {
	primary  *index[struct{}]
	orders   []kept // never changed in place
	lastID   int    // the highest id ever used
	revision uint64 // counts the commits
	members  members
}

func newTables(open bool) tables {
	t := tables{primary: newPrimary()}
	if open {
		t.members = newMembers()
	}
	return t
}

// fork shares all nodes with t until one of the two writes. It writes to t (a
// tree's Copy does), so only the owner may call it. A fork that is to be
// written to needs the owner's counts of members besides. O(orders), and what
// members.settle costs.
func (t *tables) fork() tables {
	if t.members.settle() {
		t.orders = slices.DeleteFunc(slices.Clone(t.orders), t.gone)
	}
	f := *t
	f.primary = t.primary.copy()
	f.orders = slices.Clone(t.orders)
	for i := range f.orders {
		f.orders[i].order = f.orders[i].order.fork()
	}
	f.members.counts = nil
	return f
}

// gone says that an order is by a member that no open record has any more.
func (t *tables) gone(k kept) bool {
	return slices.ContainsFunc(k.terms, func(term ordering.Term) bool {
		_, there := slices.BinarySearch(t.members.names, term.Field)
		return !there
	})
}

// apply makes one change in every tree. Keys that a record's own methods have a
// part in are taken before anything is touched: they may panic.
// O(orders × log n).
func (t *tables) apply(ch change) {
	for _, k := range t.orders {
		if k.rehearse {
			k.order.rehearse(ch)
		}
	}
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
func (t *tables) entries() []*entry {
	return t.primary.page(make([]*entry, 0, t.primary.len()), 0, t.primary.len(), false)
}
