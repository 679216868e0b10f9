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

// dataset is a house with the records that the reference server held.
func dataset(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	file, err := os.Open("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	house := catalogue.New()
	if err := house.Load(file); err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, house)
	return house
}

// ids are those of a whole ordering.
func ids[T any](t testing.TB, r reader[T], id func(*T) *int, by []ordering.Term) []int {
	t.Helper()
	seq, err := r.Ordered(by...)
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

// TestWalk reads all records page by page, for every size of page: each record
// comes once, in the place that it has in the whole ordering.
func TestWalk(t *testing.T) {
	house := dataset(t)
	for _, by := range []string{"", "slug", "-published", "-start_date,name", "labels,-authors", "published,-slug,id"} {
		t.Run("events by "+by, func(t *testing.T) { walk(t, house.Events(), eventID, terms(by)) })
	}
	c := products(t, 40, catalogue.Options{})
	for _, by := range orderings(productFields, 1) {
		t.Run(fmt.Sprintf("products by %v", by), func(t *testing.T) { walk(t, c, productType.id, by) })
	}
}

func walk[T any](t *testing.T, c *catalogue.Collection[T], id func(*T) *int, by []ordering.Term) {
	want := ids(t, c, id, by)
	if all := slices.Compact(slices.Sorted(slices.Values(want))); len(all) != c.Count() {
		t.Fatalf("ordered by %v: %d different records of %d", by, len(all), c.Count())
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
				t.Fatalf("limit %d: %d records, count %d", limit, len(page.Records), page.Count)
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

// TestMirror checks the law that an ordering backwards is that of all terms
// reversed.
func TestMirror(t *testing.T) {
	depth := 2
	if raceEnabled {
		depth = 1
	}
	c := products(t, 40, catalogue.Options{})
	all := append(orderings(productFields, depth), terms("live,-rank,note"), terms("-tags,words,-live"), terms("extra,-live,rank"))
	for _, by := range all {
		var mirror []ordering.Term
		for _, term := range by {
			mirror = append(mirror, term.Reverse())
		}
		forth, back := ids(t, c, productType.id, by), ids(t, c, productType.id, mirror)
		slices.Reverse(back)
		if diff := cmp.Diff(forth, back); diff != "" {
			t.Errorf("%v against %v backwards:\n%s", by, mirror, diff)
		}
	}
	house := dataset(t)
	for _, by := range []string{"start_date", "labels,-slug", "-published,name"} {
		forward := terms(by)
		var mirror []ordering.Term
		for _, term := range forward {
			mirror = append(mirror, term.Reverse())
		}
		back := ids(t, house.Events(), eventID, mirror)
		slices.Reverse(back)
		if diff := cmp.Diff(ids(t, house.Events(), eventID, forward), back); diff != "" {
			t.Errorf("events by %s:\n%s", by, diff)
		}
	}
}

// TestCountsForNothing holds an ordering against one that says the same.
func TestCountsForNothing(t *testing.T) {
	c := products(t, 60, catalogue.Options{})
	for _, row := range []struct{ reason, by, same string }{
		{"second mention", "live,live", "live"},
		{"second mention, other direction", "live,-live,rank", "live,rank"},
		{"behind id", "id,-name", "id"},
		{"behind id", "-live,id,note", "-live,id"},
		{"id twice", "-id,id", "-id"},
		{"default order", "", "id"},
		{"ties in the direction of the leading term", "-live", "-live,-id"},
		{"ties in the direction of the leading term", "live,-rank", "live,-rank,id"},
	} {
		want, got := ids(t, c, productType.id, terms(row.same)), ids(t, c, productType.id, terms(row.by))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %q against %q:\n%s", row.reason, row.by, row.same, diff)
		}
	}
}

// TestDefaultOrderOfEvents is by start_date, ties by id.
func TestDefaultOrderOfEvents(t *testing.T) {
	house := dataset(t)
	want := ids(t, house.Events(), eventID, terms("start_date,id"))
	var got []int
	for e := range house.Events().All() {
		got = append(got, e.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWindows cuts where there is nothing to cut.
func TestWindows(t *testing.T) {
	c := products(t, 5, catalogue.Options{})
	for _, row := range []struct {
		reason string
		window pagination.Window
		want   int
	}{
		{"zero window", pagination.Window{}, 5},
		{"negative limit is none", pagination.Window{Limit: -1}, 5},
		{"least limit is none", pagination.Window{Limit: math.MinInt, Offset: 1}, 4},
		{"negative offset counts as 0", pagination.Window{Limit: 2, Offset: -9}, 2},
		{"least offset", pagination.Window{Limit: 9, Offset: math.MinInt}, 5},
		{"last record", pagination.Window{Limit: 9, Offset: 4}, 1},
		{"at the end", pagination.Window{Limit: 9, Offset: 5}, 0},
		{"far behind", pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}, 0},
		{"sum overflows", pagination.Window{Limit: math.MaxInt, Offset: 3}, 2},
	} {
		for _, by := range []string{"", "-live,rank"} {
			page, err := c.Page(row.window, terms(by)...)
			if err != nil || page.Count != 5 || len(page.Records) != row.want {
				t.Errorf("%s, by %q: %d of %d, %v; want %d of 5", row.reason, by, len(page.Records), page.Count, err, row.want)
			}
			view, err := c.View(row.window, terms(by)...)
			if err != nil || view.Count() != 5 || view.Len() != row.want {
				t.Errorf("%s, view by %q: %d of %d, %v; want %d of 5", row.reason, by, view.Len(), view.Count(), err, row.want)
			}
		}
	}
}

// TestSequencesStop leaves a loop early, and runs through one twice.
func TestSequencesStop(t *testing.T) {
	c := products(t, 10, catalogue.Options{})
	seq, err := c.Ordered(terms("-name")...)
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
