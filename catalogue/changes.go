package catalogue

import (
	"cmp"
	"slices"
)

// change is one write: an insert has no old entry, a delete no new one.
type change struct {
	old, new *entry
}

func (ch change) id() int {
	if ch.new != nil {
		return ch.new.id
	}
	return ch.old.id
}

// net joins the changes of each record, made one after the other, into one.
func net(changes []change) []change {
	joined := slices.Clone(changes)
	slices.SortStableFunc(joined, func(a, b change) int { return cmp.Compare(a.id(), b.id()) })
	n := 0
	for _, ch := range joined {
		if n > 0 && joined[n-1].id() == ch.id() {
			joined[n-1].new = ch.new
			if joined[n-1].old == nil && ch.new == nil {
				n-- // it came and went
			}
			continue
		}
		joined[n] = ch
		n++
	}
	return joined[:n]
}
