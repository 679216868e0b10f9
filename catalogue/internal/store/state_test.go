package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
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
