package store

import (
	"strings"
	"testing"
)

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
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := New(newType(10))
			for _, text := range []string{"a", "b", "c"} {
				put(c, &record{text: text, number: int64(len(text))})
			}
			for _, terms := range []string{"number", "text", "note"} {
				ordered(t, c, terms)
			}
			s := c.Current()
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
