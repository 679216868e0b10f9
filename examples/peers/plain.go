package main

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// plain is an event without methods: a struct of strings, numbers, times and
// slices as a program's own collection has it.
type plain resources.Event

func plainKind() kind[plain] {
	return kind[plain]{
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

// plains measures a record type without a Clone method beside trees that have the
// same indexes, with nothing else in memory.
func plains(s setup, d *data, t *table) error {
	records := plainOf(d.records)
	shelves := []shelf[plain]{newTyped(plainKind()), newTrees(plainKind())}
	names := columns(s, []string{"backlist", "btree"}, "before")
	sec := section{title: fmt.Sprintf("A STRUCT WITHOUT CLONE, %s RECORDS", thousands(len(records))), peers: names[1:]}

	sec.lines = append(sec.lines, plainLoads(s, names, records))
	for _, shelf := range shelves {
		shelf.load(records)
	}
	runtime.GC()
	get := []work{fetching(shelves[0], d.ids), fetching(shelves[1], d.ids)}
	objects := s.sample(1, len(get), func(i int) []float64 {
		_, objects := allocated(get[i])
		return []float64{objects}
	})
	sec.lines = append(sec.lines,
		versus("get a copy by id, random", names, s.race(get, unbounded), atMost(1.5, "btree")),
		values("  allocations of a copy with two slices", names, pick(objects, 0), digits, atMost(2, "")))
	sec.lines = append(sec.lines, plainWrites(s, d, names, shelves)...)
	t.add(sec)
	return samePlains(shelves, records)
}

func plainLoads(s setup, names []string, records []plain) line {
	s.patience *= 3
	var loads []work
	for _, create := range []func(kind[plain]) shelf[plain]{newTyped[plain], newTrees[plain]} {
		loads = append(loads, loading(func() shelf[plain] { return create(plainKind()) },
			func(s shelf[plain]) { s.load(records) }, func(shelf[plain]) {}))
	}
	return versus("bulk load, all orders", names, s.race(loads, 1), atMost(1.2, "btree"))
}

func plainWrites(s setup, d *data, names []string, shelves []shelf[plain]) (lines []line) {
	c := changes[plain]{
		fresh: plainOf(d.fresh),
		moved: plainOf(d.moved),
		still: plainOf(d.still),
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
		row := []work{w.work(shelves[0], c, unread), w.work(shelves[1], c, unread)}
		lines = append(lines, versus(w.what, names, s.garbage().race(row, unbounded), atMost(1.5, "btree")))
		for _, shelf := range shelves {
			shelf.batch(c.still)
		}
	}
	return lines
}

func plainOf(records []record) []plain {
	all := make([]plain, len(records))
	for i := range records {
		all[i] = plain(records[i].event)
	}
	return all
}

// fetching gets copies of records by their ids.
func fetching[T any](s shelf[T], ids []int) work {
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

// samePlains makes sure that every shelf holds what it was loaded with.
func samePlains(shelves []shelf[plain], records []plain) error {
	for i, s := range shelves {
		if count := s.page(0); count != len(records) {
			return fmt.Errorf("shelf %d: %w: want %d records, got %d", i, errDiffers, len(records), count)
		}
		for j := range records {
			want := resources.Event(records[j])
			got, ok := s.get(want.ID)
			if !ok || !bytes.Equal(wire(want).json, wire(resources.Event(got)).json) {
				return fmt.Errorf("shelf %d: %w: id %d: want %v, got %v", i, errDiffers, want.ID, want, got)
			}
		}
	}
	return nil
}
