package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// benchHouse returns a catalogue with n events. There are indexes by id, start_date and name. Neither dates nor
// names are in the order of the ids.
func benchHouse(tb testing.TB, n int, opts ...catalogue.Options) *catalogue.Catalogue {
	tb.Helper()
	defined := resources.Events
	for _, o := range opts {
		defined = catalogue.Define[resources.Event]("events", o)
	}
	cat := mustHave(resources.New(defined))
	must(tb, mustIn(resources.Events, cat).ReplaceAll(func(yield func(resources.Event) bool) {
		for i := range n {
			at := i * 7919 % n
			e := resources.Event{ID: i + 1, Name: fmt.Sprint("evening ", at), Labels: []int{i % 20}, Authors: []int{i % 50, 50}}
			e.StartDate = schema.At(time.Date(2026, 5, 10, 18, at, 0, 0, time.FixedZone("", 7200)))
			e.EndDate = schema.At(e.StartDate.Add(2 * time.Hour))
			if !yield(e) {
				return
			}
		}
	}))
	for _, term := range terms("start_date,name") {
		must(tb, second(mustIn(resources.Events, cat).Where().View(pagination.Window{Limit: 1}, term)))
	}
	return cat
}

// A token has a key of text, unlike a film, which has an id, and a ticket, which has a UUID.
type token struct {
	ID   string `json:"id" backlist:"key"`
	Name string `json:"name"`
}

// A keyReader gets and updates the records of a collection by their keys.
type keyReader struct{ get, update func(text string) }

// keyReaderOf returns one of records with texts as keys.
func keyReaderOf[T any](tb testing.TB, texts []string, record func(text string) T) keyReader {
	tb.Helper()
	records := mustCollection[T](tb, catalogue.Options{})
	must(tb, records.ReplaceAll(func(yield func(T) bool) {
		for _, text := range texts {
			if !yield(record(text)) {
				return
			}
		}
	}))
	by := records.By("id")
	return keyReader{
		get:    func(text string) { must(tb, second(by.Get(text))) },
		update: func(text string) { must(tb, by.Update(text, func(*T) error { return nil })) },
	}
}

var allocOrders = [][]ordering.Term{
	nil,
	{ordering.Asc("name")},
	{ordering.Desc("name")},
	{ordering.Desc("published"), ordering.Asc("name")},
}

// A page that is in arrays of the index allocates nothing, nor does its JSON after the first time.
func TestViewAllocates(t *testing.T) {
	cat := benchHouse(t, 1000)
	events := mustIn(resources.Events, cat)
	w := pagination.Window{Limit: 21, Offset: 500}
	for _, terms := range allocOrders {
		var body []byte
		view := mustHave(events.Where().View(w, terms...)) // sorts the records
		snapshot, named := events.Snapshot(), events.Where(ordering.AtLeast("name", "m"))
		read := func(v catalogue.View[resources.Event], err error) {
			if err != nil || v.Len() != 21 {
				t.Fatal(v.Len(), err)
			}
			view = v
		}
		for _, row := range []struct {
			reason string
			f      func()
			most   float64
		}{
			{"a page", func() { read(events.Where().View(w, terms...)) }, 0},
			{"a page whose order is written in the call", func() { read(events.Where().View(w, ordering.Desc("name"))) }, 0},
			{"a page with a condition", func() {
				must(t, second(named.View(w, ordering.Desc("name"))))
			}, 0},
			{"a page of a snapshot", func() { read(snapshot.Where().View(w, terms...)) }, 0},
			{"its JSON into a buffer", func() {
				body = body[:0]
				for i := range view.Len() {
					record := mustHave(view.JSON(i))
					body = append(body, record...)
				}
			}, 0},
		} {
			if got := testing.AllocsPerRun(100, row.f); got > row.most {
				t.Errorf("%s, ordered by %q: %v allocations, want at most %v", row.reason, ordering.Format(terms), got, row.most)
			}
		}
	}
}

// A page of copies allocates the slices of each record and the page itself.
func TestPageAllocates(t *testing.T) {
	cat := benchHouse(t, 1000)
	events := mustIn(resources.Events, cat)
	got := testing.AllocsPerRun(100, func() {
		must(t, second(events.Page(pagination.Window{Limit: 21, Offset: 500})))
	})
	const lists = 2 // labels and authors
	if most := 21.0*lists + 5; got > most {
		t.Errorf("Page: %v allocations, want at most %v", got, most)
	}
}

