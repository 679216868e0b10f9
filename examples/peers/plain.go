package main

import (
	"cmp"
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
	c := changes[plain]{
		fresh: plainOf(d.fresh),
		moved: plainOf(d.moved),
		still: plainOf(d.still),
		id:    func(p *plain) int { return p.ID },
	}
	makers := []func(kind[plain]) shelf[plain]{newTyped[plain], newTrees[plain]}
	names := columns(s, []string{"backlist", "btree"}, "before")
	sec := section{title: fmt.Sprintf("A STRUCT WITHOUT CLONE, %s RECORDS", thousands(len(records))), peers: names[1:]}
	row := func(what string, s setup, most int, bound float64, f func(shelf[plain]) work, shelves []shelf[plain]) {
		times := s.race([]work{f(shelves[0]), f(shelves[1])}, most)
		sec.lines = append(sec.lines, versus(what, names, times, atMost(bound, "btree")))
	}

	var loads []work
	var shelves []shelf[plain]
	for _, make := range makers {
		loads = append(loads, loading(func() shelf[plain] { return make(plainKind()) },
			func(s shelf[plain]) { s.load(records) }, func(shelf[plain]) {}))
		shelves = append(shelves, make(plainKind()))
	}
	patient := s
	patient.patience *= 3
	sec.lines = append(sec.lines, versus("bulk load, all orders", names, patient.race(loads, 1), atMost(1.2, "btree")))

	for _, shelf := range shelves {
		shelf.load(records)
	}
	runtime.GC()
	get := func(s shelf[plain]) work { return fetching(s, d.ids) }
	row("get a copy by id, random", s, unbounded, 1.5, get, shelves)
	objects := s.sample(1, len(shelves), func(i int) []float64 {
		_, objects := allocated(get(shelves[i]))
		return []float64{objects}
	})
	sec.lines = append(sec.lines, values("  allocations of a copy with two slices", names, pick(objects, 0), digits, atMost(2, "")))
	for _, w := range []struct {
		what string
		work func(writer[plain], changes[plain], func()) work
	}{
		{"insert, unread", inserting[plain]},
		{"update that moves, unread", updating[plain]},
		{"delete, unread", deleting[plain]},
		{fmt.Sprintf("batch of %s updates, unread", thousands(len(c.moved))), batching[plain]},
	} {
		row(w.what, s.garbage(), unbounded, 1.5, func(s shelf[plain]) work { return w.work(s, c, unread) }, shelves)
		for _, shelf := range shelves {
			shelf.batch(c.still)
		}
	}
	t.add(sec)
	return samePlains(shelves, records)
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
			if !ok || cmp.Compare(string(wire(want).json), string(wire(resources.Event(got)).json)) != 0 {
				return fmt.Errorf("shelf %d: %w: id %d: want %v, got %v", i, errDiffers, want.ID, want, got)
			}
		}
	}
	return nil
}
