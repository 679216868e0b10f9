package store

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

func TestCanonical(t *testing.T) {
	for _, row := range []struct {
		terms  string
		canon  string
		desc   bool
		reason string
	}{
		{"", "", false, "no terms"},
		{"id", "", false, "the order by id"},
		{"-id", "", true, "the reverse order by id"},
		{"id,name", "", false, "terms after the id are dropped"},
		{"name", "name", false, "one field"},
		{"-name", "name", true, "one field, descending"},
		{"name,id", "name", false, "ties break by id in any case"},
		{"-name,-id", "name", true, "ties break in the direction of the first term"},
		{"name,-id", "name,-id", false, "ties break in the other direction"},
		{"-name,id", "name,-id", true, "the reverse of name,-id"},
		{"-a,b", "a,-b", true, "the reverse of a,-b"},
		{"a,-b", "a,-b", false, "canonical already"},
		{"-a,b,-c,-id,d", "a,-b,c", true, "all rules together"},
	} {
		canon, desc := canonical(nil, parse(row.terms), "id")
		if got := ordering.Format(canon); got != row.canon || desc != row.desc {
			t.Errorf("%s: canonical(%s) = %s, %v, want %s, %v", row.reason, row.terms, got, desc, row.canon, row.desc)
		}
	}
	twice := []ordering.Term{ordering.Desc("a"), ordering.Asc("b"), ordering.Asc("a"), ordering.Desc("b")}
	if canon, _ := canonical(nil, twice, "id"); ordering.Format(canon) != "a,-b" {
		t.Errorf("a repeated field: canonical(%s) = %s, want a,-b", ordering.Format(twice), ordering.Format(canon))
	}
	if twice[0] != ordering.Desc("a") {
		t.Error("canonical changed its argument")
	}
}

// The default ordering is used if a query has no terms or if all are ignored.
func TestQueryTerms(t *testing.T) {
	fixed, open := newType(0), newMemberType()
	fixed.Default, open.Default = parse("-number"), parse("-rank")
	for _, row := range []struct {
		reason  string
		typ     *Type
		terms   string
		lenient bool
		want    []int // nil means ErrUnknownField
	}{
		{"no terms", fixed, "", false, []int{2, 3, 1}},
		{"a field", fixed, "text", false, []int{3, 2, 1}},
		{"an unknown field", fixed, "text,other", false, nil},
		{"an unknown field is ignored", fixed, "other,text", true, []int{3, 2, 1}},
		{"all fields are ignored", fixed, "other,-another", true, []int{2, 3, 1}},
		{"no record has the default field", open, "", false, []int{1, 2, 3}},
		{"all fields are ignored, and no record has the default field", open, "-other", true, []int{1, 2, 3}},
		{"a member, ascending", open, "rare", false, []int{2, 1, 3}},
		{"a member, descending", open, "-rare", false, []int{3, 1, 2}},
		{"no record has the member", open, "rank", false, nil},
	} {
		c := newStore(t, row.typ, 0)
		put(c, &record{number: 1, text: "c"})
		put(c, &record{number: 3, text: "b", members: []string{"rare"}})
		put(c, &record{number: 2, text: "a"})
		for _, p := range []pager{c, c.Current()} {
			entries, _, err := p.Page(within(t), Query{Terms: parse(row.terms), Lenient: row.lenient, Window: allRecords})
			if (row.want == nil) != errors.Is(err, ordering.ErrUnknownField) {
				t.Errorf("%s: unexpected error %v", row.reason, err)
			} else if diff := cmp.Diff(row.want, ids(entries)); row.want != nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.reason, diff)
			}
		}
	}
}

// A membersModel holds the records of a store, by id.
type membersModel map[int]*record

