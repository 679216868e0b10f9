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

func (ch change) kind() ChangeKind {
	switch {
	case ch.old == nil:
		return Inserted
	case ch.new == nil:
		return Deleted
	}
	return Updated
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

// difference lists, by id, the changes from some entries to others, both sorted
// by id. Every record that is among both is one.
func difference(before, after []*entry) (changes []change) {
	for len(before) > 0 || len(after) > 0 {
		var ch change
		if len(after) == 0 || len(before) > 0 && before[0].id <= after[0].id {
			ch.old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.old == nil || ch.old.id == after[0].id) {
			ch.new, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
}
