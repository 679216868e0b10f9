package store

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A record is a stored record of the tests.
type record struct {
	Entry
	number  int64
	text    string
	note    *string  // nil means null
	gate    *gate    // may be nil; passed by every computation of the "slow" key
	members []string // only for newMemberSchema
}

func recordOf(e *Entry) *record { return (*record)(unsafe.Pointer(e)) }

// newSchema returns a schema whose records all have the same fields.
func newSchema(history int) *Schema {
	fields := []Field{
		{Name: "id", Kind: ordering.IntegerKey, Key: func(e *Entry) ordering.Key { return ordering.Int(int64(e.ID)) }},
		{Name: "number", Kind: ordering.IntegerKey, Key: func(e *Entry) ordering.Key { return ordering.Int(recordOf(e).number) }},
		{Name: "text", Kind: ordering.TextKey, Key: func(e *Entry) ordering.Key { return ordering.Text(recordOf(e).text) }},
		{Name: "note", Key: func(e *Entry) ordering.Key {
			if note := recordOf(e).note; note != nil {
				return ordering.Text(*note)
			}
			return ordering.Null()
		}},
		{Name: "slow", Key: func(e *Entry) ordering.Key {
			recordOf(e).gate.pass()
			return ordering.Int(recordOf(e).number)
		}},
	}
	return &Schema{ID: "id", History: history, Field: func(name string) (Field, bool) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return Field{}, false
		}
		return fields[i], true
	}}
}

// newMemberSchema returns a schema whose records may have different fields. The
// key of each member is the record's number. Computing it passes the gate.
func newMemberSchema() *Schema {
	return &Schema{
		ID: "id",
		Field: func(name string) (Field, bool) {
			return Field{Name: name, Key: func(e *Entry) ordering.Key {
				recordOf(e).gate.pass()
				switch {
				case name == "id":
					return ordering.Int(int64(e.ID))
				case slices.Contains(recordOf(e).members, name):
					return ordering.Int(recordOf(e).number)
				}
				return ordering.Null()
			}}, true
		},
		Members: func(e *Entry) iter.Seq[string] { return slices.Values(recordOf(e).members) },
	}
}

// newStore returns a store with n records. Its invariants are checked at the end
// of the test.
func newStore(t testing.TB, schema *Schema, n int) *Store {
	t.Helper()
	c := New(schema)
	for i := range n {
		put(c, &record{number: int64(i % 7), text: strconv.Itoa(i * 7919 % 1000)})
	}
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// put stores a record. If it has no id, put assigns the next one.
func put(c *Store, r *record) *Entry {
	_, err := c.Write(func(s *State) (Change, error) {
		if r.ID == 0 {
			r.ID = s.LastID() + 1
		}
		return Change{s.Get(r.ID), &r.Entry}, nil
	})
	if err != nil {
		panic(err)
	}
	return &r.Entry
}

// remove deletes a record.
func remove(c *Store, id int) {
	_, err := c.Write(func(s *State) (Change, error) { return Change{Old: s.Get(id)}, nil })
	if err != nil {
		panic(err)
	}
}

// putAll stores records in one batch.
func putAll(c *Store, records ...*record) {
	err := c.Batch(func(tx *Tx) error {
		for _, r := range records {
			if r.ID == 0 {
				r.ID = tx.LastID() + 1
			}
			tx.Write(Change{tx.Get(r.ID), &r.Entry})
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// manyRecords returns more records than are written one by one.
func manyRecords() []*record {
	records := make([]*record, fewChanges+1)
	for i := range records {
		records[i] = &record{}
	}
	return records
}

func entriesOf(records ...*record) []*Entry {
	entries := make([]*Entry, len(records))
	for i, r := range records {
		entries[i] = &r.Entry
	}
	return entries
}

func parse(terms string) []ordering.Term { return ordering.Parse(terms, nil) }

var allRecords = pagination.Window{Limit: 1 << 20}

// A pager is a store or a state.
type pager interface {
	Page(ctx context.Context, q Query) ([]*Entry, int, error)
}

// ordered returns the ids of all records, as p orders them.
func ordered(t testing.TB, p pager, terms string) []int {
	t.Helper()
	entries, count, err := p.Page(within(t), Query{Terms: parse(terms), Window: allRecords})
	if err != nil || count != len(entries) {
		t.Fatalf("by %q: %d entries, count %d, %v", terms, len(entries), count, err)
	}
	return ids(entries)
}

func ids(entries []*Entry) []int {
	list := make([]int, len(entries))
	for i, e := range entries {
		list[i] = e.ID
	}
	return list
}

// within returns a context with a timeout that no passing test reaches.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// sorted returns the ids of entries in the order of terms, without using keys:
// null is greater than any other value, and ties break by id in the direction of
// the first term.
func sorted(entries []*Entry, terms string) []int {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b *Entry) int {
		tie := 1
		for i, term := range strings.Split(terms, ",") {
			name, desc := strings.CutPrefix(term, "-")
			sign := 1
			if desc {
				sign = -1
			}
			if i == 0 {
				tie = sign
			}
			if c := sign * compareField(recordOf(a), recordOf(b), name); c != 0 {
				return c
			}
		}
		return tie * cmp.Compare(a.ID, b.ID)
	})
	return ids(entries)
}

func compareField(a, b *record, name string) int {
	switch {
	case name == "text":
		return cmp.Compare(a.text, b.text)
	case name == "number" || name == "slow":
		return cmp.Compare(a.number, b.number)
	case name == "id":
		return cmp.Compare(a.ID, b.ID)
	case name == "note" && a.note != nil && b.note != nil:
		return cmp.Compare(*a.note, *b.note)
	case name == "note" && a.note != b.note && a.note == nil:
		return 1
	case name == "note" && a.note != b.note:
		return -1
	}
	return 0
}

// random returns a random number generator and logs its seed. The environment
// variable BACKLIST_MODEL_SEED sets the seed.
func random(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	if text := os.Getenv("BACKLIST_MODEL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("BACKLIST_MODEL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// randomRecord returns a record whose fields have few different values, so that
// there are ties.
func randomRecord(rng *rand.Rand, id int) *record {
	r := &record{Entry: Entry{id}, number: rng.Int64N(9) - 4, text: strings.Repeat("ab", rng.IntN(4))}
	if rng.IntN(3) > 0 {
		note := strconv.Itoa(rng.IntN(5))
		r.note = &note
	}
	return r
}

// indexed returns the orderings of the indexes of the published state, sorted.
func indexed(c *Store) []string {
	var all []string
	for _, x := range c.Current().indexes {
		all = append(all, ordering.Format(x.terms))
	}
	slices.Sort(all)
	return all
}

// taken returns the number of slots that are taken.
func (s slots) taken() int { return len(s[0]) + len(s[1]) }
