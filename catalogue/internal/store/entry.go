package store

import "cmp"

// An Entry is a stored record whose type the store does not know: it is the
// first field of the struct that holds the record. An Entry never changes once
// it is in a tree.
type Entry struct{ ID int }

// A Change is what a write does to one record. Old is nil if the record is
// inserted, New if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. The zero Change has none.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes from the entries before to those after, both
// sorted by id. A record that is in both is a change, too.
func difference(before, after []*Entry) (changes []Change) {
	for len(before) > 0 || len(after) > 0 {
		var ch Change
		if len(after) == 0 || len(before) > 0 && before[0].ID <= after[0].ID {
			ch.Old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.Old == nil || ch.Old.ID == after[0].ID) {
			ch.New, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
}
