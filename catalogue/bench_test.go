package catalogue

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/catalogue/internal/store"
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
			StartDate:   resources.At(start),
			EndDate:     resources.At(start.Add(2 * time.Hour)),
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
func benchHouse(tb testing.TB, n int, types ...AnyDefinition) (*Catalogue, []resources.Event) {
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

// bareTrees is what a program would write with B-trees alone: pointers to records, compared
// field by field, without locks and snapshots.
type bareTrees struct {
	id, start, name *btree.BTreeG[*resources.Event]
}

func newTrees(events []resources.Event) bareTrees {
	tree := func(less func(a, b *resources.Event) bool) *btree.BTreeG[*resources.Event] {
		t := btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
		for i := range events {
			t.Set(&events[i])
		}
		return t
	}
	return bareTrees{
		id: tree(func(a, b *resources.Event) bool { return a.ID < b.ID }),
		start: tree(func(a, b *resources.Event) bool {
			if c := a.StartDate.Compare(b.StartDate.Time); c != 0 {
				return c < 0
			}
			return a.ID < b.ID
		}),
		name: tree(func(a, b *resources.Event) bool {
			if a.Name != b.Name {
				return a.Name < b.Name
			}
			return a.ID < b.ID
		}),
	}
}

// newSortedTrees sorts copies of the records for each tree and inserts them in order.
func newSortedTrees(events []resources.Event) bareTrees {
	all := make([]*resources.Event, len(events))
	t := newTrees(nil)
	for i := range events {
		e := events[i].Clone()
		all[i] = &e
		t.id.Load(&e)
	}
	slices.SortFunc(all, func(a, b *resources.Event) int {
		return cmp.Or(a.StartDate.Compare(b.StartDate.Time), a.ID-b.ID)
	})
	for _, e := range all {
		t.start.Load(e)
	}
	slices.SortFunc(all, func(a, b *resources.Event) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), a.ID-b.ID)
	})
	for _, e := range all {
		t.name.Load(e)
	}
	return t
}

func (t bareTrees) set(e *resources.Event)    { t.id.Set(e); t.start.Set(e); t.name.Set(e) }
func (t bareTrees) delete(e *resources.Event) { t.id.Delete(e); t.start.Delete(e); t.name.Delete(e) }

// update replaces a record with a copy that f has changed. f may change only the date.
func (t bareTrees) update(id int, f func(*resources.Event) error) {
	old, _ := t.id.Get(&resources.Event{ID: id})
	e := old.Clone()
	f(&e)
	t.start.Delete(old)
	t.set(&e)
}

// startEarlier moves an event in the index by date.
func startEarlier(e *resources.Event) error {
	e.StartDate = resources.At(e.StartDate.Add(-time.Hour))
	return nil
}