// All takes a few allocations for any number of records, if an index has them in order. It
// yields those of the instant of its call, each time.
func TestAllAllocates(t *testing.T) {
	for _, order := range []string{"", "-name", "published,id"} {
		for _, n := range []int{300, 3000} {
			cat := benchHouse(t, n)
			events := mustIn(resources.Events, cat)
			all, seen := collectionOf(t, cat, "events"), 0
			allocs := testing.AllocsPerRun(5, func() {
				for range all.All(t.Context(), catalogue.Query{Terms: terms(order)}) {
					seen++
				}
			})
			if seen != 6*n || allocs > 20 { // one to warm up
				t.Errorf("by %q: %d of %d records, with %v allocations", order, seen, 6*n, allocs)
			}
			records := all.All(t.Context(), catalogue.Query{Terms: terms(order)})
			for range 2 {
				count := 0
				for _, err := range records {
					must(t, err)
					count++
				}
				if count != n {
					t.Errorf("by %q: %d records of the instant of the call, want %d", order, count, n)
				}
				must(t, second(events.Insert(resources.Event{Name: "z"})))
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cat := benchHouse(t, 3)
	for record, err := range collectionOf(t, cat, "events").All(ctx, catalogue.Query{}) {
		if record != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of the context: %s, %v", record, err)
		}
	}
}

// A history adds at most one allocation to a batch.
func TestWriteAllocates(t *testing.T) {
	toggle := func(e *resources.Event) error { e.Published = !e.Published; return nil }
	for _, row := range []struct {
		reason        string
		write         func(c *catalogue.Collection[resources.Event])
		without, with float64 // allocations without and with a history
	}{
		{"Update", func(c *catalogue.Collection[resources.Event]) { c.Update(500, toggle) }, 6, 6},
		{"Batch", func(c *catalogue.Collection[resources.Event]) {
			c.Batch(func(tx *catalogue.Tx[resources.Event]) error { return tx.Update(500, toggle) })
		}, 16, 17},
	} {
		for history, most := range map[int]float64{0: row.without, 5000: row.with} {
			cat := benchHouse(t, 1000, catalogue.Options{History: history})
			if got := testing.AllocsPerRun(200, func() { row.write(mustIn(resources.Events, cat)) }); got > most {
				t.Errorf("%s with a history of %d: %v allocations, want at most %v", row.reason, history, got, most)
			}
			must(t, faultOf(cat))
		}
	}
}

func TestGetAllocates(t *testing.T) {
	cat := benchHouse(t, 1000)
	got := testing.AllocsPerRun(100, func() {
		must(t, second(mustIn(resources.Events, cat).Get(500)))
	})
	if got > 2 { // labels and authors
		t.Errorf("Get: %v allocations, want at most 2", got)
	}
}

// A record is found by its key without an allocation. An
// update allocates the copy that the function gets and the one that is stored.
func TestKeyAllocates(t *testing.T) {
	texts := []string{layout.NewUUID(), layout.NewUUID(), layout.NewUUID()}
	text := keyReaderOf(t, texts, func(text string) token { return token{text, text} })
	uuid := keyReaderOf(t, texts, func(text string) ticket { return ticket{text, text} })
	for _, row := range []struct {
		reason string
		f      func(text string)
		most   float64
	}{
		{"Get by a text", text.get, 0},
		{"Get by a UUID", uuid.get, 0},
		{"Update by a text", text.update, 2},
		{"Update by a UUID", uuid.update, 2},
	} {
		if got := testing.AllocsPerRun(100, func() { row.f(texts[1]) }); got > row.most {
			t.Errorf("%s: %v allocations, want at most %v", row.reason, got, row.most)
		}
	}
}

const benchLimit = 21

// A benchRow is a function to measure. Its argument is a random number.
type benchRow struct {
	name string
	f    func(i int) error
}

func runRows(b *testing.B, rows []benchRow) {
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for b.Loop() {
				must(b, row.f(int(r.Uint32()>>1)))
			}
		})
	}
}

// A sale is a record of five fields.
type sale struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Depot  int    `json:"depot"`
	Weight int    `json:"weight"`
	Name   string `json:"name"`
}

// sales yields n of them. A thousandth has the same Depot.
func sales(n int) func(yield func(sale) bool) {
	return func(yield func(sale) bool) {
		r := rand.New(rand.NewPCG(6, 1))
		for i := range n {
			s := sale{i + 1, fmt.Sprintf("c%08d", i), r.IntN(1000), r.IntN(n), fmt.Sprintf("%08d %d", r.IntN(n), i)}
			if !yield(s) {
				return
			}
		}
	}
}

