package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
)

// unbounded means that a turn may have any number of operations.
const unbounded = math.MaxInt

// cursor iterates over a list repeatedly.
type cursor struct {
	list []int
	next int
}

func (c *cursor) take() int {
	if c.next == len(c.list) {
		c.next = 0
	}
	c.next++
	return c.list[c.next-1]
}

// always returns a list with one offset.
func always(n int) []int { return []int{n} }

// viewing returns work that reads pages but not the records in them.
func viewing(s store, o order, offsets []int) work {
	at := cursor{list: offsets}
	p := new(pageBuffer)
	return clocked(func(times int) {
		sum := 0
		for range times {
			sum += s.view(p, o, at.take())
		}
		runtime.KeepAlive(sum)
	})
}

func copying(s store, o order, offsets []int) work {
	at := cursor{list: offsets}
	return clocked(func(times int) {
		sum := 0
		for range times {
			events, count := s.copies(o, at.take())
			for i := range events {
				sum += events[i].ID
			}
			sum += count
		}
		runtime.KeepAlive(sum)
	})
}

func enveloping(s store, o order, offsets []int) work {
	at := cursor{list: offsets}
	var buffer []byte
	return clocked(func(times int) {
		sum := 0
		for range times {
			buffer = s.envelope(buffer[:0], o, at.take())
			sum += len(buffer)
		}
		runtime.KeepAlive(sum)
	})
}

func getting(s store, ids []int) work {
	at := cursor{list: ids}
	return clocked(func(times int) {
		sum := 0
		for range times {
			e, _ := s.get(at.take())
			sum += e.ID
		}
		runtime.KeepAlive(sum)
	})
}

// encodeAll encodes all records of a store. The peers received the JSON.
func encodeAll(s store, n int) {
	var buffer []byte
	for offset := 0; offset < n; offset += pageSize {
		buffer = s.envelope(buffer[:0], byStart, offset)
	}
}

// each returns the work of every store.
func each[S any](stores []S, f func(S) work) []work {
	all := make([]work, len(stores))
	for i, s := range stores {
		all[i] = f(s)
	}
	return all
}

// memcpy returns work that appends the bytes of the first page to a buffer, which is
// the least that an envelope can cost.
func memcpy(s store) work {
	ready := s.envelope(nil, byStart, 0)
	var buffer []byte
	return clocked(func(times int) {
		for range times {
			buffer = append(buffer[:0], ready...)
		}
		runtime.KeepAlive(buffer)
	})
}

// position is where pages are read.
type position struct {
	name    string
	offsets []int
	bound   float64 // the goal, relative to a bare B-tree
}

func positions(d *data) []position {
	n := len(d.records)
	return []position{
		{"first (hot)", always(0), 0.6},
		{"middle (hot)", always(n / 2), 0.6},
		{"last (hot)", always(n - pageSize), 0.6},
		{"random", d.offsets, 0.2},
	}
}

// pages measures reads of pages.
func pages(s setup, d *data, stores []store, t *table) {
	names := columns(s, storeNames(stores), "before")
	title := fmt.Sprintf("READS, %s RECORDS", thousands(len(d.records)))
	reads := section{title: title, peers: names[1:]}
	depth := section{title: "  last page ÷ first, beside itself", peers: names[1:]}
	for o := range order(orders) {
		var rows [][]work // measured together, so that positions can be compared
		for _, p := range positions(d) {
			rows = append(rows, each(stores, func(st store) work { return viewing(st, o, p.offsets) }))
		}
		times := s.timeRows(rows, unbounded)
		for i, p := range positions(d) {
			what := fmt.Sprintf("page by %v, %s", o, p.name)
			reads.lines = append(reads.lines, versus(what, names, times[i], atMost(p.bound, "btree")))
		}
		deeper := make([]float64, len(names))
		for i := range names {
			deeper[i] = ratio(times[2][i], times[0][i])
		}
		depth.lines = append(depth.lines, own(fmt.Sprintf("by %v", o), deeper, atMost(3, "first")))
	}
	reads.lines = append(reads.lines, contents(s, d, stores)...)
	t.add(reads)
	t.add(depth)
}

// contents measures reads of records.
func contents(s setup, d *data, stores []store) []line {
	names := columns(s, storeNames(stores), "before")
	read := func(what string, bound float64, peer string, f func(store) work) line {
		return versus(what, names, s.timeRow(each(stores, f), unbounded), atMost(bound, peer))
	}
	copies := func(offsets []int) func(store) work {
		return func(st store) work { return copying(st, byStart, offsets) }
	}
	envelopes := func(offsets []int) func(store) work {
		return func(st store) work { return enveloping(st, byStart, offsets) }
	}
	hot := append(each(stores, envelopes(always(0))), memcpy(stores[0]))
	return []line{
		read("copies by date, first (hot)", 1.5, "slice", copies(always(0))),
		read("copies by date, random", 1.5, "slice", copies(d.offsets)),
		versus("envelope as JSON by date, first (hot)", append(slices.Clone(names), "memcpy"),
			s.timeRow(hot, unbounded), atMost(2, "memcpy")).withoutLastPeer(),
		read("envelope as JSON by date, random", 2, "slice", envelopes(d.offsets)),
		read("get a copy by id, random", 1.2, "btree", func(st store) work { return getting(st, d.ids) }),
	}
}
