package catalogue_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// dataset returns a catalogue with the records of the reference server.
func dataset(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	file, err := os.Open("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	house := mustNew()
	if err := house.Load(file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, house)
	return house
}

// ids returns the ids of all records in an ordering.
func ids[T any](t testing.TB, r reader[T], id func(*T) *int, by []ordering.Term) []int {
	t.Helper()
	seq, err := r.Where().All(by...)
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for record := range seq {
		list = append(list, *id(&record))
	}
	return list
}

func eventID(e *resources.Event) *int { return &e.ID }

// TestPagesOfEverySize checks that pages of any size contain each record once, in the
// order of the whole collection.
func TestPagesOfEverySize(t *testing.T) {
	house := dataset(t)
	for _, by := range []string{"", "slug", "-published", "-start_date,name", "labels,-authors", "published,-slug,id"} {
		t.Run("events by "+by, func(t *testing.T) { comparePages(t, mustIn(resources.Events, house), eventID, terms(by)) })
	}
	c := products(t, 40, catalogue.Options{})
	for _, by := range orderings(productFields, 1) {
		t.Run(fmt.Sprintf("products by %v", by), func(t *testing.T) { comparePages(t, c, productType.id, by) })
	}
}

func comparePages[T any](t *testing.T, c *catalogue.Collection[T], id func(*T) *int, by []ordering.Term) {
	want := ids(t, c, id, by)
	if all := slices.Compact(slices.Sorted(slices.Values(want))); len(all) != c.Count() {
		t.Fatalf("ordered by %v: %d different records, want %d", by, len(all), c.Count())
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []int
		for offset := 0; ; offset += limit {
			page, err := c.Page(pagination.Window{Limit: limit, Offset: offset}, by...)
			if err != nil {
				t.Fatal(err)
			}
			for i := range page.Records {
				got = append(got, *id(&page.Records[i]))
			}
			if len(page.Records) > limit || page.Count != len(want) {
				t.Fatalf("limit %d: %d records, count %d, want count %d", limit, len(page.Records), page.Count, len(want))
			}
			if len(page.Records) < limit {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

// TestReversedOrdering checks that reversing all terms reverses the records.
func TestReversedOrdering(t *testing.T) {
	depth := 2
	if raceEnabled {
		depth = 1
	}
	c := products(t, 40, catalogue.Options{})
	all := append(orderings(productFields, depth), terms("live,-rank,note"), terms("-tags,words,-live"), terms("extra,-live,rank"))
	for _, by := range all {
		var reversed []ordering.Term
		for _, term := range by {
			reversed = append(reversed, ordering.Term{Field: term.Field, Desc: !term.Desc})
		}
		forth, back := ids(t, c, productType.id, by), ids(t, c, productType.id, reversed)
		slices.Reverse(back)
		if diff := cmp.Diff(forth, back); diff != "" {
			t.Errorf("by %v (-want +got by the reversed %v):\n%s", by, reversed, diff)
		}
	}
	house := dataset(t)
	for _, by := range []string{"start_date", "labels,-slug", "-published,name"} {
		forward := terms(by)
		var reversed []ordering.Term
		for _, term := range forward {
			reversed = append(reversed, ordering.Term{Field: term.Field, Desc: !term.Desc})
		}
		back := ids(t, mustIn(resources.Events, house), eventID, reversed)
		slices.Reverse(back)
		if diff := cmp.Diff(ids(t, mustIn(resources.Events, house), eventID, forward), back); diff != "" {
			t.Errorf("events by %s (-want +got by the reversed terms):\n%s", by, diff)
		}
	}
}

// TestRedundantTerms compares orderings that must be equivalent.
func TestRedundantTerms(t *testing.T) {
	c := products(t, 60, catalogue.Options{})
	for _, row := range []struct{ reason, by, same string }{
		{"repeated field", "live,live", "live"},
		{"repeated field, other direction", "live,-live,rank", "live,rank"},
		{"term after the id", "id,-name", "id"},
		{"term after the id", "-live,id,note", "-live,id"},
		{"repeated id", "-id,id", "-id"},
		{"default ordering", "", "id"},
		{"ties by id in the direction of the first term", "-live", "-live,-id"},
		{"ties by id in the direction of the first term", "live,-rank", "live,-rank,id"},
	} {
		want, got := ids(t, c, productType.id, terms(row.same)), ids(t, c, productType.id, terms(row.by))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: by %q (-want as by %q, +got):\n%s", row.reason, row.by, row.same, diff)
		}
	}
}

// TestDefaultOrderOfEvents checks that events are sorted by start_date, then by id.
func TestDefaultOrderOfEvents(t *testing.T) {
	house := dataset(t)
	want := ids(t, mustIn(resources.Events, house), eventID, terms("start_date,id"))
	var got []int
	for e := range mustIn(resources.Events, house).All() {
		got = append(got, e.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWindows tests windows at and beyond the ends of a collection.
func TestWindows(t *testing.T) {
	c := products(t, 5, catalogue.Options{})
	for _, row := range []struct {
		reason string
		window pagination.Window
		want   int
	}{
		{"zero window", pagination.Window{}, 5},
		{"negative limit", pagination.Window{Limit: -1}, 5},
		{"smallest limit", pagination.Window{Limit: math.MinInt, Offset: 1}, 4},
		{"negative offset", pagination.Window{Limit: 2, Offset: -9}, 2},
		{"smallest offset", pagination.Window{Limit: 9, Offset: math.MinInt}, 5},
		{"last record", pagination.Window{Limit: 9, Offset: 4}, 1},
		{"offset at the end", pagination.Window{Limit: 9, Offset: 5}, 0},
		{"offset far past the end", pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}, 0},
		{"offset plus limit overflows", pagination.Window{Limit: math.MaxInt, Offset: 3}, 2},
	} {
		for _, by := range []string{"", "-live,rank"} {
			page, err := c.Page(row.window, terms(by)...)
			if err != nil || page.Count != 5 || len(page.Records) != row.want {
				t.Errorf("%s: page by %q: %d records, count %d, %v, want %d and 5", row.reason, by, len(page.Records), page.Count, err, row.want)
			}
			view, err := c.Where().View(row.window, terms(by)...)
			if err != nil || view.Count() != 5 || view.Len() != row.want {
				t.Errorf("%s: view by %q: %d records, count %d, %v, want %d and 5", row.reason, by, view.Len(), view.Count(), err, row.want)
			}
		}
	}
}

// TestSequencesCanBeReused stops one iteration early and then iterates twice.
func TestSequencesCanBeReused(t *testing.T) {
	c := products(t, 10, catalogue.Options{})
	seq, err := c.Where().All(terms("-name")...)
	if err != nil {
		t.Fatal(err)
	}
	for range seq {
		break
	}
	first, second := slices.Collect(seq), slices.Collect(seq)
	if len(first) != 10 || len(second) != 10 {
		t.Errorf("%d and %d records, want 10 twice", len(first), len(second))
	}
}
