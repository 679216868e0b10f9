package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// benchEvents makes events of some 700 bytes of JSON, their ids in the order of
// neither date nor name.
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

// benchHouse is a house with n events and orders by id, start_date and name.
func benchHouse(tb testing.TB, n int) (*Catalogue, []resources.Event) {
	tb.Helper()
	house, events := New(), benchEvents(n)
	entries := make([]*entry, n)
	for i := range events {
		entries[i] = newEntry(events[i].ID, events[i].Clone())
	}
	house.Events().store.replace(entries)
	for _, term := range []ordering.Term{ordering.Asc("start_date"), ordering.Asc("name")} {
		if _, err := house.Events().View(pagination.Window{Limit: 1}, term); err != nil {
			tb.Fatal(err)
		}
	}
	return house, events
}

var benchOrders = []struct {
	name string
	term []ordering.Term
}{
	{"default", nil},
	{"name", []ordering.Term{ordering.Asc("name")}},
	{"-name", []ordering.Term{ordering.Desc("name")}},
}

func benchOffsets(n int) map[string]int {
	return map[string]int{"first": 0, "half": n / 2, "last": n - 21}
}

// A page of 21 wherever it lies: the shared view, the caller's copies, and the
// wire form.
func BenchmarkPage(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		house, _ := benchHouse(b, n)
		events := house.Events()
		encoded, _ := house.Encoded("events")
		for _, o := range benchOrders {
			for _, place := range []string{"first", "half", "last"} {
				w := pagination.Window{Limit: 21, Offset: benchOffsets(n)[place]}
				name := fmt.Sprintf("n=%d/by=%s/at=%s", n, o.name, place)
				b.Run("view/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if v, err := events.View(w, o.term...); err != nil || v.Len() != 21 {
							b.Fatal(v.Len(), err)
						}
					}
				})
				b.Run("view-into/"+name, func(b *testing.B) {
					b.ReportAllocs()
					var v View[resources.Event]
					for b.Loop() {
						var err error
						if v, err = events.ViewInto(v, w, o.term...); err != nil || v.Len() != 21 {
							b.Fatal(v.Len(), err)
						}
					}
				})
				b.Run("copies/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if p, err := events.Page(w, o.term...); err != nil || len(p.Records) != 21 {
							b.Fatal(len(p.Records), err)
						}
					}
				})
				b.Run("encoded/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, records, err := encoded.Page(context.Background(), o.term, w); err != nil || len(records) != 21 {
							b.Fatal(len(records), err)
						}
					}
				})
			}
		}
	}
}

// Pages at random offsets, of which most are not in the processor's cache.
func BenchmarkRandomPage(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		house, _ := benchHouse(b, n)
		offsets := rand.New(rand.NewPCG(1, 2)).Perm(n - 21)
		for _, o := range benchOrders {
			b.Run(fmt.Sprintf("n=%d/by=%s", n, o.name), func(b *testing.B) {
				var v View[resources.Event]
				for i := 0; b.Loop(); i++ {
					var err error
					if v, err = house.Events().ViewInto(v, pagination.Window{Limit: 21, Offset: offsets[i%len(offsets)]}, o.term...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// bare is what somebody would write with the B-tree alone: pointers, compared
// through them, no locks, no snapshots.
type bare struct {
	id, start, name *btree.BTreeG[*resources.Event]
}

func newBare(events []resources.Event) bare {
	tree := func(less func(a, b *resources.Event) bool) *btree.BTreeG[*resources.Event] {
		t := btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
		for i := range events {
			t.Set(&events[i])
		}
		return t
	}
	return bare{
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

// newBareSorted sorts copies of the records for each tree, which then takes them
// in order.
func newBareSorted(events []resources.Event) bare {
	all := make([]*resources.Event, len(events))
	t := newBare(nil)
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

func (t bare) set(e *resources.Event)    { t.id.Set(e); t.start.Set(e); t.name.Set(e) }
func (t bare) delete(e *resources.Event) { t.id.Delete(e); t.start.Delete(e); t.name.Delete(e) }

// The same pages on bare trees, to compare with BenchmarkPage/view.
func BenchmarkBarePage(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		trees := newBare(benchEvents(n))
		for _, by := range []string{"default", "name"} {
			tree := trees.start
			if by == "name" {
				tree = trees.name
			}
			for _, place := range []string{"first", "half", "last"} {
				offset := benchOffsets(n)[place]
				b.Run(fmt.Sprintf("n=%d/by=%s/at=%s", n, by, place), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						page := make([]*resources.Event, 0, 21)
						first, _ := tree.GetAt(offset)
						tree.Ascend(first, func(e *resources.Event) bool {
							page = append(page, e)
							return len(page) < 21
						})
					}
				})
			}
		}
	}
}

// One write, seen by a reader each time or by nobody; and a thousand in one
// Update. The bare trees are written in place.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		house, events := benchHouse(b, n)
		c := house.Events()
		moved := func(e *resources.Event) error {
			e.StartDate = resources.At(e.StartDate.Add(-time.Hour))
			return nil
		}
		b.Run(fmt.Sprintf("n=%d/insert-delete/read", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id, _ := c.Insert(unnumbered(events[i%n]))
				c.Snapshot()
				c.Delete(id)
				c.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("n=%d/insert-delete/unread", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id, _ := c.Insert(unnumbered(events[i%n]))
				c.Delete(id)
			}
		})
		b.Run(fmt.Sprintf("n=%d/update/read", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Modify(1+i*7919%n, moved)
				c.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("n=%d/update/unread", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Modify(1+i*7919%n, moved)
			}
		})
		b.Run(fmt.Sprintf("n=%d/batch-1000", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Update(func(tx *Tx[resources.Event]) error {
					for i := range 1000 {
						tx.Modify(1+i*7919%n, moved)
					}
					return nil
				})
			}
		})
		trees := newBare(events)
		b.Run(fmt.Sprintf("n=%d/bare-insert-delete", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := events[i%n].Clone()
				e.ID = n + 1 + i
				trees.set(&e)
				trees.delete(&e)
			}
		})
		b.Run(fmt.Sprintf("n=%d/bare-update", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				old, _ := trees.id.Get(&resources.Event{ID: 1 + i*7919%n})
				e := old.Clone()
				moved(&e)
				trees.start.Delete(old)
				trees.set(&e)
			}
		})
	}
}

func unnumbered(e resources.Event) resources.Event {
	e.ID = 0
	return e
}

// All records in one Update, and the orders by date and name, beside bare trees
// that are each filled in order.
func BenchmarkBulk(b *testing.B) {
	const n = 100_000
	events := benchEvents(n)
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := New().Events()
			err := c.Update(func(tx *Tx[resources.Event]) error {
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
				if _, err := c.View(pagination.Window{Limit: 1}, ordering.Asc(field)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newBareSorted(events)
		}
	})
}

// Loading a file, checked and indexed.
func BenchmarkLoad(b *testing.B) {
	house, _ := benchHouse(b, 10_000)
	var file strings.Builder
	if err := house.Save(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if err := house.Load(strings.NewReader(file.String())); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClone(b *testing.B) {
	house, _ := benchHouse(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		house.Clone()
	}
}

func BenchmarkGet(b *testing.B) {
	house, _ := benchHouse(b, 100_000)
	for i := 0; b.Loop(); i++ {
		if _, err := house.Events().Get(1 + i*7919%100_000); err != nil {
			b.Fatal(err)
		}
	}
}
