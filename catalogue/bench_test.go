package catalogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// benchEvents returns n events of about 700 bytes of JSON each. Neither their dates nor
// their names are in the order of their ids.
func benchEvents(n int) []resources.Event {
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("reading signing evening workshop presentation dialogue festival breakfast lecture translation")
	events := make([]resources.Event, n)
	for i := range events {
		start := time.Date(2026, 5, 10, 18, 0, 0, 0, time.FixedZone("", 7200)).Add(time.Duration(r.IntN(1<<20)) * time.Minute)
		events[i] = resources.Event{
			ID:          i + 1,
			Name:        fmt.Sprintf("%s %s %d", words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(n)),
			Slug:        words[r.IntN(len(words))],
			Summary:     "An evening with the author and the translator",
			Description: "<p>" + strings.Repeat("The author reads from the new book. ", 8) + "</p>",
			Location:    "Literaturhaus",
			StartDate:   schema.At(start),
			EndDate:     schema.At(start.Add(2 * time.Hour)),
			Poster:      "https://cdn.example.org/media/poster/5e3c1d96.jpg",
			PosterWebp:  "https://cdn.example.org/media/poster/5e3c1d96.webp",
			Labels:      []int{1 + r.IntN(20)},
			Authors:     []int{1 + r.IntN(50), 51 + r.IntN(50)},
		}
	}
	return events
}

// benchHouse returns a catalogue with n events and indexes by id, start_date and name, and
// the events.
func benchHouse(tb testing.TB, n int, opts ...catalogue.Options) (*catalogue.Catalogue, []resources.Event) {
	tb.Helper()
	defined := resources.Events
	for _, o := range opts {
		defined = catalogue.Define[resources.Event]("events", o)
	}
	cat, err := resources.New(defined)
	must(tb, err)
	events := benchEvents(n)
	must(tb, mustIn(resources.Events, cat).ReplaceAll(slices.Values(events)))
	for _, term := range []ordering.Term{ordering.Asc("start_date"), ordering.Asc("name")} {
		_, err := mustIn(resources.Events, cat).Where().View(pagination.Window{Limit: 1}, term)
		must(tb, err)
	}
	return cat, events
}

const benchLimit = 21

var benchOrders = []struct {
	name string
	term []ordering.Term
}{
	{"default", nil},
	{"name", []ordering.Term{ordering.Asc("name")}},
	{"-name", []ordering.Term{ordering.Desc("name")}},
	{"three", []ordering.Term{ordering.Asc("location"), ordering.Desc("start_date"), ordering.Asc("name")}},
}

// benchOffsets returns lists of offsets for a benchmark to cycle through. A single offset
// stays in the processor's cache; random ones mostly do not.
func benchOffsets(n int) []struct {
	name    string
	offsets []int
} {
	return []struct {
		name    string
		offsets []int
	}{
		{"first", []int{0}},
		{"half", []int{n / 2}},
		{"last", []int{n - benchLimit}},
		{"random", rand.New(rand.NewPCG(1, 2)).Perm(n - benchLimit)},
	}
}

// BenchmarkPage reads pages of 21 records at several offsets: as a view, as copies, and as
// JSON.
func BenchmarkPage(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		cat, _ := benchHouse(b, n)
		events := mustIn(resources.Events, cat)
		encoded, _ := cat.Collection("events")
		for _, o := range benchOrders {
			for _, kind := range []struct {
				name string
				read func(pagination.Window) (int, error)
			}{
				{"view", func(w pagination.Window) (int, error) {
					v, err := events.Where().View(w, o.term...)
					return v.Len(), err
				}},
				{"copies", func(w pagination.Window) (int, error) {
					p, err := events.Page(w, o.term...)
					return len(p.Records), err
				}},
				{"encoded", func(w pagination.Window) (int, error) {
					_, records, err := listed(encoded.List(context.Background(), catalogue.Query{Window: w, Terms: o.term}))
					return len(records), err
				}},
			} {
				for _, place := range benchOffsets(n) {
					b.Run(fmt.Sprintf("%s/n=%d/by=%s/at=%s", kind.name, n, o.name, place.name), func(b *testing.B) {
						b.ReportAllocs()
						for i := 0; b.Loop(); i++ {
							offset := place.offsets[i%len(place.offsets)]
							if got, err := kind.read(pagination.Window{Limit: benchLimit, Offset: offset}); err != nil || got != benchLimit {
								b.Fatal(got, err)
							}
						}
					})
				}
			}
		}
	}
}
