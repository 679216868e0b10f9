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

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkBulk inserts all records in one batch and builds two indexes.
func BenchmarkBulk(b *testing.B) {
	events := benchEvents(100_000)
	b.ReportAllocs()
	for b.Loop() {
		newFilledHouse(b, events)
	}
}

// newFilledHouse returns a catalogue with events, inserted in one batch, and with indexes
// by date and name.
func newFilledHouse(b *testing.B, events []schema.Event) *Catalogue {
	house := New()
	err := house.Events().Batch(func(tx *Tx[schema.Event]) error {
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

// BenchmarkLoadFile compares loading a file into an empty catalogue with encoding/json,
// which reads the same bytes into plain structs: the documented types without their
// methods, and map[string]any for all other records. The two alternate. load/unmarshal
// is the median of the ratios of their times. Allocations are relative to the size of
// the file.
func BenchmarkLoadFile(b *testing.B) {
	for _, row := range []struct {
		name   string
		sample sample.Options
		only   string // the key of the only collection; if empty, all are loaded
		events int    // if positive, the number of generated events, instead of a sample
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
	plainLabel schema.Label // without its methods
)

// plainHouse returns the struct type that encoding/json reads a file into.
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

// BenchmarkFirstUse compares the first page by an ordering, which builds its index, with
// sorting pointers once.
func BenchmarkFirstUse(b *testing.B) {
	house, events := benchHouse(b, 100_000)
	pointers := make([]*schema.Event, len(events))
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
			slices.SortFunc(slices.Clone(pointers), func(a, b *schema.Event) int {
				return cmp.Or(a.EndDate.Compare(b.EndDate.Time), a.ID-b.ID)
			})
		}
	})
}

// BenchmarkHeap reports the memory that each record takes with indexes by id, date and
// name, without the record itself and what it points to.
func BenchmarkHeap(b *testing.B) {
	const n = 100_000
	heapOf := func(f func() any) int {
		before := heapInUse()
		made := f()
		after := heapInUse()
		runtime.KeepAlive(made)
		return after - before
	}
	events := benchEvents(n)
	for b.Loop() {
		records := heapOf(func() any {
			all := make([]*schema.Event, n)
			for i := range all {
				e := events[i].Clone()
				all[i] = &e
			}
			return all
		}) - 8*n // without the slice
		ours := heapOf(func() any { return newFilledHouse(b, events) })
		b.ReportMetric(float64(ours-records)/n, "bytes/record")
	}
}
