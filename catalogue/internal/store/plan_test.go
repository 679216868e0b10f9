package store

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// Explain describes the range that is read, the filters, and whether there is a sort.
func TestExplain(t *testing.T) {
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
		c := newStore(t, newType(0), 70) // ten records for each number from 0 to 6
		for what, p := range map[string]Source{"store": c, "state": c.Current(), "old state": oldStateOf(c)} {
			q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
			got, err := of(p).Explain(within(t), q)
			if got != row.want || err != nil {
				t.Errorf("%s, %s: Explain() = %q, %v, want %q", row.reason, what, got, err, row.want)
			}
		}
	}
}

// oldStateOf returns the current state of a clone of a store, which has a later state.
func oldStateOf(c *Store) *State { return oldState(Clone(c)[0]) }

// A query that one record answers reads that record, and makes no index or sequence.
func TestPlanOfOneRecord(t *testing.T) {
	typ := newType(0)
	typ.Unique = [][]string{{"note"}}
	c := New(typ)
	for i := range 3000 {
		note := strconv.Itoa(i)
		put(c, &record{number: int64(i % 7), text: "x", note: &note})
	}
	for _, one := range []ordering.Condition{ordering.Equal("id", 6), ordering.Equal("note", "5")} {
		for _, other := range []ordering.Condition{ordering.Equal("text", "x"), ordering.Less("number", 3), ordering.Greater("text", "y")} {
			for what, p := range map[string]Source{"store": c, "state": c.Current(), "old state": oldState(c)} {
				q := Query{Where: conditions(t, other, one), Terms: parse("text")}
				found(t, p, q)
				if text, _ := of(p).Explain(within(t), q); !strings.Contains(text, ": 1 of ") {
					t.Errorf("%s: %v, %v: %s", what, one, other, text)
				}
				if s, ok := p.(*State); ok && len(s.sorted.all) > 0 {
					t.Errorf("%s: %v, %v: all records were sorted", what, one, other)
				}
			}
		}
	}
	equal(t, "indexes", []string{"note"}, indexed(c))
	for range 3 {
		put(c, &record{number: 100})
	}
	ordered(t, c, "number")
	few := Query{Where: conditions(t, ordering.AtLeast("number", 100), ordering.Equal("note", "5")), Terms: parse("number")}
	if text, _ := of(c).Explain(within(t), few); !strings.HasPrefix(text, "range of note: 1 of ") {
		t.Errorf("three records in order are read in place of one: %s", text)
	}
}

// A condition on a field whose keys are too large for an index is a filter. The records are
// not sorted for each state.
func TestPlanOfLargeKeys(t *testing.T) {
	large := func(id int) *string {
		note := strings.Repeat("x", 2*maxPerRecord) + strconv.Itoa(id)
		return &note
	}
	counting := newCountingStore(t, 200, large)
	of(counting).Count(within(t), Query{Where: conditions(t, ordering.Equal("note", *large(7)))})
	if n := counting.keysOf()["note"]; n > 2*200 {
		t.Errorf("the first condition computes %d keys of 200 records", n)
	}
	c := newStore(t, newType(0), 0)
	for i := range 200 {
		note := strings.Repeat("x", 2*maxPerRecord) + strconv.Itoa(i)
		put(c, &record{note: &note})
	}
	q := Query{Where: conditions(t, ordering.Equal("note", strings.Repeat("x", 2*maxPerRecord)+"7"))}
	for i := range 10 {
		if n, err := of(c).Count(within(t), q); n != 1 || err != nil {
			t.Errorf("Count() = %d, %v, want 1", n, err)
		}
		if s := c.Current(); len(s.sorted.all) > 0 {
			t.Fatalf("all records were sorted after %d writes", i)
		}
		c.Batch(func(tx *Tx) error {
			tx.Write(Change{Old: tx.Get(1), New: &(&record{Entry: Entry{1}}).Entry})
			if n, err := of(tx).Count(within(t), q); n != 1 || err != nil || len(tx.draft.sorted.all) > 0 {
				t.Errorf("in a batch: Count() = %d, %v, want 1; %d sorts", n, err, len(tx.draft.sorted.all))
			}
			return nil
		})
	}
	replace(Replacement{Store: c, Entries: entriesOf(&record{Entry: Entry{1}}, &record{Entry: Entry{2}})})
	if text, _ := of(c).Explain(within(t), Query{Where: conditions(t, ordering.IsNull("note"))}); text != "range of note: 2 of 2 records, in order" {
		t.Error(text)
	}
}

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
