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
			{"a page into another", func() { read(events.ViewInto(view, w, terms...)) }, 0},
			{"a page of a snapshot into another", func() { read(snapshot.ViewInto(view, w, terms...)) }, 0},
			{"its JSON into a buffer", func() {
				read(events.ViewInto(view, w, terms...))
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
