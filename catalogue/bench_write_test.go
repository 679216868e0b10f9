package catalogue

import (
	"fmt"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// BenchmarkWrite measures single writes, with and without a snapshot after each, and
// batches of a thousand.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		house, events := benchHouse(b, n)
		c := house.Events()
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
				c.Batch(func(tx *Tx[schema.Event]) error {
					for i := range 1000 {
						tx.Update(1+i*7919%n, startEarlier)
					}
					return nil
				})
			}
		})
	}
}

func withoutID(e schema.Event) schema.Event {
	e.ID = 0
	return e
}

func BenchmarkClone(b *testing.B) {
	house, _ := benchHouse(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		house.Clone()
	}
}

// BenchmarkHistory measures writes to a collection with a history, and Since.
func BenchmarkHistory(b *testing.B) {
	for _, history := range []int{0, 1000, 100_000} {
		const n = 10_000
		house, _ := benchHouse(b, n, Define[schema.Event]("events", Options{History: history}))
		c := house.Events()
		b.Run(fmt.Sprintf("kept=%d/update", history), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Update(1+i*7919%n, startEarlier)
			}
		})
		b.Run(fmt.Sprintf("kept=%d/batch-1000", history), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Batch(func(tx *Tx[schema.Event]) error {
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
