package store

import (
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// Explain describes the range that is read, the filters, and whether there is a sort.
func TestExplain(t *testing.T) {
	c := newStore(t, newType(0), 70) // ten records for each number from 0 to 6
	for _, row := range []struct {
		reason string
		list   []ordering.Condition
		terms  string
		want   string
	}{
		{"no condition", nil, "", "all 70 records, in order"},
		{"no condition, in an order", nil, "-number,text", "all 70 records, in order"},
		{"one condition in its order", []ordering.Condition{ordering.Less("number", 2)}, "-number", "range of number: 20 of 70 records, in order"},
		{"one value, by id", []ordering.Condition{ordering.Equal("number", 2)}, "-id", "range of number: 10 of 70 records, in order"},
		{"one value, in its order and by id", []ordering.Condition{ordering.Equal("number", 2)}, "number,-id", "range of number: 10 of 70 records, in order"},
		{"one value, the order ends with the ids", []ordering.Condition{ordering.Equal("number", 2)}, "-number,id", "range of number: 10 of 70 records, in order"},
		{"the default order is by id", []ordering.Condition{ordering.Equal("number", 2)}, "", "range of number: 10 of 70 records, in order"},
		{"a range of ids", []ordering.Condition{ordering.Greater("id", 60)}, "-id", "range of id: 10 of 70 records, in order"},
		{"several values are not in the order of the ids", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "note", "range of number: 20 of 70 records, then sorted"},
		{"another order", []ordering.Condition{ordering.Equal("number", 2)}, "text", "range of number: 10 of 70 records, then sorted"},
		{"more terms after the field", []ordering.Condition{ordering.Equal("number", 2)}, "number,text", "range of number: 10 of 70 records, then sorted"},
		{"the smallest range is read", []ordering.Condition{ordering.Less("number", 3), ordering.Equal("id", 5)}, "id", "range of id: 1 of 70 records, filtered by number, in order"},
		{"in the order of the larger range", []ordering.Condition{ordering.Less("number", 3), ordering.Equal("id", 5)}, "number", "range of id: 1 of 70 records, filtered by number, then sorted"},
		{"two filters", []ordering.Condition{ordering.NotNull("number"), ordering.NotNull("text"), ordering.Less("id", 8)}, "id",
			"range of id: 7 of 70 records, filtered by number and text, in order"},
		{"three filters", []ordering.Condition{ordering.IsNull("note"), ordering.NotNull("number"), ordering.NotNull("text"), ordering.Less("id", 8)}, "-text",
			"range of id: 7 of 70 records, filtered by note and number and text, then sorted"},
		{"several conditions on one field", []ordering.Condition{ordering.Less("number", 3), ordering.Greater("number", 1)}, "number", "range of number: 10 of 70 records, in order"},
		{"no record", []ordering.Condition{ordering.Greater("number", 6)}, "number", "range of number: 0 of 70 records, in order"},
		{"no condition is selective", []ordering.Condition{ordering.Less("number", 6), ordering.NotNull("text")}, "-id", "all 70 records, filtered by number and text, in order"},
		{"not selective, but the order has no index", []ordering.Condition{ordering.Less("number", 6)}, "note,text", "range of number: 60 of 70 records, then sorted"},
	} {
		for what, p := range map[string]finder{"store": c, "state": c.Current(), "old state": oldStateOf(c)} {
			q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
			got, err := p.Explain(within(t), q)
			if got != row.want || err != nil {
				t.Errorf("%s, %s: Explain() = %q, %v, want %q", row.reason, what, got, err, row.want)
			}
		}
	}
}

// oldStateOf returns the current state of a clone of a store, which has a later state.
func oldStateOf(c *Store) *State { return oldState(Clone(c)[0]) }
