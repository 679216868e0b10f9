package catalogue

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// All records in one Update, and the orders by date and name, beside bare trees
// that are each filled in order.
func BenchmarkBulk(b *testing.B) {
	const n = 100_000
	events := benchEvents(n)
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			filledWith(b, events)
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newBareSorted(events)
		}
	})
}

// filledWith is a house of events, loaded in one Update, with orders by date and
// name.
func filledWith(b *testing.B, events []resources.Event) *Catalogue {
	house := New()
	err := house.Events().Update(func(tx *Tx[resources.Event]) error {
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
		if _, err := house.Events().View(pagination.Window{Limit: 1}, ordering.Asc(field)); err != nil {
			b.Fatal(err)
		}
	}
	return house
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

// The first page by an ordering that nobody asked for before, beside sorting
// pointers once.
func BenchmarkFirstUse(b *testing.B) {
	house, events := benchHouse(b, 100_000)
	pointers := make([]*resources.Event, len(events))
	for i := range events {
		pointers[i] = &events[i]
	}
	b.Run("end_date", func(b *testing.B) {
		for b.Loop() {
			if _, err := house.Events().Clone().View(pagination.Window{Limit: 21}, ordering.Asc("end_date")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			slices.SortFunc(slices.Clone(pointers), func(a, b *resources.Event) int {
				return cmp.Or(a.EndDate.Compare(b.EndDate.Time), a.ID-b.ID)
			})
		}
	})
}

// What a record takes beside itself and what it points to, with orders by id,
// date and name: reported as bytes/record.
func BenchmarkHeap(b *testing.B) {
	const n = 100_000
	weigh := func(f func() any) int {
		before := heapInUse()
		made := f()
		after := heapInUse()
		runtime.KeepAlive(made)
		return after - before
	}
	events := benchEvents(n)
	for b.Loop() {
		records := weigh(func() any {
			all := make([]*resources.Event, n)
			for i := range all {
				e := events[i].Clone()
				all[i] = &e
			}
			return all
		}) - 8*n // the slice
		ours := weigh(func() any { return filledWith(b, events) })
		trees := weigh(func() any { return newBareSorted(events) })
		b.ReportMetric(float64(ours-records)/n, "bytes/record")
		b.ReportMetric(float64(trees-records)/n, "bare-bytes/record")
	}
}
