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

// loads measures what is done to all records at once, while no other store is in
// memory.
func loads(s setup, d *data, t *table) error {
	s.patience *= 3
	empty := s.newStores(len(d.records))
	defer closeAll(empty)
	names := columns(s, storeNames(empty), "before")
	sec := section{title: fmt.Sprintf("ALL AT ONCE, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	var structs []work
	for _, make := range s.kinds(len(d.records)) {
		structs = append(structs, loading(make, func(s store) { s.load(d.records) }, store.close))
	}
	sec.lines = append(sec.lines, versus("bulk load of structs, all orders", names, s.race(structs, 1), atMost(1.2, "btree")))
	if len(d.records) <= many {
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

// loading returns work that fills a new store. The garbage of the one before is
// gone.
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

// onceClean clocks work that begins without garbage.
func onceClean(f func()) work {
	return loading(func() struct{} { return struct{}{} }, func(struct{}) { f() }, func(struct{}) {})
}

// firstOrders measures the first use of an ordering beside sorting a slice of
// pointers once. Each turn has a clone that does not know the ordering yet.
func firstOrders(s setup, d *data) (lines []line) {
	s.rounds = min(s.rounds, 7)
	us := newOurs().(*ours)
	us.load(d.records)
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
			_, err := us.events.Clone().View(pagination.Window{Limit: 1}, ordering.Asc(o.name))
			check(err)
		})
		once := onceClean(func() { slices.SortFunc(slices.Clone(pointers), o.compare) })
		names := columns(s, []string{us.name(), "a sort"}, "before")
		l := versus("first use of the order by "+o.name, names, s.race([]work{first, once}, 1), atMost(1.2, "a sort"))
		lines = append(lines, l.withoutLast())
	}
	return lines
}

// sizes weighs a store of each kind: bytes a record beyond the event's struct and
// what that points to, or for those that keep text, beyond the JSON.
func sizes(s setup, d *data, names []string) line {
	n := len(d.records)
	events := weigh(func() any {
		all := make([]*resources.Event, n)
		for i := range all {
			e := d.records[i].event.Clone()
			all[i] = &e
		}
		return all
	})/n - 8 // the slice itself
	text := 0
	for i := range d.records {
		text += len(d.records[i].json)
	}
	kinds := s.kinds(n)
	bytes := s.sample(1, len(kinds), func(i int) []float64 {
		var st store
		heap := weigh(func() any { st = kinds[i](); st.load(d.records); return st })
		defer st.close()
		switch kind := st.(type) {
		case *sqlite:
			return []float64{float64((kind.bytes() - text) / n)}
		case *bunt:
			return []float64{float64((heap - text) / n)}
		}
		return []float64{float64(heap/n - events)}
	})
	return values("bytes a record beyond the record", names, pick(bytes, 0), whole, atMost(130, ""))
}

// weigh returns by how much the heap is larger for what f makes.
func weigh(f func() any) int {
	before := heap()
	made := f()
	after := heap()
	runtime.KeepAlive(made)
	return int(after) - int(before)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