// BenchmarkLarge measures one collection of ten million records with four indexes, or of as many
// as BACKLIST_LARGE has, if that is not 1. It takes minutes and gigabytes, so it is skipped otherwise:
//
//	BACKLIST_LARGE=1 go test -run '^$' -bench Large -timeout 2h ./catalogue
//
// A latency is that of one page in an open loop, beside nothing, the collector, and writes.
func BenchmarkLarge(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("BACKLIST_LARGE"))
	if err != nil || n < 1 {
		b.Skip("BACKLIST_LARGE is neither 1, for ten million records, nor another number of them")
	}
	if n == 1 {
		n = 10_000_000
	}
	empty := func() *catalogue.Collection[sale] {
		return mustHave(catalogue.NewCollection[sale](catalogue.Options{Indexes: [][]ordering.Term{terms("weight"), terms("name"), terms("depot,weight")}}))
	}
	before := heapAfterGC()
	c := empty()
	b.Run("fill", func(b *testing.B) {
		once(b, n, func() error { return c.ReplaceAll(sales(n)) })
		b.ReportMetric(float64(heapAfterGC()-before)/float64(n), "B/record")
	})
	view := func(order string, where ...ordering.Condition) func(offset int) error {
		return func(offset int) error {
			return second(c.Where(where...).View(pagination.Window{Limit: benchLimit, Offset: offset}, terms(order)...))
		}
	}
	page, weigh := view("weight"), func(i int) error {
		return c.Update(1+i%n, func(s *sale) error { s.Weight = i / 7 % n; return nil })
	}
	runRows(b, []benchRow{
		{"get", func(i int) error { return second(c.Get(1 + i%n)) }},
		{"get by text", func(i int) error { return second(c.By("code").Get(fmt.Sprintf("c%08d", i%n))) }},
		{"page at depth", func(i int) error { return page(i % n) }},
		{"page at depth by name, copied", func(i int) error {
			return second(c.Page(pagination.Window{Limit: benchLimit, Offset: i % n}, ordering.Asc("name")))
		}},
		{"filter and order", func(i int) error { return view("weight", ordering.Equal("depot", i%1000))(i % (n/1000 + 1)) }},
		{"update", weigh},
		{"update and page", func(i int) error {
			must(b, weigh(i))
			return page(i % n)
		}},
		{"range in the order of another field", func(i int) error {
			return view("name", ordering.Between("weight", i%n, i%n+n/10))(i % (n/20 + 1))
		}},
	})
	b.Run("page alone", func(b *testing.B) { latencies(b, n, page, nil) })
	b.Run("page beside the collector", func(b *testing.B) {
		latencies(b, n, page, func() { runtime.GC() })
	})
	b.Run("page beside 1000 updates a second", func(b *testing.B) {
		r, next := rand.New(rand.NewPCG(1, 9)), time.Now()
		latencies(b, n, page, func() {
			if time.Sleep(time.Until(next)); weigh(int(r.Uint32()>>1)) != nil {
				b.Error("an update failed")
			}
			next = next.Add(time.Millisecond)
		})
	})
	file := filepath.Join(b.TempDir(), "sales.json")
	b.Run("save", func(b *testing.B) {
		took := once(b, n, func() error { return c.SaveFile(file) })
		about := mustHave(os.Stat(file))
		b.ReportMetric(float64(about.Size())/1e6/took.Seconds(), "MB/s")
	})
	c = nil
	runtime.GC()
	b.Run("load again", func(b *testing.B) {
		again := empty()
		once(b, n, func() error { return again.LoadFile(file, catalogue.LoadOptions{}) })
		if again.Count() != n {
			b.Errorf("%d records", again.Count())
		}
	})
}

// once measures a function that takes long, once.
func once(b *testing.B, n int, f func() error) (took time.Duration) {
	b.Helper()
	for b.Loop() {
		if start := time.Now(); took == 0 {
			must(b, f())
			took = time.Since(start)
		}
	}
	b.ReportMetric(0, "ns/op") // not that of the loop
	b.ReportMetric(took.Seconds(), "s")
	b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/record")
	return took
}

// latencies reads pages at random for ten seconds, one every millisecond, while another goroutine calls
// beside again and again.
func latencies(b *testing.B, n int, read func(offset int) error, beside func()) {
	var stop atomic.Bool
	var running sync.WaitGroup
	if beside != nil {
		running.Go(func() {
			for !stop.Load() {
				beside()
			}
		})
	}
	pauses := pausesOfGC()
	took, r := []time.Duration(nil), rand.New(rand.NewPCG(2, 2))
	for b.Loop() {
		if took != nil {
			continue
		}
		began := time.Now()
		for at := began; at.Sub(began) < 10*time.Second; at = at.Add(time.Millisecond) {
			time.Sleep(time.Until(at))
			must(b, read(r.IntN(n-benchLimit)))
			took = append(took, time.Since(at)) // since the page was due
		}
	}
	stop.Store(true)
	running.Wait()
	slices.Sort(took)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micros(took[len(took)/2]), "p50-µs")
	b.ReportMetric(micros(took[len(took)*999/1000]), "p99.9-µs")
	b.ReportMetric(micros(took[len(took)-1]), "max-µs")
	b.ReportMetric(longestSince(pauses)*1e6, "pause-µs")
}

func heapAfterGC() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// pausesOfGC returns the histogram of the pauses in which the collector has stopped all goroutines.
func pausesOfGC() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// longestSince returns an upper bound of the pauses since then, in seconds.
func longestSince(before *metrics.Float64Histogram) (longest float64) {
	now := pausesOfGC()
	for i, count := range now.Counts {
		if count > before.Counts[i] {
			longest = now.Buckets[i+1]
		}
	}
	return longest
}
