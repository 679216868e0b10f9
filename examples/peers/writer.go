package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// fullSpeed measures pages while another goroutine writes as fast as it can. The
// goals are relative to an earlier revision.
func fullSpeed(s setup, d *data, stores []store, t *table) {
	names := columns(s, storeNames(stores), "before")
	samples := s.sample(min(s.rounds, 5), len(stores), func(i int) []float64 {
		return readBesideWriter(s.turn*200, d, stores[i])
	})
	sec := section{title: fmt.Sprintf("BESIDE A WRITER AT FULL SPEED, %s RECORDS", thousands(len(d.records))), peers: names[1:]}
	row := func(figure int, what string, format func(float64) string, g goal) {
		sec.lines = append(sec.lines, values(what, names, pick(samples, figure), format, g))
	}
	row(0, "page by date, random: median", duration, atMost(1, "before"))
	row(1, "page by date, random: 99th percentile", duration, atMost(1.2, "before"))
	row(2, "page by date, random: 99.9th percentile", duration, atMost(1, "before"))
	row(3, "writes a second meanwhile", whole, goal{bound: 0.8, atLeast: true, than: "before"})
	row(4, "99th percentile ÷ that of pages alone", multiple, atMost(10, ""))
	t.add(sec)
}

// readBesideWriter reads pages for long/4 without a writer, then for long with one.
// It returns the median, the 99th and the 99.9th percentile of the nanoseconds of a
// page with the writer, the writes per second, and the 99th percentile divided by
// that without the writer. The results of a store without locks are NaN.
func readBesideWriter(long time.Duration, d *data, st store) []float64 {
	if _, unsafe := st.(*btreeStore); unsafe {
		return slices.Repeat([]float64{math.NaN()}, 5)
	}
	alone := viewTimes(long/4, d, st)
	started, stop := make(chan struct{}), make(chan struct{})
	written := 0
	var all sync.WaitGroup
	all.Go(func() { written = writeOn(st, d, started, stop) })
	<-started
	start := time.Now()
	beside := viewTimes(long, d, st)
	close(stop)
	all.Wait()
	rate := float64(written) / time.Since(start).Seconds()
	st.batch(d.still)
	p99 := quantile(beside, 0.99)
	return []float64{quantile(beside, 0.5), p99, quantile(beside, 0.999), rate, p99 / quantile(alone, 0.99)}
}

// viewTimes reads one or more pages at random offsets and returns their times,
// sorted.
func viewTimes(long time.Duration, d *data, st store) []time.Duration {
	at := cursor{list: d.offsets}
	var p pageBuffer
	all := make([]time.Duration, 0, 1<<20)
	for begin := time.Now(); ; {
		start := time.Now()
		st.view(&p, byStart, at.take())
		all = append(all, time.Since(start))
		if start.Sub(begin) > long {
			break
		}
	}
	slices.Sort(all)
	return all
}

// quantile returns a quantile of sorted durations in nanoseconds.
func quantile(sorted []time.Duration, part float64) float64 {
	return float64(sorted[int(part*float64(len(sorted)))])
}

// writeOn updates records without a pause until stop is closed, and returns their
// number. It closes started after the first.
func writeOn(s store, d *data, started chan<- struct{}, stop <-chan struct{}) (written int) {
	m := mover[record]{changes: d.changes}
	for {
		s.update(m.take())
		if written++; written == 1 {
			close(started)
		}
		select {
		case <-stop:
			return written
		default:
		}
	}
}
