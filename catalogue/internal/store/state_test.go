package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// Some orders that are asked for once do not displace an index that was used often. Many do.
func TestHotIndexIsKept(t *testing.T) {
	three := conditions(t, ordering.Equal("number", 3))
	for reason, use := range map[string]Query{
		"an order":                   {Terms: parse("number,text")},
		"a condition in an order":    {Where: three, Terms: parse("text")},
		"records that are filtered":  {Where: conditions(t, ordering.Equal("number", 3), ordering.IsNull("note")), Terms: parse("text")},
		"a count of several fields":  {Where: conditions(t, ordering.Equal("number", 3), ordering.Equal("text", "1")), Want: WantCount},
		"several values in an order": {Where: conditions(t, ordering.OneOf("number", 3, 4)), Terms: parse("text")},
	} {
		c := newStore(t, newType(0), 20)
		ordered(t, c, "number,text")
		for range 9 * maxScore {
			if _, err := c.Current().Answer(within(t), use); err != nil {
				t.Fatal(err)
			}
		}
		others := []string{"number,note", "number,slow", "text,number", "text,note", "text,slow", "note,number", "note,text", "note,slow", "slow,number"}
		for _, terms := range others {
			ordered(t, c, terms)
		}
		if !slices.Contains(indexed(c), "number,text") {
			t.Errorf("%s: some others have displaced it: %v", reason, indexed(c))
		}
		for i := range maxScore * maxCombined {
			ordered(t, c, others[i%len(others)])
		}
		if slices.Contains(indexed(c), "number,text") {
			t.Errorf("%s: it is kept without a use: %v", reason, indexed(c))
		}
	}
}

// An index that is only written to is dropped once as many records were changed as there are.
// A use in the meantime keeps it.
func TestUnusedIndexIsDropped(t *testing.T) {
	c := newStore(t, newType(0), 0)
	for _, terms := range []string{"number,text", "text,number", "number"} {
		ordered(t, c, terms)
	}
	for range minIdle/2 + 1 {
		put(c, &record{})
	}
	ordered(t, c, "number,text")
	for len(indexed(c)) == 3 && c.Revision() < 2*minIdle {
		put(c, &record{Entry: Entry{1}})
	}
	if diff := cmp.Diff([]string{"number,text"}, indexed(c)); diff != "" || c.Revision() != minIdle+2 { // the first write finds that all were used
		t.Errorf("after %d writes: indexes (-want +got):\n%s", c.Revision(), diff)
	}
	var batch []*record
	for range 2 * minIdle {
		batch = append(batch, &record{})
	}
	putAll(c, batch...) // changes more records than there were
	putAll(c, batch[:1]...)
	equal(t, "after a batch: indexes", []string{"number,text"}, indexed(c))
	putAll(c, batch...)
	equal(t, "after two batches: indexes", []string(nil), indexed(c))
}

// Multi-field indexes together take at most maxPerRecord bytes for each record.
func TestEvictionBySize(t *testing.T) {
	for _, row := range []struct {
		reason string
		text   int // length
		kept   int // of four multi-field indexes
	}{
		{"short keys", 10, 4},
		{"two fit", 150, 2},
		{"one fits", 300, 1},
		{"keys fit, but not with their items", 480, 0},
		{"keys are too large", 600, 0},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 0)
			for i := range 20 {
				put(c, &record{number: int64(i % 3), text: strings.Repeat(string(rune('a'+i)), row.text)})
			}
			ordered(t, c, "number")
			for _, terms := range []string{"text,number", "text,-number", "number,text", "number,-text"} {
				equal(t, fmt.Sprintf("by %s", terms), sorted(c.Current().Entries(), terms), ordered(t, c, terms))
			}
			if kept := len(indexed(c)) - 1; kept != row.kept {
				t.Errorf("%d multi-field indexes are kept, want %d", kept, row.kept)
			}
		})
	}
}

// Any write after which the keys of an index are too large drops the index.
func TestEvictionAfterWrites(t *testing.T) {
	long := func() *record {
		note := strings.Repeat("x", 10_000)
		return &record{note: &note}
	}
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"a write", func(c *Store) { put(c, long()) }},
		{"a small batch", func(c *Store) { putAll(c, long(), &record{}) }},
		{"a large batch", func(c *Store) { putAll(c, long(), long(), long(), long(), long(), long(), long(), long(), long()) }},
		{"records replaced", func(c *Store) {
			r := long()
			r.ID = 1
			replace(Replacement{Store: c, Entries: entriesOf(r)})
		}},
		{"the other records deleted", func(c *Store) {
			r := long()
			half := (*r.note)[:6000]
			r.note = &half
			put(c, r)
			if diff := cmp.Diff([]string{"note", "number", "text,note"}, indexed(c)); diff != "" {
				panic(diff)
			}
			for id := 1; id < r.ID; id++ {
				remove(c, id)
			}
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 15)
			for _, terms := range []string{"number", "note", "text,note"} {
				ordered(t, c, terms)
			}
			row.write(c)
			equal(t, "indexes", []string{"number"}, indexed(c))
			for _, terms := range []string{"note", "-note", "text,note"} {
				equal(t, fmt.Sprintf("by %s", terms), sorted(c.Current().Entries(), terms), ordered(t, c, terms))
			}
		})
	}
}

// A multi-field index that is too large does not cause others to be dropped.
func TestLargeIndexEvictsNoOther(t *testing.T) {
	c := newStore(t, newType(0), 0)
	for i := range 10 {
		put(c, &record{text: strings.Repeat(string(rune('a'+i)), 480)})
	}
	ordered(t, c, "number,note")
	ordered(t, c, "text,number")
	equal(t, "indexes", []string{"number,note"}, indexed(c))
	if findTerms(c.Current().indexes, []ordering.Term{ordering.Asc("text")}) >= 0 {
		t.Error("an index by text was built")
	}
}

// The indexes that queries make are bounded, whatever is asked: those by one field, too. An
// index that is used often stays. Indexes that no query uses are dropped.
func TestEvictionOfSingleFields(t *testing.T) {
	c := newStore(t, newMemberType(), 0)
	var names []string
	for i := range 5 * maxSingle {
		names = append(names, "m"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	put(c, &record{members: names})
	for range 50 {
		put(c, &record{})
	}
	for range maxScore {
		ordered(t, c, "maa")
	}
	for _, name := range names {
		ordered(t, c, name)
		bytes := 0
		for _, x := range c.Current().indexes {
			bytes += x.keySize() + itemSize*c.Len()
		}
		if n := len(indexed(c)); n > maxSingle || bytes > 2*maxPerRecord*c.Len() {
			t.Fatalf("%d indexes of %d bytes for %d records", n, bytes, c.Len())
		}
	}
	if !slices.Contains(indexed(c), "maa") {
		t.Error("the index that is used often was dropped")
	}
	for range minIdle + 2 {
		put(c, &record{Entry: Entry{2}})
	}
	if n := len(indexed(c)); n > 0 {
		t.Errorf("%d indexes are kept that no query uses", n)
	}
}

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
