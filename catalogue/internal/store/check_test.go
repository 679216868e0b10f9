package store

import (
	"slices"
	"strings"
	"testing"
)

// change is what a test does to the history of a damaged store.
func (h *history) change(revision uint64, id int, f func(ev *Event)) {
	ev, _ := h.events.Get(Event{Revision: revision, ID: id})
	h.events.Delete(ev)
	f(&ev)
	h.events.Set(ev)
}

func newEntry(id int, text string) *Entry { return &(&record{Entry: Entry{id}, text: text}).Entry }

func TestCheckFinds(t *testing.T) {
	byText := func(s *State) *tree[string] {
		return s.indexes[findTerms(s.indexes, parse("text"))].index.(*tree[string])
	}
	for _, row := range []struct {
		reason string
		damage func(s *State)
		says   string
	}{
		{"nothing", func(*State) {}, ""},
		{"an index lacks an entry", func(s *State) { byText(s).items.Delete(byText(s).item(s.Get(2))) }, "2 entries"},
		{"an index has one too many", func(s *State) { byText(s).items.Set(byText(s).item(newEntry(9, "z"))) }, "id 9"},
		{"another entry of the same id", func(s *State) { byText(s).items.Set(byText(s).item(newEntry(2, "b"))) }, "id 2"},
		{"an entry twice", func(s *State) { byText(s).items.Set(item[string]{"zz", 2, s.Get(2)}) }, "id "},
		{"an entry in the place of another", func(s *State) {
			byText(s).items.Delete(byText(s).item(s.Get(2)))
			byText(s).items.Set(item[string]{"c", 4, s.Get(3)})
		}, "id 3"},
		{"out of order", func(s *State) { recordOf(s.Get(2)).text = "zz" }, "comes before"},
		{"in order, under another key", func(s *State) { recordOf(s.Get(2)).text = "b\x00" }, "its key"},
		{"a wrong count of key bytes", func(s *State) {
			s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[string]).bytes++
		}, "bytes, counted"},
		{"an index by id that lacks an entry", func(s *State) { s.primary.items.Delete(item[struct{}]{id: 2}) }, "id 2"},
		{"an id above the highest", func(s *State) { s.lastID = 2 }, "highest is 2"},
		{"an id that is none", func(s *State) { s.primary.items.Set(item[struct{}]{id: 0, entry: newEntry(0, "")}) }, "id 0"},
		{"two indexes of one ordering", func(s *State) { s.indexes = append(s.indexes, s.indexes[1]) }, "two indexes"},
		{"keys that are too large", func(s *State) {
			x := s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[string])
			note := strings.Repeat("x", 3*maxPerRecord)
			r := recordOf(s.Get(3))
			x.remove(x.item(&r.Entry), nil)
			r.note = &note
			x.put(x.item(&r.Entry), nil)
		}, "keys of"},
		{"too many indexes of several terms", func(s *State) {
			for _, a := range []string{"number", "text", "note"} {
				for _, b := range []string{"number", "-number", "text", "-text", "note", "-note"} {
					if strings.TrimPrefix(b, "-") == a {
						continue
					}
					terms := parse(a + "," + b)
					x := newIndex(s.schema.resolve(terms), terms)
					x.fill(s.Entries())
					s.indexes = append(s.indexes, namedIndex{terms: terms, index: x})
				}
			}
		}, "indexes of several terms"},
		{"a sequence that lacks an entry", func(s *State) { s.own.all[0].entries = s.own.all[0].entries[1:] }, "2 entries"},
		{"a sequence in the wrong order", func(s *State) { slices.Reverse(s.own.all[0].entries) }, "comes before"},

		{"more events than are kept", func(s *State) {
			for i := range 10 {
				s.history.events.Set(Event{Revision: 3, ID: 100 + i})
			}
		}, "13 events are kept, at most 10"},
		{"a history that begins later", func(s *State) { s.history.from = 4 }, "after revision 4 of 3"},
		{"an event before the history", func(s *State) { s.history.from = 3 }, "revision 1"},
		{"an event of a later revision", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.Revision = 4 })
		}, "ends at revision 4"},
		{"a revision without end", func(s *State) { s.history.change(2, 2, func(ev *Event) { ev.Last = false }) }, "no end"},
		{"the last revision without end", func(s *State) { s.history.change(3, 3, func(ev *Event) { ev.Last = false }) }, "ends at revision 3"},
		{"an event after the end of its revision", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.Revision = 2 })
		}, "comes after"},
		{"an event with another record", func(s *State) { s.history.change(2, 2, func(ev *Event) { ev.New = s.Get(1) }) }, "another record"},
		{"an insertion without its record", func(s *State) { s.history.change(2, 2, func(ev *Event) { ev.New = nil }) }, "another record"},
		{"a record that is inserted twice", func(s *State) {
			s.history.change(3, 3, func(ev *Event) { ev.ID, ev.New = 2, s.Get(2) })
		}, "contradicts"},
		{"a record that is updated after it was deleted", func(s *State) {
			s.history.change(2, 2, func(ev *Event) { ev.Inserted, ev.New = false, nil })
			s.history.change(3, 3, func(ev *Event) { ev.ID, ev.New, ev.Inserted = 2, s.Get(2), false })
		}, "contradicts"},
		{"a record that is not the one of its event", func(s *State) {
			s.history.change(2, 2, func(ev *Event) { ev.New = newEntry(2, "b") })
		}, "record 2 is not"},
		{"a record whose event is a deletion", func(s *State) {
			s.history.change(2, 2, func(ev *Event) { ev.New, ev.Inserted = nil, false })
		}, "record 2 is not"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := New(newSchema(10))
			for _, text := range []string{"a", "b", "c"} {
				put(c, &record{text: text, number: int64(len(text))})
			}
			for _, terms := range []string{"number", "text", "note"} {
				ordered(t, c, terms)
			}
			s := c.Current()
			if _, err := s.sort(within(t), Query{Terms: parse("text,note")}); err != nil {
				t.Fatal(err)
			}
			if err := c.Check(); err != nil {
				t.Fatal("before:", err)
			}
			row.damage(s)
			switch err := c.Check(); {
			case row.says == "" && err != nil:
				t.Error(err)
			case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
				t.Errorf("%v does not say %q", err, row.says)
			}
		})
	}
}

func TestCheckCountsMembers(t *testing.T) {
	for _, row := range []struct {
		reason string
		damage func(c *Store, s *State)
	}{
		{"a member too many", func(c *Store, s *State) { c.members.counts["title"]++ }},
		{"a member without records", func(c *Store, s *State) { c.members.counts["rank"] = 0 }},
		{"a name is missing", func(c *Store, s *State) { s.names = s.names[:1] }},
		{"a name too many", func(c *Store, s *State) { s.names = append(slices.Clone(s.names), "zeal") }},
	} {
		c := New(newMemberSchema())
		put(c, &record{members: []string{"title"}})
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		row.damage(c, c.Current())
		if err := c.Check(); err == nil {
			t.Errorf("%s is not found", row.reason)
		}
	}
}
