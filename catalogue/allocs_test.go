package catalogue_test

import (
	"context"
	"errors"
	"fmt"
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
