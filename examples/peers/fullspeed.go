package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// fullSpeed measures a page beside a goroutine that writes as fast as it can. The
// goals are relative to an earlier revision, which takes its turns beside ours.
func fullSpeed(s setup, d *data, stores []store, t *table) {
	names := columns(s, storeNames(stores), "before")
	samples := s.sample(min(s.rounds, 5), len(stores), func(i int) []float64 {
		return pressed(s.turn*200, d, stores[i])
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

// pressed reads pages for a while without a writer, then for as long beside one.
// It returns the median, the 99th and the 99.9th percentile of the nanoseconds
// that a page took beside the writer, the writes a second, and the 99th percentile
// relative to that of pages alone.
func pressed(long time.Duration, d *data, st store) []float64 {
	if _, unsafe := st.(*bare); unsafe {
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

// viewTimes reads pages at random offsets and returns the nanoseconds that each
// took, sorted. There is at least one.
func viewTimes(long time.Duration, d *data, st store) []time.Duration {
	at := cursor{list: d.offsets}
	var p screen
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

// quantile returns the value that the given part of all sorted ones is below.
func quantile(sorted []time.Duration, part float64) float64 {
	return float64(sorted[int(part*float64(len(sorted)))])
}

// writeOn moves records without a pause and returns how many. There is at least
// one, after which it closes started.
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
