package store

import (
	"math/bits"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// probes remembers the items at the positions that every binary search reads first, so
// that a search descends the tree only for the last few. The next write to the index
// drops them.
type probes[K any] struct {
	searches atomic.Int32 // since the last write
	slots    atomic.Pointer[[]atomic.Pointer[item[K]]]
}

const (
	maxProbes   = 4096 // the items of at most 12 steps
	minSearches = 8    // before the first items are remembered
)

// remembered returns the slots for an index of n items, or nil if there were too few searches.
func (p *probes[K]) remembered(n int) []atomic.Pointer[item[K]] {
	if s := p.slots.Load(); s != nil {
		return *s
	}
	if p.searches.Add(1) < minSearches {
		return nil
	}
	s := make([]atomic.Pointer[item[K]], min(1<<bits.Len(uint(n)), maxProbes))
	p.slots.CompareAndSwap(nil, &s)
	return *p.slots.Load()
}

func (p *probes[K]) drop() {
	if p.searches.Load() != 0 {
		p.searches.Store(0)
		p.slots.Store(nil)
	}
}

// search returns the position of the first item that is not before a place, or the
// number of items. O(log n) comparisons, O(log² n) in all.
func (t *tree[K]) search(before func(item[K]) bool) int {
	low, high := 0, t.len()
	slots := t.probes.remembered(high)
	for node := 1; low < high; { // numbers the positions as the nodes of a binary heap
		middle := int(uint(low+high) >> 1)
		var it item[K]
		if node >= len(slots) {
			it, _ = t.items.GetAt(middle)
		} else if kept := slots[node].Load(); kept != nil {
			it = *kept
		} else {
			it, _ = t.items.GetAt(middle)
			slots[node].Store(&item[K]{it.key, it.id, it.entry})
		}
		node *= 2
		if before(it) {
			low = middle + 1
			node++
		} else {
			high = middle
		}
	}
	return low
}

func (t *tree[K]) rank(b bound) int {
	p, place := t.pivot(b)
	if place != 0 {
		return (place + 1) / 2 * t.len()
	}
	if at, ok := t.recent.find(t.kind, p, b.after); ok {
		return at
	}
	at := t.search(func(it item[K]) bool { return t.before(it, p, b.after) })
	t.recent.add(&knownRank[K]{p, b.after, at})
	return at
}

// recent remembers the last ranks, because the pages of one selection and their count have
// the same bounds. The next write to the index drops them.
type recent[K any] struct {
	next atomic.Uint32
	all  [8]atomic.Pointer[knownRank[K]]
}

// A knownRank is the position of a bound.
type knownRank[K any] struct {
	pivot item[K]
	after bool
	at    int
}

func (r *recent[K]) find(k *kind[K], pivot item[K], after bool) (at int, ok bool) {
	for i := range min(r.next.Load(), uint32(len(r.all))) {
		if b := r.all[i].Load(); b != nil && b.after == after && k.compare(b.pivot, pivot) == 0 {
			return b.at, true
		}
	}
	return 0, false
}

func (r *recent[K]) add(b *knownRank[K]) {
	r.all[(r.next.Add(1)-1)%uint32(len(r.all))].Store(b)
}

func (r *recent[K]) drop() {
	if r.next.Load() != 0 {
		*r = recent[K]{}
	}
}

// before reports whether an item is before the bound of a pivot.
func (t *tree[K]) before(it, pivot item[K], after bool) bool {
	c := t.compare(it, pivot)
	return c < 0 || c == 0 && after
}

func (t *tree[K]) position(e *Entry) int {
	p := t.item(e)
	return t.search(func(it item[K]) bool { return t.compare(it, p) < 0 })
}

// first descends the tree once. O(log n).
func (t *tree[K]) first(r ordering.Range, desc bool) *Entry {
	from, to := lower(r), upper(r)
	low, lowPlace := t.pivot(from)
	high, highPlace := t.pivot(to)
	if lowPlace > 0 || highPlace < 0 {
		return nil
	}
	var found item[K]
	if desc {
		if highPlace > 0 {
			found, _ = t.items.Max()
		} else {
			t.items.Descend(high, func(it item[K]) bool {
				if t.before(it, high, to.after) {
					found = it
				}
				return found.entry == nil // an item at the bound may be after it
			})
		}
		if lowPlace == 0 && t.before(found, low, from.after) {
			return nil
		}
		return found.entry
	}
	if lowPlace < 0 {
		found, _ = t.items.Min()
	} else {
		t.items.Ascend(low, func(it item[K]) bool {
			if !t.before(it, low, from.after) {
				found = it
			}
			return found.entry == nil // an item at the bound may be before it
		})
	}
	if highPlace == 0 && !t.before(found, high, to.after) {
		return nil
	}
	return found.entry
}

// dropCaches drops what readers remember of the tree. It must be called before each
// write to it.
func (t *tree[K]) dropCaches() {
	t.parts.drop()
	t.probes.drop()
	t.recent.drop()
}