func (m membersModel) names() []string {
	names := []string{"id"}
	for _, r := range m {
		for _, name := range r.members {
			if snake := ordering.Snake(name); snake != "" && !slices.Contains(names, snake) {
				names = append(names, snake)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (m membersModel) counts() map[string]int {
	counts := map[string]int{}
	for _, r := range m {
		for _, name := range r.members {
			counts[name]++
		}
	}
	return counts
}

func (m membersModel) compare(t *testing.T, what string, c *Store) {
	t.Helper()
	if diff := cmp.Diff(m.names(), c.Current().Names()); diff != "" {
		t.Fatalf("%s: names (-want +got):\n%s", what, diff)
	}
	counts := map[string]int{}
	for _, member := range c.Current().names.records.Items() {
		counts[member.name] = member.n
	}
	if diff := cmp.Diff(m.counts(), counts); diff != "" {
		t.Fatalf("%s: counts (-want +got):\n%s", what, diff)
	}
	if err := c.Check(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// After any write, the names and counts of a store and of its clones are those of
// its records.
func TestMembers(t *testing.T) {
	rng := random(t)
	all := []string{"title", "rank", "startDate", "start_date", "__", "note", "x"}
	anyRecord := func(id int) *record {
		r := &record{Entry: Entry{id}, number: rng.Int64N(5)}
		for _, name := range all {
			if rng.IntN(4) == 0 {
				r.members = append(r.members, name)
			}
		}
		return r
	}
	stores, models := []*Store{New(newMemberType())}, []membersModel{{}}
	for step := range 600 {
		i := rng.IntN(len(stores))
		c, model := stores[i], models[i]
		id := 1 + rng.IntN(6)
		what := fmt.Sprintf("step %d, store %d", step, i)
		switch rng.IntN(12) {
		case 0:
			clone := membersModel{}
			for id, r := range model {
				clone[id] = r
			}
			j := rng.IntN(4)
			if j >= len(stores) {
				j = len(stores)
				stores, models = append(stores, nil), append(models, nil)
			}
			stores[j], models[j] = Clone(c)[0], clone
		case 1:
			clear(model)
			var records []*record
			for id := range rng.IntN(10) {
				r := anyRecord(id + 1)
				model[r.ID] = r
				records = append(records, r)
			}
			Replace([]Replacement{{Store: c, Entries: entriesOf(records...)}})
		case 2, 3:
			var records []*record
			for id := range rng.IntN(2 * fewChanges) {
				r := anyRecord(id + 1)
				model[r.ID] = r
				records = append(records, r)
			}
			putAll(c, records...)
		case 4, 5, 6, 7:
			if model[id] != nil {
				delete(model, id)
				remove(c, id)
			}
		case 8:
			if names := model.names(); len(names) > 1 {
				ordered(t, c, names[rng.IntN(len(names))])
			}
		default:
			model[id] = anyRecord(id)
			put(c, model[id])
		}
		for k := range stores {
			models[k].compare(t, what, stores[k])
		}
	}
}

// Readers do not wait while a writer counts members.
func TestMembersCountedWithoutLock(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"an insert", func(c *Store) { put(c, &record{members: []string{"a", "b"}}) }},
		{"an update", func(c *Store) { put(c, &record{Entry: Entry{1}, members: []string{"b"}}) }},
		{"a deletion", func(c *Store) { remove(c, 1) }},
		{"a small batch", func(c *Store) { putAll(c, &record{members: []string{"a"}}, &record{}) }},
		{"a large batch", func(c *Store) { putAll(c, append(manyRecords(), &record{members: []string{"a"}})...) }},
		{"a replacement", func(c *Store) {
			Replace([]Replacement{{Store: c, Entries: entriesOf(&record{Entry: Entry{1}, members: []string{"b"}})}})
		}},
	} {
		var c *Store
		typ, held := newMemberType(), 0
		members := typ.Members
		typ.Members = func(e *Entry) iter.Seq[string] {
			if !c.mu.TryLock() {
				held++
			} else {
				c.mu.Unlock()
			}
			return members(e)
		}
		c = New(typ)
		put(c, &record{members: []string{"a"}})
		held = 0
		row.write(c)
		if held > 0 {
			t.Errorf("%s: the members of %d records are read while the state mutex is held", row.reason, held)
		}
	}
}

// A new member costs O(log names), also after a clone or a fork.
func TestCostOfNewMember(t *testing.T) {
	const names, inserts = 5000, 50
	c := newStore(t, newMemberType(), 0)
	all := &record{}
	for i := range names {
		all.members = append(all.members, fmt.Sprint("name", i))
	}
	put(c, all)
	for _, row := range []struct {
		reason string
		before func()
	}{
		{"in place", func() {}},
		{"after a clone", func() { Clone(c) }},
		{"of a frozen state", func() { c.Current() }},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range inserts {
			row.before()
			put(c, &record{members: []string{fmt.Sprint(row.reason, i)}})
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / inserts; got > 8*names {
			t.Errorf("%s: an insert allocates %d bytes with %d names, want at most 8 for each", row.reason, got, names)
		}
	}
}

// A page in the default order of a field that no record has costs as much as one by id.
func TestCostOfUnknownDefault(t *testing.T) {
	allocations := func(terms string) float64 {
		typ := newMemberType()
		typ.Default = parse(terms)
		c := newStore(t, typ, 0)
		put(c, &record{members: []string{"title", "rank"}})
		return testing.AllocsPerRun(100, func() {
			if _, _, err := c.Page(t.Context(), Query{Window: allRecords}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if got, want := allocations("tilte"), allocations(""); got != want {
		t.Errorf("%v allocations, want %v", got, want)
	}
}

// An index is dropped with the last record that has its member.
func TestIndexOfRemovedMember(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"deleted", func(c *Store) { remove(c, 1) }},
		{"updated", func(c *Store) { put(c, &record{Entry: Entry{1}, members: []string{"common"}}) }},
		{"deleted in a large batch", func(c *Store) {
			err := c.Batch(func(tx *Tx) error {
				tx.Write(Change{Old: tx.Get(1)})
				for id := 10; id < 30; id++ {
					tx.Write(Change{New: &(&record{Entry: Entry{id}}).Entry})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}},
		{"replaced", func(c *Store) {
			Replace([]Replacement{{Store: c, Entries: entriesOf(&record{Entry: Entry{1}, members: []string{"common"}})}})
		}},
	} {
		c := newStore(t, newMemberType(), 0)
		put(c, &record{members: []string{"rare", "common"}})
		put(c, &record{members: []string{"common"}})
		for _, terms := range []string{"rare", "common", "common,rare", "common,-id"} {
			ordered(t, c, terms)
		}
		before := c.Current()
		row.write(c)
		if diff := cmp.Diff([]string{"common", "common,-id"}, indexed(c)); diff != "" {
			t.Errorf("%s: indexes (-want +got):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff([]int{2, 1}, ordered(t, before, "-rare")); diff != "" {
			t.Errorf("%s: the earlier state (-want +got):\n%s", row.reason, diff)
		}
	}
}

// A write to a store does not change the names of its clone, nor the reverse.
func TestMembersOfClone(t *testing.T) {
	c := newStore(t, newMemberType(), 0)
	put(c, &record{members: []string{"a"}})
	clone := Clone(c)[0]
	put(c, &record{members: []string{"b"}})
	remove(clone, 1)
	got := map[string]any{"original": c.Current().Names(), "clone": clone.Current().Names()}
	want := map[string]any{"original": []string{"a", "b", "id"}, "clone": []string{"id"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if err := clone.Check(); err != nil {
		t.Error(err)
	}
}
