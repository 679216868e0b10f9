package etcdstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// benchmarked is a cluster with made-up events. The environment variable BACKLIST_ETCD_ROWS
// is their number.
type benchmarked struct {
	*testCluster
	rows  int
	store *etcdstore.Store // of the second member
}

// newBenchmarked starts a cluster whose members sync their files.
func newBenchmarked(b *testing.B) *benchmarked {
	m := &benchmarked{rows: 10_000}
	if text := os.Getenv("BACKLIST_ETCD_ROWS"); text != "" {
		var err error
		if m.rows, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	m.testCluster = startCluster(b, 3, func(c *embed.Config) { c.UnsafeNoFsync = false })
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{Sizes: map[string]int{"events": m.rows}}); err != nil {
		b.Fatal(err)
	}
	m.store = m.open(b, false)
	start := time.Now()
	if err := m.store.Load(b.Context(), &file); err != nil {
		b.Fatal(err)
	}
	b.Logf("loaded %d events in %v", m.rows, time.Since(start))
	return m
}

// open opens a store in the process of the second member, as the program does.
func (m *benchmarked) open(b *testing.B, serializable bool) *etcdstore.Store {
	b.Helper()
	store, err := etcdstore.Open(b.Context(), etcdstore.Options{
		Client:       v3client.New(m.Members[1].Server),
		Serializable: serializable,
		Timeout:      time.Minute,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	return store
}

// BenchmarkPage reads pages of 21 events, as the benchmark of the same name in
// examples/postgres does. It reports the median and the 99th percentile.
func BenchmarkPage(b *testing.B) {
	m := newBenchmarked(b)
	stores := map[string]*etcdstore.Store{"linearizable": m.store, "serializable": m.open(b, true)}
	for _, order := range [][]ordering.Term{
		{ordering.Asc("start_date"), ordering.Asc("id")},
		{ordering.Asc("name"), ordering.Asc("id")},
	} {
		for _, place := range []struct {
			name   string
			offset int
		}{{"first", 0}, {"middle", m.rows / 2}, {"last", m.rows - 21}} {
			w := pagination.Window{Limit: 21, Offset: place.offset}
			for _, name := range []string{"serializable", "linearizable"} {
				events := storeCollection(stores[name], "events")
				b.Run(fmt.Sprintf("%s/%s/%s", order[0].Field, place.name, name), func(b *testing.B) {
					benchmarkPage(b, events, catalogue.Query{Window: w, Terms: order})
				})
			}
		}
	}
}

func benchmarkPage(b *testing.B, c httpapi.Collection, q catalogue.Query) {
	var times []time.Duration
	read := func() {
		start := time.Now()
		if list, err := c.List(b.Context(), q); err != nil || len(list.Records) != 21 {
			b.Fatalf("%d records, %v", len(list.Records), err)
		}
		times = append(times, time.Since(start))
	}
	read() // builds the index
	times = nil
	for b.Loop() {
		read()
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}

// BenchmarkParallelPage reads linearizable pages from 64 goroutines.
func BenchmarkParallelPage(b *testing.B) {
	m := newBenchmarked(b)
	events := storeCollection(m.store, "events")
	b.ResetTimer()
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for offset := 0; pb.Next(); offset = (offset + 21) % m.rows {
			q := catalogue.Query{
				Window: pagination.Window{Limit: 21, Offset: offset},
				Terms:  []ordering.Term{ordering.Asc("start_date"), ordering.Asc("id")},
			}
			if _, err := events.List(b.Context(), q); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkCreate creates events through one node, one after the other or 64 at a time.
func BenchmarkCreate(b *testing.B) {
	m := newBenchmarked(b)
	events := storeCollection(m.store, "events")
	const body = `{"name":"n","slug":"s","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z"}`
	create := func(ctx context.Context) error {
		_, err := events.Create(ctx, []byte(body))
		return err
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			if err := create(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("64", func(b *testing.B) {
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := create(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkOpen opens a store. It reports the memory of the records.
func BenchmarkOpen(b *testing.B) {
	m := newBenchmarked(b)
	before := heap()
	store := m.open(b, false)
	memory := heap() - before
	runtime.KeepAlive(store)
	for b.Loop() {
		m.open(b, false).Close()
	}
	b.ReportMetric(float64(memory)/float64(m.rows), "B/event")
}

// heap returns the number of bytes in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // for what finalizers released
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
