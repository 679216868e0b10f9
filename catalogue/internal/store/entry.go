package store

import "cmp"

// An Entry represents a stored record. It is the first field of a struct that
// contains the record, whose type is unknown to the store. An Entry in a tree must
// not be modified.
type Entry struct{ ID int }

// A Change is the effect of a write on one record. Old is nil if the record is
// inserted. New is nil if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. It panics if ch is the zero Change.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes that turn the entries before into those after.
// Both are sorted by id. Every record in before or after has a change.
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
