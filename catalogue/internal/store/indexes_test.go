package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// An index is built once the queries that want it have cost as much as its build, and not
// before. The queries do not wait for it.
func TestDemand(t *testing.T) {
	const n = 700 // 100 records for each number from 0 to 6
	three, few := ordering.Equal("number", 3), ordering.OneOf("number", 3, 5)
	const sorted100, most = 100 * buildCost, n * buildCost / 4 // by one term; of one query
	for _, row := range []struct {
		reason  string
		where   []ordering.Condition
		terms   string
		cost    int // of a query
		want    string
		explain string
	}{
		{"one value and an order", []ordering.Condition{three}, "-text", sorted100, "number,text", "range of number: 100 of 700 records, in order"},
		{"the value is in the order, too", []ordering.Condition{three}, "number,text", sorted100, "number,text", "range of number: 100 of 700 records, in order"},
		{"several values", []ordering.Condition{few}, "text", most, "number,text", "range of number: 200 of 700 records, merged in order"},
		{"a range in the order", []ordering.Condition{three, ordering.NotNull("text")}, "-text", sorted100, "number,text", "range of number,text: 100 of 700 records, in order"},
		{"two values in the order of the fields' names", []ordering.Condition{ordering.IsNull("note"), three}, "text", sorted100,
			"note,number,text", "range of note,number: 100 of 700 records, in order"},
		{"several values and a range in the order", []ordering.Condition{few, ordering.NotNull("text")}, "-text", 700, "number,text", // all records in order
			"range of number,text: 200 of 700 records, merged in order"},
		{"ties in the other direction", []ordering.Condition{three}, "text,-id", most, "number,text,-id", "range of number: 100 of 700 records, in order"},
		{"two orders", []ordering.Condition{three}, "text,-note", most, "number,text,-note", "range of number: 100 of 700 records, in order"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), n)
			q := Query{Where: conditions(t, row.where...), Terms: parse(row.terms), Window: pagination.Window{Limit: 5}}
			of(c).Explain(within(t), q) // makes the indexes by one field
			for i := range (buildCost*n + row.cost - 1) / row.cost {
				if slices.Contains(indexed(c), row.want) {
					t.Fatalf("the index is there after %d queries", i)
				}
				of(c).Page(within(t), q)
			}
			waitFor(t, "the index", func() bool { return slices.Contains(indexed(c), row.want) })
			if got, _ := of(c).Explain(within(t), q); got != row.explain {
				t.Errorf("Explain() = %q, want %q", got, row.explain)
			}
			found(t, c, q)
		})
	}
}

// No index is built for queries that none would answer, or that read few records.
func TestNoDemand(t *testing.T) {
	c := newStore(t, newType(0), 700)
	three := ordering.Equal("number", 3)
	for range 10 * buildCost {
		of(c).Page(within(t), Query{Where: conditions(t, three), Terms: parse("text"), Match: func(*Entry) bool { return true }})
		of(c).First(within(t), Query{Where: conditions(t, three, ordering.NotNull("text")), Terms: parse("number")})
		of(c).Count(within(t), Query{Where: conditions(t, ordering.Less("number", 3), ordering.NotNull("text"))})
		of(c).Page(within(t), Query{Where: conditions(t, ordering.Less("id", 20)), Terms: parse("note")}) // fewer than in the order of notes
	}
	if wanted := c.Current().policy.wanted; len(wanted) > 0 {
		t.Errorf("the queries want %v", wanted)
	}
	equal(t, "indexes", []string{"number", "text"}, indexed(c))
}

// If conditions are left, queries want an index in their order, also those of batches and of
// old states.
func TestDemandOfOrder(t *testing.T) {
	few, three, notes := ordering.AtLeast("number", 1), ordering.Equal("number", 3), ordering.NotNull("text")
	for _, row := range []struct {
		reason string
		from   func(c *Store) Source
		method string
		where  []ordering.Condition
		terms  string
		want   string
	}{
		{"a range", nil, "First", []ordering.Condition{few}, "note", "note"},
		{"a page with a range", nil, "Page", []ordering.Condition{few}, "-note", "note"},
		{"a value and a range", nil, "Page", []ordering.Condition{three, notes}, "note", "number,note"},
		{"an old state", func(c *Store) Source { return oldState(c) }, "Page", []ordering.Condition{three}, "note", "number,note"},
	} {
		c := newStore(t, newType(0), 700)
		var from Source = c
		if row.from != nil {
			from = row.from(c)
		}
		q := Query{Where: conditions(t, row.where...), Terms: parse(row.terms), Window: pagination.Window{Limit: 5}}
		for range 2 * buildCost * 7 / sortCost {
			callMethod(within(t), from, row.method, q)
		}
		waitFor(t, row.reason+": the index", func() bool { return slices.Contains(indexed(c), row.want) })
		found(t, c, q)
	}
}

// A queue whose consumers take the first task of a status in a batch gets its index. The first
// query of a batch that has changed nothing freezes no state.
func TestDemandOfBatch(t *testing.T) {
	c := newStore(t, newType(0), 700)
	take := func() {
		err := c.Batch(func(tx *Tx) error {
			first, err := of(tx).First(within(t), Query{Where: conditions(t, ordering.Equal("number", 3)), Terms: parse("text")})
			if err != nil || first == nil {
				t.Fatal(first, err)
			}
			again := *recordOf(first)
			tx.Write(Change{first, &again.Entry})
			return nil
		})
		must(t, err)
	}
	for range 2 * buildCost * 7 / sortCost {
		take()
	}
	waitFor(t, "the index", func() bool { return slices.Contains(indexed(c), "number,text") })
	for range 2 * hotWrites {
		take()
	}
	before := c.published.Load()
	if take(); c.published.Load() != before {
		t.Error("the batch forked the state")
	}
}

// For any queries, builds cost at most as much as the queries did. The queries of one index
// cost at most its build and a share of all.
func TestDemandIsCompetitive(t *testing.T) {
	rng := random(t)
	shapes := []struct {
		reason string
		next   func(rng *rand.Rand, i, kinds int) int
	}{
		{"random", func(rng *rand.Rand, _, kinds int) int { return min(rng.IntN(kinds), rng.IntN(kinds)) }},
		{"one after the other", func(_ *rand.Rand, i, kinds int) int { return i % kinds }},
		{"ever new ones", func(_ *rand.Rand, i, _ int) int { return i }},
		{"new ones beside a frequent one", func(_ *rand.Rand, i, _ int) int { return i * (i % 2) }},
		{"each a few times", func(_ *rand.Rand, i, kinds int) int { return i / 7 % kinds }},
	}
	for range 100 {
		for _, s := range shapes {
			var p policy
			limit, kinds := 1+rng.IntN(1000), 1+rng.IntN(60)
			total, built, own := 0, 0, map[int]int{} // own: since the last build
			for i := range 2000 {
				kind, cost := s.next(rng, i, kinds), 1+rng.IntN(1+limit/10)
				total += cost
				own[kind] += cost
				if p.want([]ordering.Term{{Field: string(rune(kind))}}, cost, limit) {
					built++
					own[kind] = 0
				}
				if len(p.wanted) > maxWanted || own[kind] > limit+total/(maxWanted+1) || built*limit > total {
					t.Fatalf("%s: %d sums; %d of %d for kind %d; %d built of cost %d", s.reason, len(p.wanted), own[kind], total, kind, built, limit)
				}
			}
		}
	}
}
