package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// loads measures operations on all records at once, with no other store in memory.
func loads(s setup, d *data, t *table) error {
	s.budget *= 3
	empty := s.newStores(len(d.records))
	defer closeAll(empty)
	names := columns(s, storeNames(empty), "before")
	sec := section{title: fmt.Sprintf("ALL AT ONCE, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	var structs []work
	for _, make := range s.constructors(len(d.records)) {
		structs = append(structs, loading(make, func(s store) { s.load(d.records) }, store.close))
	}
	sec.lines = append(sec.lines, versus("bulk load of structs, all orders", names, s.timeRow(structs, 1), atMost(1.2, "btree")))
	if len(d.records) <= maxCompared {
		lines, err := fileLoads(s, d)
		if err != nil {
			return err
		}
		sec.lines = append(sec.lines, lines...)
	}
	sec.lines = append(sec.lines, firstOrders(s, d)...)
	sec.lines = append(sec.lines, sizes(s, d, names))
	t.add(sec)
	return nil
}

// loading returns work that fills a new store, after a garbage collection.
func loading[S any](make func() S, load, drop func(S)) work {
	return func(times int) (took time.Duration) {
		for range times {
			s := make()
			runtime.GC()
			start := time.Now()
			load(s)
			took += time.Since(start)
			drop(s)
		}
		return took
	}
}

// onceClean returns work that times f after a garbage collection.
func onceClean(f func()) work {
	return loading(func() struct{} { return struct{}{} }, func(struct{}) { f() }, func(struct{}) {})
}

// firstOrders compares the first use of an ordering with sorting a slice of
// pointers. Each turn uses a clone without that index.
func firstOrders(s setup, d *data) (lines []line) {
	s.rounds = min(s.rounds, 7)
	backlist := newBacklist().(*backlistStore)
	backlist.load(d.records)
	pointers := make([]*record, len(d.records))
	for i := range d.records {
		pointers[i] = &d.records[i]
	}
	for _, o := range []struct {
		name    string
		compare func(a, b *record) int
	}{
		{"end_date", func(a, b *record) int {
			if c := a.event.EndDate.Compare(b.event.EndDate.Time); c != 0 {
				return c
			}
			return a.event.ID - b.event.ID
		}},
		{"slug", func(a, b *record) int {
			if c := strings.Compare(a.event.Slug, b.event.Slug); c != 0 {
				return c
			}
			return a.event.ID - b.event.ID
		}},
	} {
		first := onceClean(func() {
			_, err := backlist.events.Clone().Where().View(pagination.Window{Limit: 1}, ordering.Asc(o.name))
			check(err)
		})
		once := onceClean(func() { slices.SortFunc(slices.Clone(pointers), o.compare) })
		names := columns(s, []string{backlist.name(), "a sort"}, "before")
		l := versus("first use of the order by "+o.name, names, s.timeRow([]work{first, once}, 1), atMost(1.2, "a sort"))
		lines = append(lines, l.withoutLastPeer())
	}
	return lines
}

// sizes measures the memory of each store: the bytes per record that exceed the
// record itself, which is the event's struct with what it points to, or the JSON
// for stores that keep text.
func sizes(s setup, d *data, names []string) line {
	n := len(d.records)
	events := heapGrowth(func() any {
		all := make([]*resources.Event, n)
		for i := range all {
			e := cloneOf(d.records[i].event)
			all[i] = &e
		}
		return all
	})/n - 8 // less the slice's elements
	text := 0
	for i := range d.records {
		text += len(d.records[i].json)
	}
	constructors := s.constructors(n)
	bytes := s.sample(1, len(constructors), func(i int) []float64 {
		var st store
		size := heapGrowth(func() any { st = constructors[i](); st.load(d.records); return st })
		defer st.close()
		switch st := st.(type) {
		case *sqliteStore:
			return []float64{float64((st.bytes() - text) / n)}
		case *buntStore:
			return []float64{float64((size - text) / n)}
		}
		return []float64{float64(size/n - events)}
	})
	return values("bytes a record beyond the record", names, pick(bytes, 0), whole, atMost(130, ""))
}

// heapGrowth returns the size of the value that f returns, in bytes of heap.
func heapGrowth(f func() any) int {
	before := heap()
	made := f()
	after := heap()
	runtime.KeepAlive(made)
	return int(after) - int(before)
}

// heap returns the size of the heap after a garbage collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // collects the objects that the first has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
