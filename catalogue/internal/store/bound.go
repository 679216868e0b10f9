package store

import (
	"math"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Condition restricts a field to ranges of keys, which are sorted and do not overlap.
type Condition struct {
	Field  string
	Ranges []ordering.Range
}

// one reports whether the condition permits one value only.
func (c *Condition) one() bool { return len(c.Ranges) == 1 && c.values() }

// values reports whether each range of the condition is a single value.
func (c *Condition) values() bool {
	for i := range c.Ranges {
		if c.Ranges[i].From.Compare(c.Ranges[i].To) != 0 {
			return false
		}
	}
	return true
}

func intersected(where []Condition) (list []Condition) {
	for _, c := range where {
		i := slices.IndexFunc(list, func(d Condition) bool { return d.Field == c.Field })
		if i < 0 {
			list = append(list, c)
		} else {
			list[i].Ranges = intersect(list[i].Ranges, c.Ranges)
		}
	}
	return list
}

// intersect returns the ranges of the keys that are in both lists of ranges.
func intersect(a, b []ordering.Range) (both []ordering.Range) {
	for len(a) > 0 && len(b) > 0 {
		r := a[0]
		if c := b[0].From.Compare(r.From); c > 0 || c == 0 && b[0].FromExcluded {
			r.From, r.FromExcluded = b[0].From, b[0].FromExcluded
		}
		c := b[0].To.Compare(r.To)
		if c < 0 || c == 0 && !b[0].ToIncluded {
			r.To, r.ToIncluded = b[0].To, b[0].ToIncluded
		}
		if d := r.From.Compare(r.To); d < 0 || d == 0 && !r.FromExcluded && r.ToIncluded {
			both = append(both, r)
		}
		if c < 0 || c == 0 && a[0].ToIncluded {
			b = b[1:]
		} else {
			a = a[1:]
		}
	}
	return both
}

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

// lastID returns the last id before a bound of a sequence by id, or 0 if none exists. Ids
// are positive.
func lastID(b bound) int {
	n, id, all := b.number()
	last := max(n, 0)
	switch {
	case all || last > math.MaxInt:
		return math.MaxInt
	case last > 0 && id == 0:
		return int(last) - 1
	}
	return int(last)
}

// number returns the number and the id after which a bound is in a sequence by numbers, or
// reports that all numbers are before it.
func (b bound) number() (n int64, id int, all bool) {
	n, ok := b.key.AsInt() // of a boolean, too
	switch {
	case b.key.Compare(sortkey.Int(math.MaxInt64)) > 0:
		return 0, 0, true
	case ok && b.key.Compare(sortkey.Int(math.MinInt64)) >= 0:
		return n, b.id, false
	}
	return ceil(b.key), 0, false
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
