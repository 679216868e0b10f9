package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// benchEvents returns n events of about 700 bytes of JSON each. Neither their dates nor
// their names are in the order of their ids.
func benchEvents(n int) []schema.Event {
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("reading signing evening workshop presentation dialogue festival breakfast lecture translation")
	events := make([]schema.Event, n)
	for i := range events {
		start := time.Date(2026, 5, 10, 18, 0, 0, 0, time.FixedZone("", 7200)).Add(time.Duration(r.IntN(1<<20)) * time.Minute)
		events[i] = schema.Event{
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
func benchHouse(tb testing.TB, n int, types ...AnyDefinition) (*Catalogue, []schema.Event) {
	tb.Helper()
	house, err := NewWith(types...)
	if err != nil {
		tb.Fatal(err)
	}
	events := benchEvents(n)
	entries := make([]*store.Entry, n)
	for i := range events {
		entries[i] = newEntry(events[i].ID, events[i].Clone())
	}
	store.Replace([]store.Replacement{{Store: house.Events().store, Entries: entries}})
	for _, term := range []ordering.Term{ordering.Asc("start_date"), ordering.Asc("name")} {
		if _, err := house.Events().View(pagination.Window{Limit: 1}, term); err != nil {
			tb.Fatal(err)
		}
	}
	return house, events
}

// startEarlier moves an event in the index by date.
func startEarlier(e *schema.Event) error {
	e.StartDate = schema.At(e.StartDate.Add(-time.Hour))
	return nil
}
