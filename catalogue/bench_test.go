package catalogue

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// benchEvents returns n events of about 700 bytes of JSON each. Neither their dates nor
// their names are in the order of their ids.
func benchEvents(n int) []event {
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("reading signing evening workshop presentation dialogue festival breakfast lecture translation")
	events := make([]event, n)
	for i := range events {
		start := time.Date(2026, 5, 10, 18, 0, 0, 0, time.FixedZone("", 7200)).Add(time.Duration(r.IntN(1<<20)) * time.Minute)
		events[i] = event{
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

// withLists returns a deep copy of an event.
func withLists(e event) event {
	e.Labels, e.Authors = slices.Clone(e.Labels), slices.Clone(e.Authors)
	return e
}

// benchHouse returns a catalogue with n events and indexes by id, start_date and name, and
// the events.
func benchHouse(tb testing.TB, n int, types ...AnyDefinition) (*Catalogue, []event) {
	tb.Helper()
	cat := newPublisher(types...)
	events := benchEvents(n)
	entries := make([]*store.Entry, n)
	for i := range events {
		entries[i] = newEntry(events[i].ID, events[i])
	}
	store.Replace([]store.Replacement{{Store: mustIn(definedEvents, cat).store, Entries: entries}})
	for _, term := range []ordering.Term{ordering.Asc("start_date"), ordering.Asc("name")} {
		if _, err := mustIn(definedEvents, cat).Where().View(pagination.Window{Limit: 1}, term); err != nil {
			tb.Fatal(err)
		}
	}
	return cat, events
}

// startEarlier moves an event in the index by date.
func startEarlier(e *event) error {
	e.StartDate = schema.At(e.StartDate.Add(-time.Hour))
	return nil
}

// BenchmarkReaders compares the pages per second of one goroutine with those of two.
func BenchmarkReaders(b *testing.B) {
	const n = 100_000
	cat, _ := benchHouse(b, n)
	for _, readers := range []int{1, 2} {
		b.Run(map[int]string{1: "one", 2: "two"}[readers], func(b *testing.B) {
			var all sync.WaitGroup
			for r := range readers {
				all.Go(func() { readPages(b, cat, n, b.N, uint64(r)) })
			}
			all.Wait()
			b.ReportMetric(float64(readers*b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

// readPages reads pages at random offsets and returns how long each took.
func readPages(b *testing.B, cat *Catalogue, n, times int, seed uint64) []time.Duration {
	offsets := rand.New(rand.NewPCG(seed, 2))
	took := make([]time.Duration, times)
	for i := range took {
		w := pagination.Window{Limit: benchLimit, Offset: offsets.IntN(n - benchLimit)}
		start := time.Now()
		if _, err := mustIn(definedEvents, cat).Where().View(w); err != nil {
			b.Error(err)
			break
		}
		took[i] = time.Since(start)
	}
	return took
}

// BenchmarkPageDuringWrites reports the median and the 99th percentile of the time of a
// page: without a writer, during a thousand updates a second, and during as many updates
// as a writer can do.
func BenchmarkPageDuringWrites(b *testing.B) {
	const n = 100_000
	cat, _ := benchHouse(b, n)
	for _, row := range []struct {
		name  string
		pause time.Duration // between two writes; negative for no writer
	}{{"none", -1}, {"paced", time.Millisecond}, {"unpaced", 0}} {
		b.Run(row.name, func(b *testing.B) {
			var stop atomic.Bool
			var writer sync.WaitGroup
			if row.pause >= 0 {
				writer.Go(func() { writeUntil(b, cat, n, row.pause, &stop) })
			}
			took := readPages(b, cat, n, b.N, 1)
			stop.Store(true)
			writer.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
}

func writeUntil(b *testing.B, cat *Catalogue, n int, pause time.Duration, stop *atomic.Bool) {
	for i := 0; !stop.Load(); i++ {
		err := mustIn(definedEvents, cat).Update(1+i*7919%n, startEarlier)
		if err != nil {
			b.Error(err)
			return
		}
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}

// BenchmarkBulk inserts all records in one batch and builds two indexes.
func BenchmarkBulk(b *testing.B) {
	events := benchEvents(100_000)
	b.ReportAllocs()
	for b.Loop() {
		newFilledHouse(b, events)
	}
}

// newFilledHouse returns a catalogue with events, inserted in one batch, and with indexes
// by date and name.
func newFilledHouse(b *testing.B, events []event) *Catalogue {
	cat := newPublisher()
	err := mustIn(definedEvents, cat).Batch(func(tx *Tx[event]) error {
		for i := range events {
			if _, err := tx.Insert(events[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, field := range []string{"start_date", "name"} {
		if _, err := mustIn(definedEvents, cat).Where().View(pagination.Window{Limit: 1}, ordering.Asc(field)); err != nil {
			b.Fatal(err)
		}
	}
	return cat
}

// BenchmarkLoadFile loads a file into an empty catalogue.
func BenchmarkLoadFile(b *testing.B) {
	for _, row := range []struct {
		name   string
		key    string // of the collection, of which the records of the dataset are loaded
		events int    // if positive, the number of generated events, instead of the dataset
	}{
		{name: "events", key: "events"},
		{name: "labels", key: "labels"},
		{name: "books", key: "books"},
		{name: "100,000 events", events: 100_000},
	} {
		b.Run(row.name, func(b *testing.B) {
			var file bytes.Buffer
			if row.events > 0 {
				cat, _ := benchHouse(b, row.events)
				must(b, cat.Save(&file))
			} else {
				dataset, err := os.ReadFile("schema/testdata/dataset.json")
				must(b, err)
				var all map[string]json.RawMessage
				must(b, json.Unmarshal(dataset, &all))
				fmt.Fprintf(&file, "{%q:%s}", row.key, all[row.key])
			}
			benchLoadFile(b, file.Bytes())
		})
	}
}

func benchLoadFile(b *testing.B, data []byte) {
	path := filepath.Join(b.TempDir(), "house.json")
	must(b, os.WriteFile(path, data, 0o644))
	empty := newPublisher()
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		must(b, empty.Clone().LoadFile(path, LoadOptions{}))
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFirstUse compares the first page by an ordering, which builds its index, with
// sorting pointers once.
func BenchmarkFirstUse(b *testing.B) {
	cat, events := benchHouse(b, 100_000)
	pointers := make([]*event, len(events))
	for i := range events {
		pointers[i] = &events[i]
	}
	b.Run("end_date", func(b *testing.B) {
		for b.Loop() {
			if _, err := mustIn(definedEvents, cat).Clone().Where().View(pagination.Window{Limit: 21}, ordering.Asc("end_date")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			slices.SortFunc(slices.Clone(pointers), func(a, b *event) int {
				return cmp.Or(a.EndDate.Compare(b.EndDate.Time), a.ID-b.ID)
			})
		}
	})
}

// BenchmarkHeap reports the memory that each record takes with indexes by id, date and
// name, without the record itself and what it points to.
func BenchmarkHeap(b *testing.B) {
	const n = 100_000
	heapOf := func(f func() any) int {
		before := heapInUse()
		made := f()
		after := heapInUse()
		runtime.KeepAlive(made)
		return after - before
	}
	events := benchEvents(n)
	for b.Loop() {
		records := heapOf(func() any {
			all := make([]*event, n)
			for i := range all {
				e := withLists(events[i])
				all[i] = &e
			}
			return all
		}) - 8*n // without the slice
		ours := heapOf(func() any { return newFilledHouse(b, events) })
		b.ReportMetric(float64(ours-records)/n, "bytes/record")
	}
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
		events := mustIn(definedEvents, cat)
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
					_, records, err := listed(encoded.List(context.Background(), Query{Window: w, Terms: o.term}))
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

func BenchmarkGet(b *testing.B) {
	const n = 100_000
	cat, _ := benchHouse(b, n)
	for i := 0; b.Loop(); i++ {
		if _, err := mustIn(definedEvents, cat).Get(1 + i*7919%n); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite measures single writes, with and without a snapshot after each, and
// batches of a thousand.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		cat, events := benchHouse(b, n)
		c := mustIn(definedEvents, cat)
		b.Run(fmt.Sprintf("n=%d/insert-delete/read", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id, _ := c.Insert(withoutID(events[i%n]))
				c.Snapshot()
				c.Delete(id)
				c.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("n=%d/insert-delete/unread", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id, _ := c.Insert(withoutID(events[i%n]))
				c.Delete(id)
			}
		})
		b.Run(fmt.Sprintf("n=%d/update/read", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Update(1+i*7919%n, startEarlier)
				c.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("n=%d/update/unread", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Update(1+i*7919%n, startEarlier)
			}
		})
		b.Run(fmt.Sprintf("n=%d/batch-1000", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Batch(func(tx *Tx[event]) error {
					for i := range 1000 {
						tx.Update(1+i*7919%n, startEarlier)
					}
					return nil
				})
			}
		})
	}
}

func withoutID(e event) event {
	e.ID = 0
	return e
}

func BenchmarkClone(b *testing.B) {
	cat, _ := benchHouse(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		cat.Clone()
	}
}

// BenchmarkHistory measures writes to a collection with a history, and Since.
func BenchmarkHistory(b *testing.B) {
	for _, history := range []int{0, 1000, 100_000} {
		const n = 10_000
		cat, _ := benchHouse(b, n, Define[event]("events", Options{History: history}))
		c := mustIn(definedEvents, cat)
		b.Run(fmt.Sprintf("kept=%d/update", history), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Update(1+i*7919%n, startEarlier)
			}
		})
		b.Run(fmt.Sprintf("kept=%d/batch-1000", history), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Batch(func(tx *Tx[event]) error {
					for i := range 1000 {
						tx.Update(1+i*7919%n, startEarlier)
					}
					return nil
				})
			}
		})
		if history == 0 {
			continue
		}
		b.Run(fmt.Sprintf("kept=%d/update-and-since", history), func(b *testing.B) {
			b.ReportAllocs()
			seen := c.Snapshot().Revision()
			for i := 0; b.Loop(); i++ {
				c.Update(1+i*7919%n, startEarlier)
				_, seen, _ = c.Since(seen)
			}
		})
		b.Run(fmt.Sprintf("kept=%d/since-all", history), func(b *testing.B) {
			b.ReportAllocs()
			from := c.Snapshot().Revision()
			for i := range history {
				c.Update(1+i*7919%n, startEarlier)
			}
			for b.Loop() {
				if changes, _, _ := c.Since(from); len(changes) != history {
					b.Fatal(len(changes))
				}
			}
		})
	}
}
