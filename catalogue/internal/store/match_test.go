package store

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A function of a query restricts the records together with conditions, whatever the
// order.
func TestPageMatch(t *testing.T) {
	c := newCounted(t, 40, nil)
	even := Condition{Field: "text", Ranges: []ordering.Range{{From: ordering.Text("even"), To: ordering.Text("even"), ToIncluded: true}}}
	third := func(e *Entry) bool { return e.ID%3 == 0 }
	for _, row := range []struct {
		reason string
		where  []Condition
		terms  string
		want   []int
	}{
		{"all records, by id", nil, "", []int{3, 6, 9, 12}},
		{"all records, in descending order", nil, "-id", []int{39, 36, 33, 30}},
		{"all records, in an order without an index", nil, "-number", []int{39, 36, 33, 30}},
		{"a condition", []Condition{even}, "", []int{6, 12, 18, 24}},
		{"a condition in another order", []Condition{even}, "-number", []int{36, 30, 24, 18}},
	} {
		q := Query{Where: row.where, Terms: parse(row.terms), Window: pagination.Window{Limit: 4}, Match: third}
		for range 2 { // the second time there are indexes
			entries, count, err := c.Page(t.Context(), q)
			var ids []int
			for _, e := range entries {
				ids = append(ids, e.ID)
			}
			all := 13
			if row.where != nil {
				all = 6
			}
			if diff := cmp.Diff(row.want, ids); err != nil || count != all || diff != "" {
				t.Errorf("%s: error %v, count %d, want %d, ids (-want +got):\n%s", row.reason, err, count, all, diff)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := c.Page(ended, Query{Match: third}); !errors.Is(err, context.Canceled) {
		t.Errorf("Page with an ended context: error %v", err)
	}
}
