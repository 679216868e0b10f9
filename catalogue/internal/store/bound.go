package store

import (
	"math"

	"github.com/gobacklist/backlist/ordering"
)

// A bound is a place in a sequence of a single field: before all entries with the key,
// or after them.
type bound struct {
	key   ordering.Key
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
	case b.key.Compare(ordering.Int(math.MinInt64)) < 0:
		return p, -1
	case b.key.Compare(ordering.Int(math.MaxInt64)) > 0:
		return p, 1
	case !ok:
		return item[int64]{key: ceil(b.key)}, 0
	}
	return item[int64]{key: n, id: b.id()}, 0
}

func pivotBool(b bound) (p item[int64], place int) {
	if b.key.Compare(ordering.Bool(true)) > 0 {
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
	case b.key.Compare(ordering.Text("")) < 0:
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
func ceil(k ordering.Key) int64 {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for low < high {
		middle := low&high + (low^high)>>1 // does not overflow
		if ordering.Int(middle).Compare(k) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
