package catalogue_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type part struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Grade int    `json:"grade"`
}

// newParts returns parts of which each grade has 10.
func newParts(t *testing.T, n int) *catalogue.Collection[part] {
	t.Helper()
	parts := mustCollection[part](t, catalogue.Options{Name: "parts"})
	for i := range n {
		_, err := parts.Insert(part{Name: fmt.Sprint("part ", i), Grade: i / 10})
		must(t, err)
	}
	return parts
}

func TestPageAfter(t *testing.T) {
	parts := newParts(t, 30)
	snapshot := parts.Snapshot()
	of := parts.Where(ordering.AtLeast("grade", 1))
	first, token, err := of.PageAfter("", 2, ordering.Desc("grade"))
	if diff := cmp.Diff([]part{{30, "part 29", 2}, {29, "part 28", 2}}, first); diff != "" || err != nil {
		t.Errorf("the first page: %v (-want +got):\n%s", err, diff)
	}
	first[0].Name = "changed"
	if got, _ := parts.Get(30); got.Name != "part 29" {
		t.Error("the records are not copies")
	}
	must(t, parts.Delete(29))
	want := []part{{28, "part 27", 2}}
	for source, sel := range map[string]catalogue.Selection[part]{"collection": of, "snapshot": snapshot.Where(ordering.AtLeast("grade", 1))} {
		if next, _, err := sel.PageAfter(token, 1, ordering.Desc("grade")); cmp.Diff(want, next) != "" || err != nil {
			t.Errorf("of the %s: %v, %v", source, next, err)
		}
	}
	must(t, parts.Batch(func(tx *catalogue.Tx[part]) error {
		if err := tx.Delete(28); err != nil {
			return err
		}
		next, _, err := tx.Where(ordering.AtLeast("grade", 1)).PageAfter(token, 1, ordering.Desc("grade"))
		equal(t, "of a batch", []part{{27, "part 26", 2}}, next)
		return err
	}))
	all, end, err := of.PageAfter("", 0)
	if len(all) != 18 || end != "" || err != nil {
		t.Errorf("without a limit: %d records, %q, %v", len(all), end, err)
	}
	if list, next, err := of.PageAfter(token, 1); !errors.Is(err, catalogue.ErrInvalidToken) || list != nil || next != "" {
		t.Errorf("by another order: %v, %q, %v", list, next, err)
	}
	if _, _, err := of.PageAfter("", 1, ordering.Asc("weight")); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("by an unknown field: %v", err)
	}
}

// TestListAtPlaces reads all records from the place of each, in orders by fields of the record, of
// another one and by default, in both directions and with other filters.
func TestListAtPlaces(t *testing.T) {
	type author struct {
		ID   int     `json:"id"`
		Name *string `json:"name"`
	}
	type book struct {
		ID     int  `json:"id"`
		Author *int `json:"author" backlist:"refers=authors"`
		Grade  *int `json:"grade"`
	}
	authors := catalogue.Define[author]("authors", catalogue.Options{})
	books := catalogue.Define[book]("books", catalogue.Options{Description: &schema.Description{
		Sortable: []string{"id", "grade", "author__name"}, Ordering: []ordering.Term{ordering.Desc("grade")},
	}})
	cat, err := catalogue.New(authors, books)
	must(t, err)
	all, _ := authors.In(cat)
	list, _ := books.In(cat)
	for _, name := range []*string{new("b"), nil, new("a"), new("b")} {
		_, err := all.Insert(author{Name: name})
		must(t, err)
	}
	for i := range 24 {
		b := book{Author: new(i%4 + 1), Grade: new(i % 3)}
		if i%5 == 0 {
			b.Author = nil
		}
		if i%7 == 0 {
			b.Grade = nil
		}
		_, err := list.Insert(b)
		must(t, err)
	}
	c := collectionOf(t, cat, "books")
	read := func(q catalogue.Query) (texts []string, of catalogue.Listing) {
		of, err := c.List(t.Context(), q)
		must(t, err)
		for _, r := range of.Records {
			texts = append(texts, string(r))
		}
		return texts, of
	}
	whole := &pagination.Place{}
	for _, order := range []string{"", "id", "-id", "grade", "-grade,id", "author__name", "-author__name,grade"} {
		q := catalogue.Query{Terms: terms(order)}
		want, _ := read(q)
		q.Place = whole
		got, of := read(q)
		if diff := cmp.Diff(want, got); diff != "" || of.Count != -1 || len(of.Keys) != len(got) {
			t.Fatalf("by %q: count %d, %d keys (-want +got):\n%s", order, of.Count, len(of.Keys), diff)
		}
		for i := range got {
			for _, reverse := range []bool{false, true} {
				q.Place = &pagination.Place{Window: pagination.Window{Limit: 4, Offset: i % 3}, Token: of.Token(i), Reverse: reverse}
				rest := slices.Clone(want[i+1:])
				if reverse {
					rest = slices.Clone(want[:i])
					slices.Reverse(rest)
				}
				start, end := q.Place.Bounds(len(rest))
				if page, _ := read(q); !slices.Equal(page, rest[start:end]) {
					t.Errorf("by %q from record %d, in reverse %t: %s, want %s", order, i, reverse, page, rest[start:end])
				}
			}
		}
		other := catalogue.Query{Terms: terms("grade,-id"), Place: &pagination.Place{Token: of.Token(0)}}
		if _, err := c.List(t.Context(), other); !errors.Is(err, catalogue.ErrInvalidToken) {
			t.Errorf("a token by %q in another order: error %v, want %v", order, err, catalogue.ErrInvalidToken)
		}
	}
	// Null is after each grade in ascending order, and before each in descending order.
	for order, want := range map[string]int{"grade": 7 + 4, "-grade": 6, "": 6} {
		got, _ := read(catalogue.Query{Terms: terms(order), Place: &pagination.Place{Position: "1", Positioned: true}})
		if len(got) != want {
			t.Errorf("by %q: %d records after 1, want %d: %s", order, len(got), want, got)
		}
	}
	unknown := catalogue.Query{Terms: terms("author__name"), Place: &pagination.Place{Position: "1", Positioned: true}}
	if _, err := c.List(t.Context(), unknown); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("a position by a field that is not described: error %v, want %v", err, ordering.ErrUnknownField)
	}
}
