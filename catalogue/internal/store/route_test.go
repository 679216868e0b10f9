package store

import (
	"fmt"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// Up to maxRuns values are merged in an order that the index has for each of them. More are
// sorted.
func TestMergedRuns(t *testing.T) {
	c := newStore(t, newType(0), 70) // ten records for each number from 0 to 6
	ordered(t, c, "number,-text")
	numbers := make([]int, maxRuns+1)
	for i := range numbers {
		numbers[i] = 6 - i
	}
	texts := []string{"352", "919"} // of two records with number 1
	for len(texts) <= maxRuns/2 {
		texts = append(texts, fmt.Sprint("none ", len(texts)))
	}
	for _, row := range []struct {
		reason string
		where  []ordering.Condition
		terms  string
		want   string
	}{
		{"two values, by id", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "-id", "range of number: 20 of 70 records, merged in order"},
		{"as many as permitted", []ordering.Condition{ordering.OneOf("number", numbers[:maxRuns]...)}, "id", "range of number: 70 of 70 records, merged in order"},
		{"one more", []ordering.Condition{ordering.OneOf("number", numbers...), ordering.Less("id", 31)}, "note", "range of id: 30 of 70 records, filtered by number, then sorted"},
		{"one more, by id", []ordering.Condition{ordering.OneOf("number", numbers...)}, "id", "all 70 records, filtered by number, in order"},
		{"two values, by the next term", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "text,-id", "range of number: 20 of 70 records, merged in order"},
		{"two values, in the other direction", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "-text,id", "range of number: 20 of 70 records, merged in order"},
		{"two values that are in the order", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "number,-text", "range of number: 20 of 70 records, in order"},
		{"two values of a descending term", []ordering.Condition{ordering.Equal("number", 1), ordering.OneOf("text", "352", "919")}, "text,-id",
			"range of number,-text: 2 of 70 records, in order"},
		{"more runs than permitted", []ordering.Condition{ordering.OneOf("number", 1, 2), ordering.OneOf("text", texts...)}, "-text,id",
			"range of number,-text: 2 of 70 records, then sorted"},
		{"ranges are not merged", []ordering.Condition{ordering.Not(ordering.Equal("number", 1))}, "id", "all 70 records, filtered by number, in order"},
	} {
		q := Query{Where: conditions(t, row.where...), Terms: parse(row.terms)}
		if got, err := of(c).Explain(within(t), q); got != row.want || err != nil {
			t.Errorf("%s: Explain() = %q, %v, want %q", row.reason, got, err, row.want)
		}
		var entries []*Entry
		got := found(t, c, q)
		for _, id := range got {
			entries = append(entries, c.Get(id))
		}
		equal(t, row.reason, sorted(entries, row.terms), got)
	}
}
