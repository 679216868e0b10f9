package main

import (
	"fmt"
	"runtime"
	"time"
)

// Writes leave garbage, and the cost of collecting it depends on the size of the
// heap. So writes are measured in pairs of the library and one peer, with nothing
// else in memory, in turns that are long enough for garbage collections. A write is
// undone while the clock is stopped, or by the next turn, so that the stores keep
// their size. A page that is read after a write is the first in the default order.

// A write returns work that writes, and calls read after each operation.
type write[T any] func(s store[T], d *data[T], read func()) work

func inserting[T any](s store[T], d *data[T], read func()) work {
	write := func(r []item[T]) { s.put(r, true); read() }
	return undone(d.fresh, write, func(r []item[T]) { s.delete(d.kind.idOf(&r[0])) })
}

func deleting[T any](s store[T], d *data[T], read func()) work {
	write := func(r []item[T]) { s.delete(d.kind.idOf(&r[0])); read() }
	return undone(d.still, write, func(r []item[T]) { s.put(r, true) })
}

// undone returns work that writes the records of a list, and undoes that off the clock.
func undone[T any](list []item[T], write, undo func([]item[T])) work {
	return func(times int) (took time.Duration) {
		for ; times > 0; times -= len(list) {
			part := list[:min(times, len(list))]
			start := time.Now()
			for i := range part {
				write(part[i : i+1])
			}
			took += time.Since(start)
			for i := range part {
				undo(part[i : i+1])
			}
		}
		return took
	}
}

func updating[T any](s store[T], d *data[T], read func()) work {
	m := mover[T]{data: d}
	return clocked(func(times int) {
		for range times {
			s.put(m.take(), false)
			read()
		}
	})
}

// batching returns work that moves all records, or moves them back, in one batch.
func batching[T any](s store[T], d *data[T], read func()) work {
	turn := 0
	return clocked(func(times int) {
		for range times {
			s.put([][]item[T]{d.moved, d.still}[turn%2], false)
			read()
			turn++
		}
	})
}

// readingFirst returns a function that reads the first page.
func readingFirst[T any](s store[T]) func() {
	p := new(page[T])
	return func() { s.view(p, byStart, 0) }
}

func unread[T any](store[T]) func() { return func() {} }

// writing is a row of a section.
type writing[T any] struct {
	what  string
	bound float64 // compared with the first peer
	write write[T]
	read  func(store[T]) func()
}

// writes measures writes. The goals are relative to the first peer, which has longer
// turns than the others.
func writes(s setup, d *data[event]) []*section {
	batch := fmt.Sprintf("batch of %s updates", thousands(len(d.moved)))
	rows := []writing[event]{
		{"insert, a page read after each", 1.3, inserting[event], readingFirst[event]},
		{"update that moves, a page read after each", 1.6, updating[event], readingFirst[event]},
		{"delete, a page read after each", 1.3, deleting[event], readingFirst[event]},
		{"insert, unread", 1.2, inserting[event], unread[event]},
		{"update that moves, unread", 1.2, updating[event], unread[event]},
		{"delete, unread", 1.2, deleting[event], unread[event]},
		{batch, 1.2, batching[event], readingFirst[event]},
	}
	var sec *section
	for i, open := range constructors()[1:] {
		turns := s.garbage()
		if i > 0 {
			turns = turns.fewer()
		}
		stores := filled(d, []constructor[event]{newBacklist[event], open})
		pair := &section{title: fmt.Sprintf("WRITES, %s RECORDS", thousands(len(d.records))), names: storeNames(stores)}
		runtime.GC()
		timeWrites(turns, pair, stores, d, rows)
		bytes := figures(stores, func(st store[event]) float64 {
			bytes, _ := allocated(updating(st, d, readingFirst(st)))
			st.put(d.still, false)
			return bytes
		})
		pair.values("  bytes allocated by an update, page read", bytes, whole, goal{})
		closeAll(stores)
		if sec == nil {
			sec = pair
			continue
		}
		sec.names = append(sec.names, pair.names[1])
		for j, l := range pair.lines {
			sec.lines[j].cells = append(sec.lines[j].cells, l.cells[1])
		}
	}
	return []*section{sec}
}

func timeWrites[T any](turns setup, sec *section, stores []store[T], d *data[T], rows []writing[T]) {
	for _, row := range rows {
		works := each(stores, func(st store[T]) work { return row.write(st, d, row.read(st)) })
		sec.times(row.what, turns.timeRow(works, unbounded), atMost(row.bound, "btree"))
		for _, st := range stores {
			st.put(d.still, false)
		}
	}
}

// plainRecords compares a collection of structs without a Clone method with B-trees
// that have the same indexes.
func plainRecords(s setup, events *data[event]) []*section {
	d := plainEvents(events)
	list := []constructor[plainEvent]{newBacklist[plainEvent], newTree[plainEvent]}
	title := fmt.Sprintf("A STRUCT WITHOUT CLONE, %s RECORDS", thousands(len(d.records)))
	sec := &section{title: title, names: []string{"backlist", "btree"}}
	longer := s
	longer.budget *= 3
	loads := each(list, func(open constructor[plainEvent]) work { return filling(d, open) })
	sec.times("bulk load, all orders", longer.timeRow(loads, 1), atMost(1.2, "btree"))
	stores := filled(d, list)
	runtime.GC()
	get := each(stores, func(st store[plainEvent]) work { return getting(st, d.ids) })
	objects := figures(get, func(w work) float64 {
		_, objects := allocated(w)
		return objects
	})
	sec.times("get a copy by id, random", s.timeRow(get, unbounded), atMost(1.5, "btree"))
	sec.values("  allocations of a copy with two slices", objects, digits, ownAtMost(2, ""))
	timeWrites(s.garbage(), sec, stores, d, []writing[plainEvent]{
		{"insert, unread", 1.5, inserting[plainEvent], unread[plainEvent]},
		{"update that moves, unread", 1.5, updating[plainEvent], unread[plainEvent]},
		{"delete, unread", 1.5, deleting[plainEvent], unread[plainEvent]},
		{fmt.Sprintf("batch of %s updates, unread", thousands(len(d.moved))), 1.5, batching[plainEvent], unread[plainEvent]},
	})
	return []*section{sec}
}
