package store

import (
	"iter"
	"slices"
	"strings"
	"testing"
)

// change replaces an event by the result of f.
func (h *history) change(revision uint64, id int, f func(ev *Event)) {
	ev, _ := h.events.Get(Event{Revision: revision, ID: id})
	h.events.Delete(ev)
	f(&ev)
	h.events.Set(ev)
}

func newEntry(id int, text string) *Entry { return &(&record{Entry: Entry{id}, text: text}).Entry }

func TestCheck(t *testing.T) {
	byText := func(s *State) *tree[text] {
		return s.indexes[findTerms(s.indexes, parse("text"))].index.(*tree[text])
	}
	for _, row := range []struct {
		reason string
		damage func(s *State)
		want   string // in the error text; "" means no error
	}{
		{"no damage", func(*State) {}, ""},
		{"an index lacks an entry", func(s *State) { byText(s).items.Delete(byText(s).item(s.Get(2))) }, "2 entries"},
		{"an index has an entry twice", func(s *State) { byText(s).items.Set(item[text]{textOf("zz"), 2, s.Get(2)}) }, "id "},
		{"an index is not sorted", func(s *State) { recordOf(s.Get(2)).text = "zz" }, "out of order"},
		{"an index is sorted but has another key", func(s *State) { recordOf(s.Get(2)).text = "b\x00" }, "by its key"},
		{"an index has a wrong key size", func(s *State) {
			s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[text]).bytes++
		}, "bytes, counted"},
		{"the index by id lacks an entry", func(s *State) { s.primary.(*tree[struct{}]).items.Delete(item[struct{}]{id: 2}) }, "id 2"},
		{"an id is above the highest id", func(s *State) { s.lastID = 2 }, "highest id is 2"},
		{"an id is zero", func(s *State) { s.primary.(*tree[struct{}]).items.Set(item[struct{}]{id: 0, entry: newEntry(0, "")}) }, "id 0"},
		{"an ordering has two indexes", func(s *State) { s.indexes = append(s.indexes, s.indexes[1]) }, "two indexes"},
		{"the keys are too large", func(s *State) {
			x := s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[text])
			note := strings.Repeat("x", 3*maxPerRecord)
			r := recordOf(s.Get(3))
			x.remove(x.item(&r.Entry), nil)
			r.note = &note
			x.put(x.item(&r.Entry), nil)
		}, "exceed the limits"},
		{"too many multi-field indexes", func(s *State) {
			for _, a := range []string{"number", "text", "note"} {
				for _, b := range []string{"number", "-number", "text", "-text", "note", "-note"} {
					if strings.TrimPrefix(b, "-") == a {
						continue
					}
					terms := parse(a + "," + b)
					x := newIndex(s.typ.resolve(terms), terms)
					x.fill(s.Entries())
					s.indexes = append(s.indexes, orderingIndex{terms: terms, index: x, usage: newUsage(0)})
				}
			}
		}, "exceed the limits"},
		{"a sequence that lacks an entry", func(s *State) { s.sorted.all[0].entries = s.sorted.all[0].entries[1:] }, "2 entries"},
		{"a sequence in the wrong order", func(s *State) { slices.Reverse(s.sorted.all[0].entries) }, "out of order"},

		{"too many events", func(s *State) {
			for i := range 10 {
				s.history.events.Set(Event{Revision: 3, ID: 100 + i})
			}
		}, "13 events are kept, at most 10"},
		{"the history begins after the revision", func(s *State) { s.history.from = 4 }, "since revision 4 of 3"},
		{"an event before the history", func(s *State) { s.history.from = 3 }, "revision 1"},
		{"an event of a later revision", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.Revision = 4 })
		}, "revision 4, id 3 is"},
		{"an event after the last of its revision", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.Revision = 2 })
		}, "revision 2, id 2 is"},
		{"an event with another record", func(s *State) { s.history.change(2, 2, func(ev *Event) { ev.New = s.Get(1) }) }, "another record"},
		{"an insertion without its record", func(s *State) { s.history.change(2, 2, func(ev *Event) { ev.New = nil }) }, "another record"},
		{"a record is inserted twice", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.ID, ev.New = 2, s.Get(2) })
		}, "contradicts"},
		{"a record is stored although its event is a deletion", func(s *State) {
			s.history.change(2, 2, func(ev *Event) { ev.Old, ev.New = s.Get(2), nil })
		}, "record 2 is not"},
		{"a member is counted twice", func(s *State) { add(s.names.records, "title", 1) }, "members have counts"},
		{"a field has no member", func(s *State) { add(s.names.fields, "zeal", 1) }, "members have counts"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			typ := newType(10)
			typ.Members = func(*Entry) iter.Seq[string] { return slices.Values([]string{"title", "number", "text", "note"}) }
			typ.FieldOf = strings.Clone
			c := New(typ)
			for _, text := range []string{"a", "b", "c"} {
				put(c, &record{text: text, number: int64(len(text))})
			}
			for _, terms := range []string{"number", "text", "note"} {
				ordered(t, c, terms)
			}
			s := c.Current()
			if _, err := s.sort(within(t), parse("text,note")); err != nil {
				t.Fatal(err)
			}
			if err := c.Check(); err != nil {
				t.Fatalf("Check before the damage: %v", err)
			}
			row.damage(s)
			switch err := c.Check(); {
			case row.want == "" && err != nil:
				t.Error(err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("Check() = %v, want an error containing %q", err, row.want)
			}
		})
	}
}
