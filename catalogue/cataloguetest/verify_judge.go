package cataloguetest

import (
	"fmt"
	"strings"
)

// verdict is what is right for a client to do.
type verdict int

const (
	completes        verdict = iota // all records, no error
	completesOrFails                // either
	fails                           // an error
)

// judge says what was wrong, "" if nothing was.
func (v *verification) judge(p pathology, o outcome) string {
	switch {
	case o.fault != "":
		return o.fault
	case o.err != nil && p.right == completes:
		return fmt.Sprintf("returned an error where nothing is wrong (%s)", clipped(o.err.Error()))
	case o.err != nil:
		return ""
	case p.right == fails:
		return fmt.Sprintf("returned %d records and no error", len(o.ids))
	}
	return compareIDs(o.ids, v.stock.ids[:p.records], o.deleted)
}

// compareIDs says how what came differs from what is there. The record that was
// deleted meanwhile may have come or not.
func compareIDs(got, want []int, deleted int) string {
	missing := make(map[int]bool, len(want))
	for _, id := range want {
		missing[id] = true
	}
	seen := make(map[int]bool, len(got))
	for _, id := range got {
		switch {
		case seen[id]:
			return fmt.Sprintf("returned record %d twice and no error", id)
		case !missing[id]:
			return fmt.Sprintf("returned record %d, which the collection does not have, and no error", id)
		}
		seen[id] = true
		delete(missing, id)
	}
	delete(missing, deleted)
	for _, id := range want { // the first of them, by name
		if missing[id] {
			return fmt.Sprintf("returned %d of %d records, not %d, and no error", len(got), len(want), id)
		}
	}
	return ""
}

// clipped is the front of a text, in one line.
func clipped(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
