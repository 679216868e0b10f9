package ordering

import (
	"math"
	"slices"
)

// A Range is a range of keys. It includes From unless FromExcluded is set, and excludes
// To unless ToIncluded is set. The zero Range is empty.
type Range struct {
	From, To                 Key
	FromExcluded, ToIncluded bool
}

// Contains reports whether a key is in the range. The cost is that of [Key.Compare].
func (r Range) Contains(k Key) bool {
	from, to := k.Compare(r.From), k.Compare(r.To)
	return (from > 0 || from == 0 && !r.FromExcluded) && (to < 0 || to == 0 && r.ToIncluded)
}

// InRanges reports whether a key is in one of several ranges, which must be sorted and not
// overlap, as those of [Condition.Ranges]. O(log n) comparisons.
func InRanges(ranges []Range, k Key) bool {
	if len(ranges) > 2 {
		i, _ := slices.BinarySearchFunc(ranges, k, func(r Range, k Key) int { return r.To.Compare(k) })
		ranges = ranges[i:min(i+2, len(ranges))] // the first may end before k, where the second begins
	}
	for _, r := range ranges {
		if r.Contains(k) {
			return true
		}
	}
	return false
}

// all returns the range of all keys of a kind, except NaN.
func (k kind) all() Range {
	switch k {
	case boolean:
		return Range{From: Bool(false), To: Bool(true), ToIncluded: true}
	case number:
		return Range{From: Float(math.Inf(-1)), To: Float(math.Inf(1)), ToIncluded: true}
	case instant:
		return Range{From: Key{kind: instant, num: math.MinInt64}, To: Text("")}
	case text:
		return Range{From: Text(""), To: List()}
	case list:
		return Range{From: List(), To: Object("")}
	case object:
		return Range{From: Object(""), To: Null()}
	}
	return Range{From: Null(), To: Null(), ToIncluded: true}
}
