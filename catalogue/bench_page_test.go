package catalogue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

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
		house, _ := benchHouse(b, n)
		events := house.Events()
		encoded, _ := house.Encoded("events")
		for _, o := range benchOrders {
			for _, kind := range []struct {
				name string
				read func(pagination.Window) (int, error)
			}{
				{"view", func(w pagination.Window) (int, error) {
					v, err := events.View(w, o.term...)
					return v.Len(), err
				}},
				{"copies", func(w pagination.Window) (int, error) {
					p, err := events.Page(w, o.term...)
					return len(p.Records), err
				}},
				{"encoded", func(w pagination.Window) (int, error) {
					_, records, err := encoded.Page(context.Background(), w, o.term)
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

// BenchmarkSlicePage reads from a sorted slice the pages of BenchmarkPage/copies and
// BenchmarkEnvelope.
func BenchmarkSlicePage(b *testing.B) {
	const n = 100_000
	house, events := benchHouse(b, n)
	slices.SortFunc(events, func(a, b schema.Event) int {
		if c := a.StartDate.Compare(b.StartDate.Time); c != 0 {
			return c
		}
		return a.ID - b.ID
	})
	pointers, encoded := make([]*schema.Event, n), make([][]byte, n)
	all := encodeAll(b, house, n)
	for i := range events {
		e := events[i].Clone()
		text, err := all.JSON(i)
		if err != nil {
			b.Fatal(err)
		}
		pointers[i], encoded[i] = &e, text // the same bytes that BenchmarkEnvelope copies
	}
	for _, place := range benchOffsets(n) {
		b.Run("copies/at="+place.name, func(b *testing.B) {
			b.ReportAllocs()
			var kept []schema.Event // forces the page onto the heap
			for i := 0; b.Loop(); i++ {
				offset := place.offsets[i%len(place.offsets)]
				page := make([]schema.Event, benchLimit)
				for j, e := range pointers[offset:][:benchLimit] {
					page[j] = e.Clone()
				}
				kept = page
			}
			runtime.KeepAlive(&kept)
		})
		b.Run("envelope/at="+place.name, func(b *testing.B) {
			b.ReportAllocs()
			var body []byte
			for i := 0; b.Loop(); i++ {
				offset := place.offsets[i%len(place.offsets)]
				body = append(body[:0], `{"count":100000,"next":"http://127.0.0.1/api/events/?limit=21&offset=50021",`+
					`"previous":"http://127.0.0.1/api/events/?limit=21&offset=49979","results":[`...)
				for _, text := range encoded[offset:][:benchLimit] {
					body = append(append(body, text...), ',')
				}
				body = append(body, "]}"...)
			}
		})
	}
}

// encodeAll returns all events, after their JSON has been made.
func encodeAll(b *testing.B, house *Catalogue, n int) View[schema.Event] {
	all, err := house.Events().View(pagination.Window{Limit: n})
	if err != nil {
		b.Fatal(err)
	}
	for i := range all.Len() {
		if _, err := all.JSON(i); err != nil {
			b.Fatal(err)
		}
	}
	return all
}

// BenchmarkEnvelope writes an envelope with its links into a reused buffer.
func BenchmarkEnvelope(b *testing.B) {
	const n = 100_000
	house, _ := benchHouse(b, n)
	query := pagination.ParseQuery("limit=21&offset=50000")
	encodeAll(b, house, n)
	for _, place := range benchOffsets(n) {
		b.Run("at="+place.name, func(b *testing.B) {
			b.ReportAllocs()
			var body []byte
			for i := 0; b.Loop(); i++ {
				w := pagination.Window{Limit: benchLimit, Offset: place.offsets[i%len(place.offsets)]}
				view, err := house.Events().View(w)
				if err != nil {
					b.Fatal(err)
				}
				body = append(body[:0], `{"count":100000,"next":"`...)
				body, _ = pagination.AppendNext(body, "http://127.0.0.1/api/events/", query, w, n)
				body = append(body, `","previous":"`...)
				body, _ = pagination.AppendPrevious(body, "http://127.0.0.1/api/events/", query, w, n)
				body = append(body, `","results":[`...)
				for j := range view.Len() {
					text, err := view.JSON(j)
					if err != nil {
						b.Fatal(err)
					}
					body = append(append(body, text...), ',')
				}
				body = append(body, "]}"...)
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	const n = 100_000
	house, _ := benchHouse(b, n)
	for i := 0; b.Loop(); i++ {
		if _, err := house.Events().Get(1 + i*7919%n); err != nil {
			b.Fatal(err)
		}
	}
}
