package catalogue_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

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
	cat := mustHave(catalogue.New(authors, books))
	all, _ := authors.In(cat)
	list, _ := books.In(cat)
	for _, name := range []*string{new("b"), nil, new("a"), new("b")} {
		must(t, second(all.Insert(author{Name: name})))
	}
	for i := range 24 {
		b := book{Author: new(i%4 + 1), Grade: new(i % 3)}
		if i%5 == 0 {
			b.Author = nil
		}
		if i%7 == 0 {
			b.Grade = nil
		}
		must(t, second(list.Insert(b)))
	}
	c := collectionOf(t, cat, "books")
	read := func(q catalogue.Query) (texts []string, of catalogue.Listing) {
		of = mustHave(c.List(t.Context(), q))
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
