package main

import (
	"fmt"
	"math"
	"runtime"
)

// unbounded is for races whose turns may have any number of operations.
const unbounded = math.MaxInt

// cursor walks a list over and over.
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

// always is a list of one.
func always(n int) []int { return []int{n} }

// viewing looks at the pages behind offsets, and touches no record that finding
// the page does not touch.
func viewing(s store, o order, offsets []int) work {
	at := cursor{list: offsets}
	p := new(screen)
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

// encodeAll has us make the JSON of all records, which the peers were given.
func encodeAll(s store, n int) {
	var buffer []byte
	for offset := 0; offset < n; offset += pageSize {
		buffer = s.envelope(buffer[:0], byStart, offset)
	}
}

// each makes one entrant of every store.
func each(stores []store, f func(store) work) []work {
	all := make([]work, len(stores))
	for i, s := range stores {
		all[i] = f(s)
	}
	return all
}

// pages measures reading.
func pages(s setup, d *data, stores []store, t *table) {
	n := len(d.records)
	reads := section{title: fmt.Sprintf("READS, %s RECORDS", thousands(n)), peers: names(stores)[1:]}
	depth := section{title: "  last page ÷ first, beside itself", peers: reads.peers}
	line := func(what string, g goal, f func(store) work) {
		times := s.race(each(stores, f), unbounded)
		reads.lines = append(reads.lines, versus(what, names(stores), times, g))
	}
	places := []struct {
		name    string
		offsets []int
	}{
		{"first (hot)", always(0)},
		{"middle (hot)", always(n / 2)},
		{"last (hot)", always(n - pageSize)},
		{"random", d.offsets},
	}
	for o, bound := range [orders]float64{byStart: 0.6, byName: 1, byNameDown: 1} {
		o := order(o)
		var entrants []work // all places in one race, so that they can be compared
		for _, p := range places {
			entrants = append(entrants, each(stores, func(st store) work { return viewing(st, o, p.offsets) })...)
		}
		times := s.race(entrants, unbounded)
		at := func(place int) [][]float64 { return times[place*len(stores):][:len(stores)] }
		for i, p := range places {
			what := fmt.Sprintf("page by %v, %s", o, p.name)
			reads.lines = append(reads.lines, versus(what, names(stores), at(i), atMost(bound, "btree")))
		}
		deeper := make([]float64, len(stores))
		for i := range stores {
			deeper[i] = ratio(at(2)[i], at(0)[i])
		}
		depth.lines = append(depth.lines, own(fmt.Sprintf("by %v", o), deeper, atMost(3, "first")))
	}
	for _, p := range []int{0, 3} {
		line("copies by date, "+places[p].name, atMost(1.5, "slice"),
			func(st store) work { return copying(st, byStart, places[p].offsets) })
	}
	for _, p := range []int{0, 3} {
		line("envelope as JSON by date, "+places[p].name, atMost(2, "slice"),
			func(st store) work { return enveloping(st, byStart, places[p].offsets) })
	}
	line("get a copy by id, random", atMost(1.2, "btree"),
		func(st store) work { return getting(st, d.ids) })
	t.add(reads)
	t.add(depth)
}
