package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
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
	err := house.Events().Batch(func(tx *Tx[resources.Event]) error {
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

// BenchmarkLoadFile loads files into an empty catalogue, beside encoding/json
// reading the same bytes into plain structs: those of the documented collections
// without their methods, map[string]any for the other records. Both take turns;
// load/unmarshal is the median of the ratios of their times. What each allocates
// is relative to the file's size.
func BenchmarkLoadFile(b *testing.B) {
	for _, row := range []struct {
		name   string
		sample sample.Options
		only   string // key
		events int    // of the benchmarks' own
	}{
		{name: "sample events", sample: sample.Options{Seed: 7}, only: "events"},
		{name: "sample labels", sample: sample.Options{Seed: 7}, only: "labels"},
		{name: "sample books", sample: sample.Options{Seed: 7}, only: "books"},
		{name: "sample", sample: sample.Options{Seed: 7}},
		{name: "100,000 events", events: 100_000},
	} {
		b.Run(row.name, func(b *testing.B) {
			var file bytes.Buffer
			if row.events > 0 {
				house, _ := benchHouse(b, row.events)
				must(b, house.Save(&file))
			} else {
				_, err := sample.New(row.sample).WriteTo(&file)
				must(b, err)
			}
			if row.only != "" {
				var all map[string]json.RawMessage
				must(b, json.Unmarshal(file.Bytes(), &all))
				file = *bytes.NewBuffer(fmt.Appendf(nil, "{%q:%s}", row.only, all[row.only]))
			}
			benchLoadFile(b, file.Bytes())
		})
	}
}

func benchLoadFile(b *testing.B, data []byte) {
	path := filepath.Join(b.TempDir(), "house.json")
	must(b, os.WriteFile(path, data, 0o644))
	empty, plain := New(), plainHouse()
	load := func() { must(b, empty.Clone().LoadFile(path)) }
	unmarshal := func() { must(b, json.Unmarshal(data, reflect.New(plain).Interface())) }
	var ratios []float64
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		load()
		middle := time.Now()
		unmarshal()
		ratios = append(ratios, float64(middle.Sub(start))/float64(time.Since(middle)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "load/unmarshal")
	b.ReportMetric(allocatedBy(load)/float64(len(data)), "load-allocated/file")
	b.ReportMetric(allocatedBy(unmarshal)/float64(len(data)), "unmarshal-allocated/file")
}

// allocatedBy returns the bytes that f allocates.
func allocatedBy(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

type (
	plainEvent struct {
		ID                                         int
		Name, Slug, Summary, Description, Location string
		StartDate, EndDate                         string
		Published                                  bool
		Poster, PosterWebp                         string
		Labels, Authors                            []int
	}
	plainLink struct {
		ID         int
		Title, URL string
		Logo       *string
		Type       string
		Author     int
	}
	plainLabel resources.Label // without its methods
)

// plainHouse is the struct that encoding/json reads a file into.
func plainHouse() reflect.Type {
	var fields []reflect.StructField
	for key := range New().All() {
		t := reflect.TypeFor[[]map[string]any]()
		switch key {
		case "events":
			t = reflect.TypeFor[[]plainEvent]()
		case "labels":
			t = reflect.TypeFor[[]plainLabel]()
		case "social-links":
			t = reflect.TypeFor[[]plainLink]()
		}
		name := fmt.Sprintf("Field%d", len(fields))
		fields = append(fields, reflect.StructField{Name: name, Type: t, Tag: reflect.StructTag(`json:"` + key + `"`)})
	}
	return reflect.StructOf(fields)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
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
