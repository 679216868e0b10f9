package catalogue_test

import (
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
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

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
		c := mustHave(catalogue.NewCollection[sale](catalogue.Options{Indexes: [][]ordering.Term{terms("weight"), terms("name"), terms("depot,weight")}}))
		return c
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

// BenchmarkViewDuringWrites reports how long a view of a page takes alone and beside as many updates
// as a writer can do.
func BenchmarkViewDuringWrites(b *testing.B) {
	const n = 100_000
	c := mustCollection[sale](b, catalogue.Options{Indexes: [][]ordering.Term{terms("weight")}})
	must(b, c.ReplaceAll(sales(n)))
	for _, writers := range []int{0, 1} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			var stop atomic.Bool
			var writing sync.WaitGroup
			for range writers {
				writing.Go(func() {
					for i := 0; !stop.Load(); i++ {
						_ = c.Update(1+i%n, func(s *sale) error { s.Weight = i / 7 % n; return nil })
					}
				})
			}
			took, places := []time.Duration(nil), rand.New(rand.NewPCG(2, 2))
			for b.Loop() {
				start := time.Now()
				w := pagination.Window{Limit: benchLimit, Offset: places.IntN(n - benchLimit)}
				must(b, second(c.Where().View(w, ordering.Asc("weight"))))
				took = append(took, time.Since(start))
			}
			stop.Store(true)
			writing.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
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
