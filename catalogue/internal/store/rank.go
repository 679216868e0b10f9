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
	slots := t.remembered(high)
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
	return t.search(func(it item[K]) bool { return t.before(it, p, b.after) })
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
	var found item[K]
	take := func(it item[K]) bool { found = it; return false }
	switch {
	case lowPlace > 0 || highPlace < 0:
	case !desc && lowPlace < 0:
		found, _ = t.items.Min()
	case !desc:
		t.items.Ascend(low, func(it item[K]) bool { return t.before(it, low, from.after) || take(it) })
	case highPlace > 0:
		found, _ = t.items.Max()
	default:
		t.items.Descend(high, func(it item[K]) bool { return !t.before(it, high, to.after) || take(it) })
	}
	switch {
	case found.entry == nil,
		lowPlace == 0 && t.before(found, low, from.after),
		highPlace == 0 && !t.before(found, high, to.after):
		return nil
	}
	return found.entry
}

// dropCaches drops what readers remember of the tree. It must be called before each
// write to it.
func (t *tree[K]) dropCaches() {
	t.parts.drop()
	t.probes.drop()
}
