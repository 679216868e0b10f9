package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// long is how many times longer turns are, and rounds fewer, where several
// goroutines are to be at work.
const (
	long  = 8
	fewer = 2
)

// itself measures what each store is compared with itself for.
func itself(s setup, d *data, stores []store, t *table) {
	sec := section{title: fmt.Sprintf("BESIDE ITSELF, %s RECORDS", thousands(len(d.records))), peers: names(stores)[1:]}
	sec.lines = append(sec.lines,
		own("two readers at once ÷ one, pages a second", ratios(stores, func(st store) float64 { return twoReaders(s, d, st) }),
			goal{bound: 1.9, atLeast: true, than: "one"}),
		own("a page beside 1,000 writes a second ÷ alone", ratios(stores, func(st store) float64 { return besideWriter(s, d, st) }),
			atMost(1.1, "alone")),
		own("p99 of a page beside a writer at full speed ÷ alone", ratios(stores, func(st store) float64 { return besideFullSpeed(s, d, st) }),
			atMost(10, "alone")))
	mixed := make([]float64, len(stores))
	for i := range mixed {
		mixed[i] = math.NaN()
	}
	mixed[0] = mixedTerms(s, d, stores[0].(*ours))
	sec.lines = append(sec.lines, own("a page by three mixed terms ÷ by name", mixed, atMost(1.15, "name")))
	t.add(sec)
}

func ratios(stores []store, f func(store) float64) []float64 {
	all := make([]float64, len(stores))
	for i, s := range stores {
		all[i] = f(s)
	}
	return all
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

// besideFullSpeed is the 99th percentile of what a page costs while another
// goroutine writes as fast as it can, in that of pages without one.
func besideFullSpeed(s setup, d *data, st store) float64 {
	if _, unsafe := st.(*bare); unsafe {
		return math.NaN()
	}
	pages := s.lengthy().plan(viewing(st, byStart, d.offsets), unbounded).operations
	alone := percentile99(st, d, pages)
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { writeOn(st, d, stop) })
	beside := percentile99(st, d, pages)
	close(stop)
	all.Wait()
	st.batch(d.still)
	return beside / alone
}

// percentile99 reads so many pages, fewer if that takes more than a second, and
// gives the time that one in a hundred took longer than.
func percentile99(st store, d *data, pages int) float64 {
	at := cursor{list: d.offsets}
	var p screen
	var all []float64
	for end := time.Now().Add(time.Second); len(all) < max(pages, 100); {
		start := time.Now()
		st.view(&p, byStart, at.take())
		all = append(all, float64(time.Since(start)))
		if start.After(end) {
			break
		}
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// writeOn moves records without a pause.
func writeOn(s store, d *data, stop <-chan struct{}) {
	m := mover{d: d}
	for {
		select {
		case <-stop:
			return
		default:
			s.update(m.take())
		}
	}
}

// writePaced moves records, 1,000 a second.
func writePaced(s store, d *data, stop <-chan struct{}) {
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	m := mover{d: d}
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
func mixedTerms(s setup, d *data, us *ours) float64 {
	reading := func(terms ...ordering.Term) work {
		_, err := us.events.View(pagination.Window{}, terms...) // sorts, the first time
		check(err)
		at := cursor{list: d.offsets}
		var v catalogue.View[resources.Event]
		return clocked(func(times int) {
			for range times {
				v, err = us.events.ViewInto(v, pagination.Window{Limit: pageSize, Offset: at.take()}, terms...)
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
