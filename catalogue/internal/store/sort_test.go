package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// A read of an old state sorts that state alone. The state keeps the last maxSorted
// sequences.
func TestSortOldState(t *testing.T) {
	rng := random(t)
	c := newStore(t, newSchema(0), 0)
	for range 60 {
		put(c, randomRecord(rng, 0))
	}
	old := oldState(c)
	entries := old.Entries()
	all := []string{
		"number", "text", "note", "number,text", "number,-text", "note,text",
		"text,note", "number,-id", "note,-number", "text,-number,note",
	}
	for i, terms := range all {
		for range 2 {
			for _, terms := range []string{terms, reversed(terms)} {
				if diff := cmp.Diff(sorted(entries, terms), ordered(t, old, terms)); diff != "" {
					t.Errorf("by %s (-want +got):\n%s", terms, diff)
				}
			}
		}
		if n := len(old.sorted.all); n != min(i+1, maxSorted) {
			t.Errorf("%d sequences after %d orderings, want %d", n, i+1, min(i+1, maxSorted))
		}
	}
	kept := old.sorted.ready(parse(all[9]))
	if ordered(t, old, all[9]); old.sorted.ready(parse(all[9])) != kept || kept == nil {
		t.Error("the last sequence was sorted again")
	}
	if old.sorted.ready(parse(all[0])) != nil || old.sorted.ready(parse(all[2])) == nil {
		t.Error("the dropped sequences are not the oldest")
	}
	if err := old.Check(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string(nil), indexed(c)); diff != "" {
		t.Errorf("indexes of the store (-want +got):\n%s", diff)
	}
}

// A lenient query is sorted by id if its field is unknown.
func TestSortUnknownField(t *testing.T) {
	s := newStore(t, newSchema(0), 3).Current()
	x, err := s.sort(t.Context(), Query{Terms: parse("no_such"), Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	got := x.page(nil, 0, 10, false)
	if diff := cmp.Diff(ordered(t, s, "id"), ids(got)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// reversed returns the terms of the reverse order.
func reversed(terms string) string {
	var list []string
	for _, term := range strings.Split(terms, ",") {
		name, desc := strings.CutPrefix(term, "-")
		if !desc {
			name = "-" + name
		}
		list = append(list, name)
	}
	return strings.Join(list, ",")
}

// Sorted entries are paged and scanned in both directions.
func TestSortedEntries(t *testing.T) {
	c := newStore(t, newSchema(0), 10)
	old := oldState(c)
	for _, terms := range []string{"number,-text", "-number,text"} {
		want := sorted(old.Entries(), terms)
		for _, w := range []pagination.Window{{Limit: 3}, {Limit: 3, Offset: 4}, {Limit: 3, Offset: 8}, {Limit: 3, Offset: 10}, {Limit: 0}} {
			entries, count, err := old.Page(within(t), Query{Terms: parse(terms), Window: w})
			if diff := cmp.Diff(pagination.Slice(want, w), ids(entries)); diff != "" || count != 10 || err != nil {
				t.Errorf("%+v by %s: count %d, %v (-want +got):\n%s", w, terms, count, err, diff)
			}
		}
		for _, n := range []int{1, 5, 10} {
			scan, err := old.Scan(within(t), Query{Terms: parse(terms)})
			if err != nil {
				t.Fatal(err)
			}
			var got []*Entry
			scan(func(e *Entry) bool { got = append(got, e); return len(got) < n })
			if diff := cmp.Diff(want[:n], ids(got)); diff != "" {
				t.Errorf("scan by %s (-want +got):\n%s", terms, diff)
			}
		}
	}
}

// If keys are too large for an index, a state is sorted by the values of the fields.
func TestSortLargeKeys(t *testing.T) {
	rng := random(t)
	c := newStore(t, newSchema(0), 0)
	for range 40 {
		r := randomRecord(rng, 0)
		r.text = strings.Repeat("x", 2000) + r.text
		put(c, r)
	}
	old := oldState(c)
	for _, terms := range []string{"text,number", "number,text", "number,-text,note", "text,-id"} {
		for _, terms := range []string{terms, reversed(terms)} {
			for reason, p := range map[string]pager{"the store": c, "an old state": old, "the current state": c.Current()} {
				entries := c.Current().Entries()
				if s, ok := p.(*State); ok {
					entries = s.Entries()
				}
				if diff := cmp.Diff(sorted(entries, terms), ordered(t, p, terms)); diff != "" {
					t.Errorf("%s by %s (-want +got):\n%s", reason, terms, diff)
				}
			}
		}
	}
	if diff := cmp.Diff([]string(nil), indexed(c)); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sorted(c.Current().Entries(), "-text"), ordered(t, c, "-text")); diff != "" {
		t.Errorf("by text alone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"text"}, indexed(c)); diff != "" {
		t.Errorf("indexes after an order by text alone (-want +got):\n%s", diff)
	}
}

// If a sort panics, the readers that wait for it panic, and the next sort succeeds.
func TestPanickingSort(t *testing.T) {
	c := newStore(t, newSchema(0), 10)
	old := oldState(c)
	recordOf(old.Get(3)).gate = panickingGate()
	if diff := cmp.Diff(any("panic: no key"), <-begin(within(t), old, "slow,text")); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if n := len(old.sorted.all) + old.slots.taken(); n != 0 {
		t.Errorf("%d sequences and slots are left", n)
	}
	if diff := cmp.Diff(sorted(old.Entries(), "slow,text"), ordered(t, old, "slow,text")); diff != "" {
		t.Errorf("the next sort (-want +got):\n%s", diff)
	}
}

// A read of the current state builds a missing index for the store. A read of an
// old state does not.
func TestIndexOfCurrentState(t *testing.T) {
	c := newStore(t, newSchema(0), 10)
	old := oldState(c)
	ordered(t, c.Current(), "number")
	if _, err := c.Current().Scan(within(t), Query{Terms: parse("-text,number")}); err != nil {
		t.Fatal(err)
	}
	ordered(t, old, "note")
	if diff := cmp.Diff([]string{"number", "text,-number"}, indexed(c)); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
	clone := Clone(c)[0]
	ordered(t, clone.Current(), "note")
	if diff := cmp.Diff([]string{"note", "number", "text,-number"}, indexed(clone)); diff != "" {
		t.Errorf("indexes of a clone (-want +got):\n%s", diff)
	}
	if n := len(indexed(c)); n != 2 {
		t.Errorf("%d indexes of the original, want 2", n)
	}
}
