package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The count, the page, the first record and the position of a query belong to one state.
// Each write exchanges the numbers of records, so that every state has as many records
// with each number.
func TestConcurrentFind(t *testing.T) {
	const records, numbers = 300, 5
	c := newStore(t, newSchema(0), 0)
	for i := range records {
		put(c, &record{number: int64(i % numbers), text: []string{"even", "odd"}[i/numbers%2]})
	}
	rng := random(t)
	write := func() {
		for i := range 2000 {
			n := 1 + rng.IntN(3)
			if i%20 == 0 {
				n = 2 * fewChanges
			}
			ids := rng.Perm(records)[:2*n]
			var changed []*record
			for j := 0; j < len(ids); j += 2 {
				a, b := *recordOf(c.Get(ids[j] + 1)), *recordOf(c.Get(ids[j+1] + 1))
				if a.text == b.text { // so that the pairs of number and text are as many too
					a.number, b.number = b.number, a.number
				}
				changed = append(changed, &a, &b)
			}
			putAll(c, changed...)
		}
	}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		number := int64(rng.IntN(numbers))
		list := []ordering.Condition{ordering.Equal("number", number)}
		want := records / numbers
		if rng.IntN(3) == 0 {
			list, want = append(list, ordering.Equal("text", "odd")), want/2
		}
		q := Query{
			Where: conditions(t, list...), Terms: parse([]string{"", "-id", "number", "text", "-number,text"}[rng.IntN(5)]),
			Window: pagination.Window{Limit: rng.IntN(80), Offset: rng.IntN(70)},
		}
		var p finder = c
		if rng.IntN(20) == 0 {
			p = c.Current()
		}
		return findOnce(t, p, q, number, len(list) > 1, want)
	})
}

// findOnce checks the results of a query for the records with a number and, if odd is
// set, the text "odd". There must be want such records.
func findOnce(t *testing.T, p finder, q Query, number int64, odd bool, want int) error {
	wrong := func(e *Entry) bool {
		return recordOf(e).number != number || odd && recordOf(e).text != "odd"
	}
	entries, count, err := p.Page(t.Context(), q)
	start, end := q.Window.Bounds(want)
	switch {
	case err != nil:
		return err
	case count != want || len(entries) != end-start:
		return fmt.Errorf("%d entries of %d, want %d of %d", len(entries), count, end-start, want)
	case slices.ContainsFunc(entries, wrong):
		return fmt.Errorf("a page has a record that does not satisfy the conditions: %v", ids(entries))
	}
	terms := ordering.Format(q.Terms)
	if terms == "" {
		terms = "id"
	}
	if got := ids(entries); !slices.Equal(got, sorted(entries, terms)) {
		return fmt.Errorf("%v is not sorted by %q", got, terms)
	}
	first, err := p.First(t.Context(), q)
	if err != nil || first == nil || wrong(first) {
		return fmt.Errorf("First() = %d, %v", idOf(first), err)
	}
	at, err := p.Position(t.Context(), first.ID, q)
	if s, isState := p.(*State); isState && (at != 0 || err != nil || s.Get(first.ID) != first) {
		return fmt.Errorf("the position of the first record of a state is %d, %v", at, err)
	}
	scan, err := p.Scan(t.Context(), q)
	if err != nil {
		return err
	}
	n := 0
	scan(func(e *Entry) bool { n++; return !wrong(e) })
	if n != want {
		return fmt.Errorf("a scan ended after %d records, want %d", n, want)
	}
	return nil
}

// A page of one condition in its order is read while writers change the state in place,
// so searches meet remembered items that a write has to drop.
func TestConcurrentRanks(t *testing.T) {
	const records = 2000
	c := newStore(t, newSchema(0), 0)
	for i := range records {
		put(c, &record{number: int64(i)})
	}
	write := func() {
		for i := range 8_000 { // only among the numbers below 500
			id := 1 + i%500
			put(c, &record{Entry: Entry{id}, number: int64(i % 400)})
		}
	}
	q := Query{Where: conditions(t, ordering.AtLeast("number", 500)), Terms: parse("number"), Window: pagination.Window{Limit: 3, Offset: 700}}
	whileWriting(t, 2, write, func(*rand.Rand) error {
		entries, count, err := c.Page(t.Context(), q)
		if got := ids(entries); err != nil || count != 1500 || !slices.Equal(got, []int{1201, 1202, 1203}) {
			return fmt.Errorf("page %v of %d records, %v", got, count, err)
		}
		return nil
	})
}

// A count of records that satisfy a condition does not include others while a writer
// empties and fills a store of open records.
func TestCountOfEmptied(t *testing.T) {
	schema := newMemberSchema()
	schema.Known = []string{"a"}
	c := New(schema)
	two := entriesOf(&record{Entry: Entry{1}, number: 1, members: []string{"a"}}, &record{Entry: Entry{2}, number: 2, members: []string{"a"}})
	write := func() {
		for range 4000 {
			for _, entries := range [][]*Entry{two, nil} {
				Replace([]Replacement{{Store: c, Entries: entries}})
			}
		}
	}
	none := conditions(t, ordering.Equal("a", 99))
	whileWriting(t, 2, write, func(*rand.Rand) error {
		for range 50 {
			if n, err := c.Count(within(t), none); n != 0 || err != nil {
				return fmt.Errorf("Count() = %d, %v, want 0", n, err)
			}
		}
		return nil
	})
}
