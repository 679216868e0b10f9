package store

import (
	"math"
	"math/bits"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A bound is a place in a sequence of a single field: before all entries with the key,
// or after them.
type bound struct {
	key   sortkey.Key
	after bool
}

func lower(r ordering.Range) bound { return bound{r.From, r.FromExcluded} }
func upper(r ordering.Range) bound { return bound{r.To, r.ToIncluded} }

// A pivot function returns the item at a bound. Items that compare less are before the
// bound; so are equal ones if the bound is after its key. place is negative if no item is
// before the bound, positive if all items are, and zero otherwise.

func pivotNumber(b bound) (p item[int64], place int) {
	n, ok := b.key.AsInt()
	switch {
	case b.key.Compare(sortkey.Int(math.MinInt64)) < 0:
		return p, -1
	case b.key.Compare(sortkey.Int(math.MaxInt64)) > 0:
		return p, 1
	case !ok:
		return item[int64]{key: ceil(b.key)}, 0
	}
	return item[int64]{key: n, id: b.id()}, 0
}

func pivotBool(b bound) (p item[int64], place int) {
	if b.key.Compare(sortkey.Bool(true)) > 0 {
		return p, 1
	}
	n, _ := b.key.AsInt()
	return item[int64]{key: n, id: b.id()}, 0
}

func pivotText(b bound) (p item[string], place int) {
	s, ok := b.key.AsText()
	switch {
	case ok:
		return item[string]{key: s, id: b.id()}, 0
	case b.key.Compare(sortkey.Text("")) < 0:
		return p, -1
	}
	return p, 1
}

func pivotEncoded(b bound) (p item[string], place int) {
	return item[string]{key: string(b.key.Append(nil)), id: b.id()}, 0
}

func pivotID(b bound) (p item[struct{}], place int) {
	n, place := pivotNumber(b)
	if place != 0 {
		return p, place
	}
	if _, ok := b.key.AsInt(); !ok && b.after {
		n.key-- // an entry that equals the pivot of a bound after its key is before the bound
	}
	switch {
	case n.key < 0:
		return p, -1
	case n.key > math.MaxInt:
		return p, 1
	}
	return item[struct{}]{id: int(n.key)}, 0
}

// id returns an id that sorts an item with the key of the bound before or after all
// entries with the key.
func (b bound) id() int {
	if b.after {
		return math.MaxInt
	}
	return 0
}

// ceil returns the smallest int64 that is not less than a number between two of them.
func ceil(k sortkey.Key) int64 {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for low < high {
		middle := low&high + (low^high)>>1 // does not overflow
		if sortkey.Int(middle).Compare(k) < 0 {
			low = middle + 1
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

// search returns the position of the first item that is not before a place, or the
// number of items. O(log n) comparisons, O(log² n) in all.
func (t *tree[K]) search(before func(item[K]) bool) int {
	low, high := 0, t.len()
	slots := t.probes.get(minSearches, min(1<<bits.Len(uint(high)), maxProbes))
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
func (t *tree[K]) first(r ordering.Range, desc bool) (found *Entry) {
	from, to := lower(r), upper(r)
	low, lowPlace := t.pivot(from)
	high, highPlace := t.pivot(to)
	if lowPlace > 0 || highPlace < 0 {
		return nil
	}
	each := func(it item[K]) bool {
		tooLow := lowPlace == 0 && t.before(it, low, from.after)
		tooHigh := highPlace == 0 && !t.before(it, high, to.after)
		if tooLow || tooHigh {
			return desc && !tooLow || !desc && !tooHigh // it equals the pivot but is outside the range
		}
		found = it.entry
		return false
	}
	switch {
	case desc && highPlace > 0:
		t.items.Reverse(each)
	case desc:
		t.items.Descend(high, each)
	case lowPlace < 0:
		t.items.Scan(each)
	default:
		t.items.Ascend(low, each)
	}
	return found
}
