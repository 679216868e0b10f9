package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// loads measures operations on all records at once, with no other store in memory.
func loads(s setup, d *data[event]) []*section {
	s.budget *= 3
	n := len(d.records)
	stores := constructors()
	empty := opened(d.kind, stores)
	defer closeAll(empty)
	sec := &section{title: fmt.Sprintf("ALL AT ONCE, %s RECORDS", thousands(n)), names: storeNames(empty)}
	structs := each(stores, func(open constructor[event]) work { return filling(d, open) })
	sec.times("bulk load of structs, all orders", s.timeRow(structs, 1), atMost(1.2, "btree"))
	fileLoads(s, d, sec)
	firstOrders(s, d, sec)
	sec.values("bytes a record beyond the record", sizes(d, stores), whole, ownAtMost(130, ""))
	return []*section{sec}
}

func filling[T any](d *data[T], open constructor[T]) work {
	return loading(func() store[T] { return open(d.kind) }, func(s store[T]) { s.load(d.records) }, store[T].close)
}

// textEvent is an event that encoding/json decodes without calling methods: its
// dates are strings.
type textEvent struct {
	plainEvent
	StartDate string `json:"startDate"`
	EndDate   string `json:"endDate"`
}

// fileLoads compares LoadFile with json.Unmarshal of the same bytes.
func fileLoads(s setup, d *data[event], sec *section) {
	all := each(d.records, func(r item[event]) []byte { return r.json })
	text := slices.Concat([]byte(`{"events":[`), bytes.Join(all, []byte(",\n")), []byte("]}\n"))
	dir, err := os.MkdirTemp("", "peers-file-")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "catalogue.json")
	check(os.WriteFile(path, text, 0o644))
	load := func() {
		c, err := resources.New()
		check(err)
		check(c.LoadFile(path, catalogue.LoadOptions{}))
	}
	unmarshal := func() {
		var c struct {
			Events []textEvent `json:"events"`
		}
		check(json.Unmarshal(text, &c))
	}
	sec.times("LoadFile", s.timeRow([]work{onceClean(load), onceClean(unmarshal)}, 1), atMost(1, "json"), "json")
	allocations, _ := allocatedOnce(load)
	share := [][]float64{{allocations / float64(len(text))}}
	sec.values("  bytes that it allocates ÷ the file's", share, multiple, ownAtMost(4, ""))
}

// firstOrders compares the first use of an ordering with sorting a slice of
// pointers. Each turn uses a clone without that index.
func firstOrders(s setup, d *data[event], sec *section) {
	s.rounds = min(s.rounds, 7)
	backlist := newBacklist(d.kind).(*backlistStore[event])
	backlist.load(d.records)
	pointers := make([]*event, len(d.records))
	for i := range d.records {
		pointers[i] = &d.records[i].value
	}
	for _, o := range []struct {
		name    string
		compare func(a, b *event) int
	}{
		{"end_date", func(a, b *event) int { return cmp.Or(a.EndDate.Compare(b.EndDate.Time), a.ID-b.ID) }},
		{"slug", func(a, b *event) int { return cmp.Or(strings.Compare(a.Slug, b.Slug), a.ID-b.ID) }},
	} {
		first := onceClean(func() {
			_, err := backlist.records.Clone().Where().View(pagination.Window{Limit: 1}, ordering.Asc(o.name))
			check(err)
		})
		sort := onceClean(func() { slices.SortFunc(slices.Clone(pointers), o.compare) })
		sec.times("first use of the order by "+o.name, s.timeRow([]work{first, sort}, 1), atMost(1.2, "a sort"), "a sort")
	}
}

// sizes measures the memory of each store: the bytes per record that exceed the
// record itself, which is the event's struct with what it points to, or the JSON
// for SQLite.
func sizes(d *data[event], stores []constructor[event]) [][]float64 {
	n := len(d.records)
	structs := heapGrowth(func() any {
		return each(d.records, func(r item[event]) *event { e := cloneOf(r.value); return &e })
	}) - 8*n // less the slice's elements
	text := 0
	for i := range d.records {
		text += len(d.records[i].json)
	}
	return figures(stores, func(open constructor[event]) float64 {
		var st store[event]
		size := heapGrowth(func() any { st = open(d.kind); st.load(d.records); return st })
		defer st.close()
		record := structs
		if st, ok := st.(*sqliteStore[event]); ok {
			record, size = text, st.bytes()
		}
		return float64((size - record) / n)
	})
}
