package catalogue

import (
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

var allocOrders = [][]ordering.Term{
	nil,
	{ordering.Asc("name")},
	{ordering.Desc("name")},
	{ordering.Desc("published"), ordering.Asc("name")},
}

// A page costs one allocation, and into a view that was as long none; so does
// its wire form, once it was made.
func TestViewAllocates(t *testing.T) {
	house, _ := benchHouse(t, 1000)
	events := house.Events()
	w := pagination.Window{Limit: 21, Offset: 500}
	for _, terms := range allocOrders {
		var body []byte
		view, err := events.View(w, terms...) // sorts, the first time
		if err != nil {
			t.Fatal(err)
		}
		snapshot := events.Snapshot()
		read := func(v View[resources.Event], err error) {
			if err != nil || v.Len() != 21 {
				t.Fatal(v.Len(), err)
			}
			view = v
		}
		for _, row := range []struct {
			what string
			f    func()
			most float64
		}{
			{"a page", func() { read(events.View(w, terms...)) }, 1},
			{"a page of a snapshot", func() { read(snapshot.View(w, terms...)) }, 1},
			{"its JSON into a buffer", func() {
				body = body[:0]
				for i := range view.Len() {
					record, err := view.JSON(i)
					if err != nil {
						t.Fatal(err)
					}
					body = append(body, record...)
				}
			}, 0},
		} {
			if got := testing.AllocsPerRun(100, row.f); got > row.most {
				t.Errorf("%s by %q: %v allocations, want at most %v", row.what, ordering.Format(terms), got, row.most)
			}
		}
	}
}

// A record's copy is what its own slices take, and the page one more.
func TestPageAllocates(t *testing.T) {
	house, _ := benchHouse(t, 1000)
	got := testing.AllocsPerRun(100, func() {
		if _, err := house.Events().Page(pagination.Window{Limit: 21, Offset: 500}); err != nil {
			t.Fatal(err)
		}
	})
	const lists = 2 // labels and authors
	if most := 21.0*lists + 2; got > most {
		t.Errorf("%v allocations a page of copies, want at most %v", got, most)
	}
}

// A write allocates what it did before there was a feed where that is off. Where
// it is on, it is a list more in an Update, and memory for many events now and
// then.
func TestWriteAllocates(t *testing.T) {
	turn := func(e *resources.Event) error { e.Published = !e.Published; return nil }
	for _, row := range []struct {
		what    string
		write   func(c *Collection[resources.Event])
		off, on float64
	}{
		{"modify", func(c *Collection[resources.Event]) { c.Update(500, turn) }, 6, 6},
		{"update", func(c *Collection[resources.Event]) {
			c.Batch(func(tx *Tx[resources.Event]) error { return tx.Update(500, turn) })
		}, 16, 17},
	} {
		for history, most := range map[int]float64{0: row.off, 5000: row.on} {
			house, _ := benchHouse(t, 1000, Define[resources.Event]("events", Options{History: history}))
			if got := testing.AllocsPerRun(200, func() { row.write(house.Events()) }); got > most {
				t.Errorf("%s, %d changes kept: %v allocations, want at most %v", row.what, history, got, most)
			}
			if err := house.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestGetAllocates(t *testing.T) {
	house, _ := benchHouse(t, 1000)
	got := testing.AllocsPerRun(100, func() {
		if _, err := house.Events().Get(500); err != nil {
			t.Fatal(err)
		}
	})
	if got > 2 {
		t.Errorf("%v allocations, want those of two lists", got)
	}
}
