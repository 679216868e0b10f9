package store

import (
	"math"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A bound is a place in a sequence: after the entries that have a key and an id of at most
// id, and before the others with the key. In an index by several terms, the key is of one
// term, and prefix has the encoded keys of the terms before it.
type bound struct {
	prefix []byte
	key    sortkey.Key
	desc   bool // the term is descending
	id     int  // 0 if the bound is before all entries with the key, beforeNext if it is after all
}

// beforeNext is the id of a bound after all entries with its key.
const beforeNext = math.MaxInt

// bounds returns the places before and after the entries that have a key in a range, among
// those with a prefix.
func bounds(r ordering.Range, desc bool, prefix []byte) (from, to bound) {
	from, to = bound{prefix, r.From, desc, 0}, bound{prefix, r.To, desc, 0}
	if r.FromExcluded {
		from.id = beforeNext
	}
	if r.ToIncluded {
		to.id = beforeNext
	}
	if !desc {
		return from, to
	}
	from.id, to.id = beforeNext-from.id, beforeNext-to.id
	return to, from
}

// A pivot function returns an item for a bound: the items that compare greater are after
// the bound, all others are before it. If all is set, every item is before the bound.

func pivotNumber(b bound) (p item[int64], all bool) {
	n, ok := b.key.AsInt() // of a boolean, too
	switch {
	case b.key.Compare(sortkey.Int(math.MaxInt64)) > 0:
		return p, true
	case ok && b.key.Compare(sortkey.Int(math.MinInt64)) >= 0:
		return item[int64]{key: n, id: b.id}, false
	}
	return item[int64]{key: ceil(b.key)}, false
}

func pivotBool(b bound) (p item[int64], all bool) {
	n, _ := b.key.AsInt()
	return item[int64]{key: n, id: b.id}, b.key.Compare(sortkey.Bool(true)) > 0
}

func pivotInstant(b bound) (p item[instant], all bool) {
	if _, ok := b.key.AsTime(); ok {
		return item[instant]{key: instantOf(b.key), id: b.id}, false
	}
	return item[instant]{key: instant{seconds: math.MinInt64}}, b.key.Compare(sortkey.Time(time.Time{})) > 0
}

func pivotText(b bound) (p item[text], all bool) {
	if s, ok := b.key.AsText(); ok {
		return item[text]{key: textOf(s), id: b.id}, false
	}
	return p, b.key.Compare(sortkey.Text("")) > 0
}

// pivotEncoded returns an item with the key of the bound. If the bound is after all keys that
// begin with it, 0xff follows: no encoding begins with that byte, nor does an inverted one.
func pivotEncoded(b bound) (p item[text], all bool) {
	var room [64]byte
	key := appendKey(append(room[:0], b.prefix...), b.key, b.desc)
	if b.id == beforeNext {
		return item[text]{key: textOf(string(append(key, 0xff)))}, false
	}
	return item[text]{key: textOf(string(key)), id: b.id}, false
}

func pivotID(b bound) (p item[struct{}], all bool) {
	id := lastID(b)
	return item[struct{}]{id: id}, id == math.MaxInt
}

// lastID returns the last id before a bound of a sequence by id, or 0 if none exists. Ids
// are positive.
func lastID(b bound) int {
	n, all := pivotNumber(b)
	last := max(n.key, 0)
	switch {
	case all || last > math.MaxInt:
		return math.MaxInt
	case last > 0 && n.id == 0:
		return int(last) - 1
	}
	return int(last)
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
	return t.search(p)
}

func (t *tree[K]) position(e *Entry) int { return t.search(t.item(e)) - 1 }

// first descends the tree once. O(log n).
func (t *tree[K]) first(from, to bound, desc bool) (found *Entry) {
	low, none := t.pivot(from)
	high, all := t.pivot(to)
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
