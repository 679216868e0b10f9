package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// BenchmarkWrite compares single writes to a store of five indexes with the same writes to five
// trees alone: before all pages are read, after that, and with a page of each index after each
// ten writes. The metric is the ratio of their times.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	orders := []string{"id", "number", "text", "note", "number,text"}
	for _, mode := range []string{"unread", "read", "among reads"} {
		for _, op := range []string{"insert", "update", "move nothing", "delete"} {
			b.Run(mode+"/"+op, func(b *testing.B) {
				typ := newType(0)
				for _, order := range orders[1:] {
					if err := typ.AddIndex(parse(order)); err != nil {
						b.Fatal(err)
					}
				}
				c, rng := New(typ), rand.New(rand.NewPCG(3, 8))
				fresh := func(id int) *record {
					note := fmt.Sprint("note ", rng.IntN(n))
					return &record{Entry: Entry{id}, number: rng.Int64N(n), text: fmt.Sprintf("%03d %d", rng.IntN(1000), id), note: &note}
				}
				entries := make([]*Entry, n, 2*n)
				for i := range entries {
					entries[i] = &fresh(i + 1).Entry
				}
				if err := replace(Replacement{Store: c, Entries: entries}); err != nil {
					b.Fatal(err)
				}
				var trees []index
				for _, x := range c.Current().indexes {
					trees = append(trees, x.empty())
				}
				trees = append(trees, newPrimary())
				for _, x := range trees {
					x.fill(entries)
				}
				if mode != "unread" {
					readEverywhere(b, c, orders)
				}
				change := func() Change {
					var old *Entry
					for old == nil && op != "insert" {
						old = entries[rng.IntN(len(entries))]
					}
					if old == nil {
						r := fresh(len(entries) + 1)
						entries = append(entries, &r.Entry)
						return Change{New: &r.Entry}
					}
					next := *recordOf(old)
					switch op {
					case "delete":
						entries[old.ID-1] = nil
						return Change{Old: old}
					case "update":
						next.number = rng.Int64N(n)
					}
					entries[old.ID-1] = &next.Entry
					return Change{old, &next.Entry}
				}
				var changes [10]Change
				var engine, alone time.Duration
				engineFirst := false
				for b.Loop() {
					if op == "delete" && c.Len() < n/2 {
						break
					}
					for i := range changes {
						changes[i] = change()
					}
					for range 2 { // each in turn finds the records in the caches of the processor
						start := time.Now()
						if engineFirst = !engineFirst; engineFirst {
							for _, ch := range changes {
								c.Write(func(*State) (Change, error) { return ch, nil })
							}
							engine += time.Since(start)
							continue
						}
						for _, ch := range changes {
							for _, x := range trees {
								apply(x, ch)
							}
						}
						alone += time.Since(start)
					}
					engineFirst = !engineFirst
					if mode == "among reads" {
						start := time.Now()
						for _, order := range orders {
							Page(b.Context(), c, Query{Window: pagination.Window{Offset: rng.IntN(n / 2), Limit: 20}}, parse(order))
						}
						engine += time.Since(start)
						start = time.Now()
						for _, x := range trees {
							x.(interface {
								walk([]*Entry, int, int, bool) []*Entry
							}).walk(make([]*Entry, 0, 20), rng.IntN(n/2), 20, false)
						}
						alone += time.Since(start)
					}
				}
				b.ReportMetric(float64(engine)/float64(alone), "×trees")
				b.ReportMetric(float64(engine)/float64(10*b.N), "ns/write")
			})
		}
	}
}

// readEverywhere reads pages until all arrays are made.
func readEverywhere(tb testing.TB, c *Store, orders []string) {
	for range 3 * partReads {
		for _, order := range orders {
			for at := 0; at < c.Len(); at += partLen / 2 {
				_, _, err := Page(tb.Context(), c, Query{Window: pagination.Window{Offset: at, Limit: 1}}, ordering.Parse(order, nil))
				if err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
}
