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

// A pivot function returns an item for a bound: the items that compare greater are after
// the bound, all others are before it. If all is set, every item is before the bound.

func pivotNumber(b bound) (p item[int64], all bool) {
	n, ok := b.key.AsInt() // of a boolean, too
	switch {
	case b.key.Compare(sortkey.Int(math.MaxInt64)) > 0:
		return p, true
	case ok && b.key.Compare(sortkey.Int(math.MinInt64)) >= 0:
		return item[int64]{key: n, id: b.id()}, false
	}
	return item[int64]{key: ceil(b.key)}, false
}

func pivotBool(b bound) (p item[int64], all bool) {
	n, _ := b.key.AsInt()
	return item[int64]{key: n, id: b.id()}, b.key.Compare(sortkey.Bool(true)) > 0
}

func pivotText(b bound) (p item[string], all bool) {
	if s, ok := b.key.AsText(); ok {
		return item[string]{key: s, id: b.id()}, false
	}
	return p, b.key.Compare(sortkey.Text("")) > 0
}

func pivotEncoded(b bound) (p item[string], all bool) {
	return item[string]{key: string(b.key.Append(nil)), id: b.id()}, false
}

func pivotID(b bound) (p item[struct{}], all bool) {
	n, all := pivotNumber(b)
	last := max(n.key, 0) // the last id before the bound; ids are positive
	if last > 0 && n.id == 0 {
		last--
	}
	return item[struct{}]{id: int(last)}, all || last > math.MaxInt
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
	p, all := t.pivot(b)
	if all {
		return t.len()
	}
	if at, ok := t.recent.find(t.kind, p); ok {
		return at
	}
	at := t.search(p)
	t.recent.add(&knownRank[K]{p, at})
	return at
}

func (t *tree[K]) position(e *Entry) int { return t.search(t.item(e)) - 1 }

// search returns the number of items that do not compare greater than a pivot. O(log n)
// comparisons, O(log² n) in all.
func (t *tree[K]) search(pivot item[K]) int {
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
		if t.less(pivot, it) {
			high = middle
		} else {
			low = middle + 1
			node++
		}
	}
	return low
}

// first descends the tree once. O(log n).
func (t *tree[K]) first(r ordering.Range, desc bool) (found *Entry) {
	low, none := t.pivot(lower(r))
	high, all := t.pivot(upper(r))
	each := func(it item[K]) bool {
		switch {
		case !t.less(low, it):
			return !desc
		case all || !t.less(high, it):
			found = it.entry
		}
		return false
	}
	switch {
	case none:
	case !desc:
		t.items.Ascend(low, each)
	case all:
		t.items.Reverse(each)
	default:
		t.items.Descend(high, each)
	}
	return found
}
