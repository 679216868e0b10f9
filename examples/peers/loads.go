package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// fileRecords is the size up to which a file is loaded: reading JSON takes the
// same for each record, however many there are.
const fileRecords = 10_000

// loads measures what is done to all records at once, while no other store is in
// memory.
func loads(s setup, d *data, t *table) {
	s.patience *= 3
	empty := newStores(len(d.records))
	defer closeAll(empty)
	names := names(empty)
	sec := section{title: fmt.Sprintf("ALL AT ONCE, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	var structs []work
	for _, make := range kinds(len(d.records)) {
		structs = append(structs, loading(make, d))
	}
	sec.lines = append(sec.lines, versus("bulk load of structs, all orders", names, s.race(structs, 1), atMost(1.1, "btree")))
	if len(d.records) <= fileRecords {
		sec.lines = append(sec.lines, versus("bulk load of a JSON file, all orders", names, s.race(loadingFile(d, len(names)), 1), goal{than: "btree"}))
	}
	sec.lines = append(sec.lines, firstOrders(s, d)...)
	sec.lines = append(sec.lines, sizes(d))
	t.add(sec)
}

// loading fills a new store of a kind. The garbage of the one before is gone.
func loading(make func() store, d *data) work {
	return func(times int) (took time.Duration) {
		for range times {
			s := make()
			runtime.GC()
			start := time.Now()
			s.load(d.records)
			took += time.Since(start)
			s.close()
		}
		return took
	}
}

// loadingFile is the same from a JSON array, for us and for bare trees, which
// have encoding/json read it.
func loadingFile(d *data, kinds int) []work {
	var file bytes.Buffer
	for i := range d.records {
		file.WriteByte("[,"[min(i, 1)])
		file.Write(d.records[i].json)
	}
	file.WriteByte(']')
	entrants := make([]work, kinds)
	entrants[0] = onceClean(func() {
		s := wrap(catalogue.New())
		check(s.house.LoadCollection("events", bytes.NewReader(file.Bytes())))
		s.prepare()
	})
	entrants[1] = onceClean(func() {
		var events []resources.Event
		check(json.Unmarshal(file.Bytes(), &events))
		records := make([]record, len(events))
		for i := range events {
			records[i].event = events[i]
		}
		newBare().load(records)
	})
	return entrants
}

// onceClean clocks work that begins without garbage.
func onceClean(f func()) work {
	return func(times int) (took time.Duration) {
		for range times {
			runtime.GC()
			start := time.Now()
			f()
			took += time.Since(start)
		}
		return took
	}
}

// firstOrders measures the first use of an ordering beside sorting a slice of
// pointers once. Each turn has a fork that does not know the ordering yet.
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
		l := versus("first use of the order by "+o.name, []string{"", "a sort"}, s.race([]work{first, once}, 1), atMost(1.2, "a sort"))
		l.peers = nil
		lines = append(lines, l)
	}
	return lines
}

// sizes weighs a store of each kind: bytes a record beyond the event's struct and
// what that points to, or for those that keep text, beyond the JSON.
func sizes(d *data) line {
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
	var bytes []int
	for _, make := range kinds(len(d.records)) {
		var s store
		heap := weigh(func() any { s = make(); s.load(d.records); return s })
		switch kind := s.(type) {
		case *sqlite:
			bytes = append(bytes, (kind.bytes()-text)/n)
		case *bunt:
			bytes = append(bytes, (heap-text)/n)
		default:
			bytes = append(bytes, heap/n-events)
		}
		s.close()
	}
	l := line{what: "bytes a record beyond the record", ours: fmt.Sprint(bytes[0]), ratio: float64(bytes[0]), goal: atMost(130, "")}
	for _, b := range bytes[1:] {
		l.peers = append(l.peers, fmt.Sprint(b))
	}
	return l
}

// weigh tells by how much the heap is larger for what f makes.
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
