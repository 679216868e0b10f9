package cataloguetest

import (
	"fmt"
	"strings"
)

// A verdict is what a client is permitted to do.
type verdict int

const (
	completes        verdict = iota // return all records and no error
	completesOrFails                // return all records or an error
	fails                           // return an error
)

// judge returns what the client did wrong, or "" if nothing.
func (v *verification) judge(p pathology, o outcome) string {
	switch {
	case o.failure != "":
		return o.failure
	case o.err != nil && p.want == completes:
		return fmt.Sprintf("returned an error although nothing is wrong (%s)", truncateText(o.err.Error()))
	case o.err != nil:
		return ""
	case p.want == fails:
		return fmt.Sprintf("returned %d records and no error", len(o.ids))
	}
	return compareIDs(o.ids, v.data.ids[:p.records], o.deleted)
}

// compareIDs returns how the ids differ, or "" if they do not. The record that was
// deleted is optional.
func compareIDs(got, want []int, deleted int) string {
	missing := make(map[int]bool, len(want))
	for _, id := range want {
		missing[id] = true
	}
	seen := make(map[int]bool, len(got))
	for _, id := range got {
		switch {
		case seen[id]:
			return fmt.Sprintf("returned the record with the id %d twice and no error", id)
		case !missing[id]:
			return fmt.Sprintf("returned a record with the id %d, which is not in the collection, and no error", id)
		}
		seen[id] = true
		delete(missing, id)
	}
	delete(missing, deleted)
	for _, id := range want { // report the first
		if missing[id] {
			return fmt.Sprintf("returned %d of %d records, without the one with the id %d, and no error", len(got), len(want), id)
		}
	}
	return ""
}

// truncateText returns the beginning of a text in one line.
func truncateText(text string) string {
	return truncateLine(strings.Join(strings.Fields(text), " "))
}
