package main

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// plain is an event without methods, like a struct of a program's own.
type plain resources.Event

func plainType() recordType[plain] {
	return recordType[plain]{
		id: func(p *plain) *int { return &p.ID },
		copy: func(p *plain) plain {
			c := *p
			c.Labels = slices.Clone(p.Labels)
			c.Authors = slices.Clone(p.Authors)
			return c
		},
		orders: []func(a, b *plain) int{
			func(a, b *plain) int {
				if c := a.StartDate.Compare(b.StartDate.Time); c != 0 {
					return c
				}
				return a.ID - b.ID
			},
			func(a, b *plain) int {
				if c := strings.Compare(a.Name, b.Name); c != 0 {
					return c
				}
				return a.ID - b.ID
			},
		},
		names: []string{"start_date", "name"},
	}
}

// plainRecords compares a collection of structs without a Clone method with B-trees
// that have the same indexes.
func plainRecords(s setup, d *data, t *table) error {
	records := plainEvents(d.records)
	stores := []typedStore[plain]{newTypedBacklist(plainType()), newTypedBTree(plainType())}
	names := columns(s, []string{"backlist", "btree"}, "before")
	sec := section{title: fmt.Sprintf("A STRUCT WITHOUT CLONE, %s RECORDS", thousands(len(records))), peers: names[1:]}

	sec.lines = append(sec.lines, plainLoads(s, names, records))
	for _, store := range stores {
		store.load(records)
	}
	runtime.GC()
	get := []work{fetching(stores[0], d.ids), fetching(stores[1], d.ids)}
	objects := s.sample(1, len(get), func(i int) []float64 {
		_, objects := allocated(get[i])
		return []float64{objects}
	})
	sec.lines = append(sec.lines,
		versus("get a copy by id, random", names, s.timeRow(get, unbounded), atMost(1.5, "btree")),
		values("  allocations of a copy with two slices", names, pick(objects, 0), digits, atMost(2, "")))
	sec.lines = append(sec.lines, plainWrites(s, d, names, stores)...)
	t.add(sec)
	return comparePlain(stores, records)
}

func plainLoads(s setup, names []string, records []plain) line {
	s.budget *= 3
	var loads []work
	for _, create := range []func(recordType[plain]) typedStore[plain]{newTypedBacklist[plain], newTypedBTree[plain]} {
		loads = append(loads, loading(func() typedStore[plain] { return create(plainType()) },
			func(s typedStore[plain]) { s.load(records) }, func(typedStore[plain]) {}))
	}
	return versus("bulk load, all orders", names, s.timeRow(loads, 1), atMost(1.2, "btree"))
}

func plainWrites(s setup, d *data, names []string, stores []typedStore[plain]) (lines []line) {
	c := changes[plain]{
		fresh: plainEvents(d.fresh),
		moved: plainEvents(d.moved),
		still: plainEvents(d.still),
		id:    func(p *plain) int { return p.ID },
	}
	for _, w := range []struct {
		what string
		work func(writer[plain], changes[plain], func()) work
	}{
		{"insert, unread", inserting[plain]},
		{"update that moves, unread", updating[plain]},
		{"delete, unread", deleting[plain]},
		{fmt.Sprintf("batch of %s updates, unread", thousands(len(c.moved))), batching[plain]},
	} {
		row := []work{w.work(stores[0], c, noRead), w.work(stores[1], c, noRead)}
		lines = append(lines, versus(w.what, names, s.garbage().timeRow(row, unbounded), atMost(1.5, "btree")))
		for _, store := range stores {
			store.batch(c.still)
		}
	}
	return lines
}

func plainEvents(records []record) []plain {
	all := make([]plain, len(records))
	for i := range records {
		all[i] = plain(records[i].event)
	}
	return all
}

// fetching returns work that gets copies of records by id.
func fetching[T any](s typedStore[T], ids []int) work {
	at := cursor{list: ids}
	return clocked(func(times int) {
		found := 0
		for range times {
			if _, ok := s.get(at.take()); ok {
				found++
			}
		}
		runtime.KeepAlive(found)
	})
}

// comparePlain checks that every store holds the given records.
func comparePlain(stores []typedStore[plain], records []plain) error {
	for i, s := range stores {
		if count := s.page(0); count != len(records) {
			return fmt.Errorf("store %d: %w: want %d records, got %d", i, errDiffers, len(records), count)
		}
		for j := range records {
			want := resources.Event(records[j])
			got, ok := s.get(want.ID)
			if !ok || !bytes.Equal(wire(want).json, wire(resources.Event(got)).json) {
				return fmt.Errorf("store %d: %w: id %d: want %v, got %v", i, errDiffers, want.ID, want, got)
			}
		}
	}
	return nil
}
