package main

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// long is how many times longer turns are, and rounds fewer, where several
// goroutines are to be at work.
const (
	long  = 8
	fewer = 2
)

// itself measures what each store is compared with itself for.
func itself(s setup, d *data, stores []store, t *table) {
	names := columns(s, storeNames(stores), "before")
	sec := section{title: fmt.Sprintf("BESIDE ITSELF, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	local := s.alone() // each revision is compared with itself
	row := func(what string, g goal, f func(setup, *data, store) float64) {
		var ratios []float64
		for _, all := range s.figure(stores, func(st store) float64 { return f(local, d, st) }) {
			ratios = append(ratios, median(all))
		}
		sec.lines = append(sec.lines, own(what, ratios, g))
	}
	row("two readers at once ÷ one, pages a second", goal{bound: 1.9, atLeast: true, than: "one"}, twoReaders)
	row("a page beside 1,000 writes a second ÷ alone", atMost(1.1, "alone"), besideWriter)
	row("a page by three mixed terms ÷ by name", atMost(1.15, "name"), mixedTerms)
	t.add(sec)
}

func (s setup) lengthy() setup {
	s.turn *= long
	s.patience *= 4
	s.rounds = max(s.rounds/fewer, 1)
	return s
}

// twoReaders is how many pages two goroutines read in the time in which one
// reads one.
func twoReaders(s setup, d *data, st store) float64 {
	one, other := viewing(st, byStart, d.offsets), viewing(st, byStart, d.offsets[len(d.offsets)/2:])
	both := clocked(func(times int) {
		var all sync.WaitGroup
		for _, w := range []work{one, other} {
			all.Go(func() { w(times) })
		}
		all.Wait()
	})
	times := s.lengthy().race([]work{one, both}, unbounded)
	return 2 * ratio(times[0], times[1])
}

// besideWriter is what a page costs while another goroutine writes, in pages
// without one.
func besideWriter(s setup, d *data, st store) float64 {
	if _, unsafe := st.(*bare); unsafe {
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
	times := s.lengthy().race([]work{alone, beside}, unbounded)
	st.batch(d.still)
	return ratio(times[1], times[0])
}

// writePaced moves records, 1,000 a second.
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

// mixedTerms is what a page by three terms of both directions costs, in pages by
// one, of text as well.
func mixedTerms(s setup, d *data, st store) float64 {
	us, ok := st.(*ours)
	if !ok {
		return math.NaN()
	}
	reading := func(terms ...ordering.Term) work {
		_, err := us.events.View(pagination.Window{Limit: 1}, terms...) // sorts, the first time
		check(err)
		at := cursor{list: d.offsets}
		return clocked(func(times int) {
			for range times {
				_, err = us.events.View(pagination.Window{Limit: pageSize, Offset: at.take()}, terms...)
				check(err)
			}
		})
	}
	times := s.race([]work{
		reading(ordering.Asc("name")),
		reading(ordering.Asc("location"), ordering.Desc("start_date"), ordering.Asc("name")),
	}, unbounded)
	return ratio(times[1], times[0])
}
