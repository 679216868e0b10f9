package catalogue

import (
	"slices"
	"sync"

	"github.com/gobacklist/backlist/ordering"
)

// tables is one state of a collection: its trees and what is counted beside
// them. The collection's own is changed by writers; a fork of it is immutable
// in a snapshot.
//
// A change is made in the primary at once and in the orders later: when a reader
// asks for the order, or when it is maxLate changes behind. An order that nobody
// looks at is then written to a few changes at a time, and what a write costs
// does not grow with orders that others look at.
type tables struct {
	primary  *index[struct{}]
	lender   *sync.Mutex // of a clone's primary that is still the original's; nil: it is its own
	orders   []kept
	late     []change // the last changes, which orders may be without
	changes  int      // the number of the last change
	lastID   int      // the highest id ever used
	revision uint64   // counts the commits
	members  members
}

// maxLate is how many changes an order may be behind. A reader who asks for it
// has to wait until they are made.
const maxLate = 8

func newTables(open bool) tables {
	t := tables{primary: newPrimary()}
	if open {
		t.members = newMembers()
	}
	return t
}

// copyPrimary forks the primary. That writes to it (a tree's Copy does), so only
// its owner may call it: or, of one that is lent, who holds the lender's mutex.
func (t *tables) copyPrimary() *index[struct{}] {
	if t.lender != nil {
		t.lender.Lock()
		defer t.lender.Unlock()
	}
	return t.primary.copy()
}

// ownPrimary must be called before the primary is written to.
func (t *tables) ownPrimary() {
	if t.lender != nil {
		t.primary, t.lender = t.copyPrimary(), nil
	}
}

// fork is what a snapshot keeps of live tables. It writes to t, so only the
// owner may call it. O(orders), and what members.settle costs. A primary that is
// lent is never written to, and needs no copy.
func (t *tables) fork() tables {
	if t.members.settle() {
		t.orders = slices.DeleteFunc(slices.Clone(t.orders), t.gone)
	}
	f := *t
	if t.lender == nil {
		f.primary = t.primary.copy()
	}
	f.late = slices.Clip(t.late)
	f.orders = slices.Clone(t.orders)
	for i := range f.orders {
		f.orders[i].order = t.orders[i].share()
	}
	f.members.counts = nil
	return f
}

// share gives a fork of a live order that nobody writes to.
func (k *kept) share() order {
	if k.shared == nil {
		k.shared = k.order.fork()
	}
	return k.shared
}

// gone says that an order is by a member that no open record has any more.
func (t *tables) gone(k kept) bool {
	return slices.ContainsFunc(k.terms, func(term ordering.Term) bool {
		_, there := slices.BinarySearch(t.members.names, term.Field)
		return !there
	})
}

// rehearse takes the keys that a record's own methods have a part in before
// anything is touched: they may panic.
func (t *tables) rehearse(changes []change) {
	for _, k := range t.orders {
		if k.rehearse {
			for _, ch := range changes {
				k.order.rehearse(ch)
			}
		}
	}
}

// apply makes one change in the primary and what belongs to it. O(log n).
func (t *tables) apply(ch change) {
	t.ownPrimary()
	switch {
	case ch.new != nil && ch.new.id > t.lastID:
		t.primary.add(ch.new)
		t.lastID = ch.new.id
	default:
		t.primary.set(ch)
	}
	t.members.apply(openRecord(ch.old), openRecord(ch.new))
}

// note keeps a change that was made in the primary for the orders, and brings
// some of them up to date: each in its turn, so that none is more than maxLate
// behind and no step is long.
func (t *tables) note(ch change) {
	t.late = append(t.late, ch)
	t.changes++
	for i := t.changes % maxLate; i < len(t.orders); i += maxLate {
		t.settle(&t.orders[i], t.changes)
	}
	if len(t.late) < 4*maxLate {
		return
	}
	for i := range t.orders { // the list of them may have shifted
		if t.orders[i].upTo < t.changes-maxLate {
			t.settle(&t.orders[i], t.changes)
		}
	}
	t.late = append(make([]change, 0, 4*maxLate), t.late[3*maxLate:]...)
}

// settle makes in an order of live tables what it misses of the changes up to a
// number.
func (t *tables) settle(k *kept, upTo int) {
	if k.upTo < upTo {
		k.order.apply(t.missed(k, upTo))
		k.upTo, k.shared = upTo, nil
	}
}

// missed lists the changes up to a number that an order is without.
func (t *tables) missed(k *kept, upTo int) []change {
	if k.upTo >= upTo {
		return nil
	}
	first := t.changes - len(t.late)
	return t.late[k.upTo-first : upTo-first]
}

// entries lists all entries by id.
func (t *tables) entries() []*entry {
	return t.primary.page(make([]*entry, 0, t.primary.len()), 0, t.primary.len(), false)
}
