package pgstore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkPage reads pages of 21 events in memory and in PostgreSQL, ordered by two
// fields with an index (a time and text) and by one without. It reports the median and the
// 99th percentile. The environment variable BACKLIST_POSTGRES_ROWS is the number of events.
func BenchmarkPage(b *testing.B) {
	rows := 10_000
	if text := os.Getenv("BACKLIST_POSTGRES_ROWS"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	cat := houseOf(b, rows)
	memory, err := cat.Collection("events")
	if err != nil {
		b.Fatal(err)
	}
	dsn := newDSN(b)
	store := openUnchecked(b, pgstore.Options{DSN: dsn, Timeout: -1})
	loadFrom(b, store, cat)
	if _, err := connect(b, dsn).Exec("VACUUM ANALYZE events"); err != nil { // autovacuum would run later
		b.Fatal(err)
	}
	for _, order := range []struct {
		name  string
		terms []ordering.Term
	}{
		{"start_date", []ordering.Term{ordering.Asc("start_date"), ordering.Asc("id")}},
		{"name", []ordering.Term{ordering.Asc("name"), ordering.Asc("id")}},
		{"location", []ordering.Term{ordering.Asc("location"), ordering.Asc("id")}},
	} {
		for _, place := range []struct {
			name   string
			offset int
		}{{"first", 0}, {"at-1000", 1000}, {"quarter", rows / 4}, {"middle", rows / 2}, {"last", rows - 21}} {
			w := pagination.Window{Limit: 21, Offset: place.offset}
			for _, s := range []struct {
				name       string
				collection httpapi.Collection
			}{{"memory", memory}, {"postgres", collectionOf(store, "events")}} {
				b.Run(order.name+"/"+place.name+"/"+s.name, func(b *testing.B) {
					benchmarkPage(b, s.collection, w, order.terms)
				})
			}
		}
	}
}

func benchmarkPage(b *testing.B, c httpapi.Collection, w pagination.Window, terms []ordering.Term) {
	var times []time.Duration
	read := func() {
		start := time.Now()
		if _, _, err := pageOf(b.Context(), c, w, terms...); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	read() // builds the index in memory
	times = nil
	for b.Loop() {
		read()
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}

// houseOf returns a catalogue with made-up events.
func houseOf(tb testing.TB, events int) *catalogue.Catalogue {
	tb.Helper()
	cat := mustNew()
	err := mustIn(resources.Events, cat).Batch(func(tx *catalogue.Tx[resources.Event]) error {
		for _, e := range sampleEvents(tb, events) {
			if _, err := tx.Insert(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return cat
}

// sampleEvents returns n made-up events.
func sampleEvents(tb testing.TB, n int) []resources.Event {
	tb.Helper()
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{Sizes: map[string]int{"events": n}}); err != nil {
		tb.Fatal(err)
	}
	var all struct{ Events []resources.Event }
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		tb.Fatal(err)
	}
	return all.Events
}
