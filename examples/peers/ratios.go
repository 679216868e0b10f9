package main

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The factors by which turns are longer and rounds fewer for concurrent goroutines.
const (
	longTurn    = 8
	fewerRounds = 2
)

// ratios measures the ratios that compare each store with itself.
func ratios(s setup, d *data, stores []store, t *table) {
	names := columns(s, storeNames(stores), "before")
	sec := section{title: fmt.Sprintf("BESIDE ITSELF, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	alone := s.alone() // each revision is compared with itself
	row := func(what string, g goal, f func(setup, *data, store) float64) {
		var ratios []float64
		for _, all := range s.figure(stores, func(st store) float64 { return f(alone, d, st) }) {
			ratios = append(ratios, median(all))
		}
		sec.lines = append(sec.lines, own(what, ratios, g))
	}
	row("two readers at once ÷ one, pages a second", goal{bound: 1.9, atLeast: true, than: "one"}, twoReaders)
	row("a page beside 1,000 writes a second ÷ alone", atMost(1.1, "alone"), besideWriter)
	row("a page by three mixed terms ÷ by name", atMost(1.15, "name"), mixedTerms)
	t.add(sec)
}

// lengthy returns a setup for concurrent goroutines.
func (s setup) lengthy() setup {
	s.turn *= longTurn
	s.budget *= 4
	s.rounds = max(s.rounds/fewerRounds, 1)
	return s
}

// twoReaders returns the number of pages that two goroutines read in the time in
// which one goroutine reads one.
func twoReaders(s setup, d *data, st store) float64 {
	one, other := viewing(st, byStart, d.offsets), viewing(st, byStart, d.offsets[len(d.offsets)/2:])
	both := clocked(func(times int) {
		var all sync.WaitGroup
		for _, w := range []work{one, other} {
			all.Go(func() { w(times) })
		}
		all.Wait()
	})
	times := s.lengthy().timeRow([]work{one, both}, unbounded)
	return 2 * ratio(times[0], times[1])
}

// besideWriter returns the cost of a page while another goroutine writes, divided by
// the cost without the writer.
func besideWriter(s setup, d *data, st store) float64 {
	if _, unsafe := st.(*btreeStore); unsafe {
		return math.NaN()
	}
	alone := viewing(st, byStart, d.offsets)
	beside := func(times int) time.Duration {
		stop := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() { writePaced(st, d, stop) })
		took := alone(times)
		close(stop)
		all.Wait()
		return took
	}
	times := s.lengthy().timeRow([]work{alone, beside}, unbounded)
	st.batch(d.still)
	return ratio(times[1], times[0])
}

// writePaced updates 1,000 records a second.
func writePaced(s store, d *data, stop <-chan struct{}) {
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	m := mover[record]{changes: d.changes}
	start := time.Now()
	for written := 0; ; {
		select {
		case <-stop:
			return
		case <-pace.C:
		}
		for due := int(time.Since(start) / time.Millisecond); written < due; written++ {
			s.update(m.take())
		}
	}
}

// mixedTerms returns the cost of a page ordered by three terms in both directions,
// divided by the cost of one ordered by name.
func mixedTerms(s setup, d *data, st store) float64 {
	backlist, ok := st.(*backlistStore)
	if !ok {
		return math.NaN()
	}
	reading := func(terms ...ordering.Term) work {
		_, err := backlist.events.Where().View(pagination.Window{Limit: 1}, terms...) // builds the index
		check(err)
		at := cursor{list: d.offsets}
		return clocked(func(times int) {
			for range times {
				_, err = backlist.events.Where().View(pagination.Window{Limit: pageSize, Offset: at.take()}, terms...)
				check(err)
			}
		})
	}
	times := s.timeRow([]work{
		reading(ordering.Asc("name")),
		reading(ordering.Asc("location"), ordering.Desc("start_date"), ordering.Asc("name")),
	}, unbounded)
	return ratio(times[1], times[0])
}
