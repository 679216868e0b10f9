package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// reads measures reads, with all stores in memory.
func reads(s setup, d *data[event]) []*section {
	stores := filled(d, constructors())
	defer closeAll(stores)
	for offset := 0; offset < len(d.records); offset += pageSize { // the peers received the JSON
		envelope(nil, stores[0], new(page[event]), byStart, offset)
	}
	sections := pages(s, d, stores)
	sections = append(sections, fullSpeed(s, d, stores))
	return append(sections, ratios(s, d, stores)) // adds an index to the library's store
}

// viewing returns work that reads pages but not the records in them.
func viewing[T any](s store[T], o order, offsets []int) work {
	p := new(page[T])
	return reading(offsets, func(offset int) int { return s.view(p, o, offset) })
}

func copying(s store[event], offsets []int) work {
	k, p := eventKind(), new(page[event])
	return reading(offsets, func(offset int) int {
		events, sum := copies(s, k, p, byStart, offset)
		for i := range events {
			sum += events[i].ID
		}
		return sum
	})
}

func enveloping(s store[event], offsets []int) work {
	p, buffer := new(page[event]), []byte(nil)
	return reading(offsets, func(offset int) int {
		buffer = envelope(buffer[:0], s, p, byStart, offset)
		return len(buffer)
	})
}

func getting[T any](s store[T], ids []int) work {
	return reading(ids, func(id int) int {
		if _, ok := s.get(id); ok {
			return 1
		}
		return 0
	})
}

// pages measures reads of pages and of records.
func pages(s setup, d *data[event], stores []store[event]) []*section {
	n, names := len(d.records), storeNames(stores)
	sec := &section{title: fmt.Sprintf("READS, %s RECORDS", thousands(n)), names: names}
	depth := &section{title: "  last page ÷ first, beside itself", names: names}
	positions := []struct {
		name    string
		offsets []int
		bound   float64
	}{
		{"first (hot)", []int{0}, 0.6},
		{"middle (hot)", []int{n / 2}, 0.6},
		{"last (hot)", []int{n - pageSize}, 0.6},
		{"random", d.offsets, 0.2},
	}
	for o := range order(orders) {
		var rows [][]work // measured together, so that positions can be compared
		for _, p := range positions {
			rows = append(rows, each(stores, func(st store[event]) work { return viewing(st, o, p.offsets) }))
		}
		times := s.timeRows(rows, unbounded)
		for i, p := range positions {
			sec.times(fmt.Sprintf("page by %v, %s", o, p.name), times[i], atMost(p.bound, "btree"))
		}
		deeper := make([][]float64, len(names))
		for i := range names {
			deeper[i] = []float64{ratio(times[2][i], times[0][i])}
		}
		depth.values(fmt.Sprintf("by %v", o), deeper, multiple, ownAtMost(3, "first"))
	}
	first := []int{0}
	ready := envelope(nil, stores[0], new(page[event]), byStart, 0)
	var buffer []byte
	memcpy := reading(first, func(int) int { // the least that an envelope can cost
		buffer = append(buffer[:0], ready...)
		return len(buffer)
	})
	for _, row := range []struct {
		what string
		goal goal
		read func(store[event], []int) work
		list []int
	}{
		{"copies by date, first (hot)", atMost(1.5, "slice"), copying, first},
		{"copies by date, random", atMost(1.5, "slice"), copying, d.offsets},
		{"envelope as JSON by date, first (hot)", atMost(2, "memcpy"), enveloping, first},
		{"envelope as JSON by date, random", atMost(2, "slice"), enveloping, d.offsets},
		{"get a copy by id, random", atMost(1.2, "btree"), getting[event], d.ids},
	} {
		works := each(stores, func(st store[event]) work { return row.read(st, row.list) })
		if row.goal.than == "memcpy" {
			sec.times(row.what, s.timeRow(append(works, memcpy), unbounded), row.goal, "memcpy")
		} else {
			sec.times(row.what, s.timeRow(works, unbounded), row.goal)
		}
	}
	return []*section{sec, depth}
}

// safe reports whether a store can be read beside a writer.
func safe(s store[event]) bool { return s.name() != "btree" }

// mover iterates over the updates that move records and move them back.
type mover[T any] struct {
	data *data[T]
	next int
}

func (m *mover[T]) take() []item[T] {
	i, list := m.next, m.data.moved
	if m.next++; i >= len(list) {
		i, list = i-len(list), m.data.still
	}
	m.next %= 2 * len(list)
	return list[i : i+1]
}

// startWriter starts a goroutine that moves records, one in each interval, or as fast as it
// can if that is 0. The function stop ends it and returns the number of writes.
func startWriter(d *data[event], st store[event], interval time.Duration) (stop func() int) {
	written, ended := 0, make(chan struct{})
	var stopped atomic.Bool
	go func() {
		defer close(ended)
		for m, start := (mover[event]{data: d}), time.Now(); !stopped.Load(); written++ {
			time.Sleep(time.Until(start.Add(time.Duration(written+1) * interval)))
			st.put(m.take(), false)
		}
	}()
	return func() int {
		stopped.Store(true)
		<-ended
		return written
	}
}

// fullSpeed measures pages while another goroutine writes as fast as it can.
func fullSpeed(s setup, d *data[event], stores []store[event]) *section {
	title := fmt.Sprintf("BESIDE A WRITER AT FULL SPEED, %s RECORDS", thousands(len(d.records)))
	sec := &section{title: title, names: storeNames(stores)}
	all := make([][5][]float64, len(stores))
	for range min(s.rounds, 3) {
		for i, st := range stores {
			for j, x := range readBesideWriter(s.turn*200, d, st) {
				all[i][j] = append(all[i][j], x)
			}
		}
	}
	for j, row := range []struct {
		what   string
		format func(float64) string
		goal   goal
	}{
		{"page by date, random: median", duration, goal{}},
		{"page by date, random: 99th percentile", duration, goal{}},
		{"page by date, random: 99.9th percentile", duration, goal{}},
		{"writes a second meanwhile", whole, goal{}},
		{"99th percentile ÷ that of pages alone", multiple, ownAtMost(10, "")},
	} {
		column := each(all, func(figures [5][]float64) []float64 { return figures[j] })
		sec.values(row.what, column, row.format, row.goal)
	}
	return sec
}

// readBesideWriter reads pages for long/4 without a writer, then for long with one.
// It returns the median, the 99th and the 99.9th percentile of the nanoseconds of a
// page with the writer, the writes per second, and the 99th percentile divided by
// that without the writer. The results of a store without locks are NaN.
func readBesideWriter(long time.Duration, d *data[event], st store[event]) (all [5]float64) {
	if !safe(st) {
		return [5]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	alone := viewTimes(long/4, d, st)
	start, stop := time.Now(), startWriter(d, st, 0)
	beside := viewTimes(long, d, st)
	rate := float64(stop()) / time.Since(start).Seconds()
	st.put(d.still, false)
	p99 := quantile(beside, 0.99)
	return [5]float64{quantile(beside, 0.5), p99, quantile(beside, 0.999), rate, p99 / quantile(alone, 0.99)}
}

// viewTimes reads one or more pages at random offsets and returns their times,
// sorted.
func viewTimes(long time.Duration, d *data[event], st store[event]) []time.Duration {
	view := viewing(st, byStart, d.offsets)
	all := make([]time.Duration, 0, 1<<20)
	for begin := time.Now(); len(all) == 0 || time.Since(begin) <= long; {
		all = append(all, view(1))
	}
	slices.Sort(all)
	return all
}

// quantile returns a quantile of sorted durations in nanoseconds.
func quantile(sorted []time.Duration, part float64) float64 {
	return float64(sorted[int(part*float64(len(sorted)))])
}

// ratios measures the ratios that compare each store with itself. The control is a loop
// that uses no memory, measured in the same rounds as the readers: it measures what
// two goroutines gain on the machine at that time.
func ratios(s setup, d *data[event], stores []store[event]) *section {
	sec := &section{title: fmt.Sprintf("BESIDE ITSELF, %s RECORDS", thousands(len(d.records))), names: storeNames(stores)}
	readers := each(stores, func(st store[event]) [2]float64 { return twoReaders(s, d, st) })
	for i, row := range []struct {
		what string
		goal goal
	}{
		{"two readers at once ÷ one, pages a second", goal{bound: 1.9, atLeast: true, than: "one", own: true}},
		{"  control: two loops that only spin ÷ one", goal{}},
	} {
		sec.values(row.what, each(readers, func(r [2]float64) []float64 { return r[i : i+1] }), multiple, row.goal)
	}
	sec.values("a page beside 1,000 writes a second ÷ alone",
		figures(stores, func(st store[event]) float64 { return besideWriter(s, d, st) }), multiple, ownAtMost(1.1, "alone"))
	sec.values("a page by three mixed terms ÷ by name",
		figures(stores, func(st store[event]) float64 { return mixedTerms(s, d, st) }), multiple, ownAtMost(1.15, "name"))
	return sec
}

// twoReaders returns the number of pages that two goroutines read in the time in
// which one goroutine reads one, and the same of loops that only spin.
func twoReaders(s setup, d *data[event], st store[event]) [2]float64 {
	one, other := viewing(st, byStart, d.offsets), viewing(st, byStart, d.offsets[len(d.offsets)/2:])
	times := s.lengthy().timeRow([]work{one, together(one, other), spin, together(spin, spin)}, unbounded)
	return [2]float64{2 * ratio(times[0], times[1]), 2 * ratio(times[2], times[3])}
}

func together(one, other work) work {
	return clocked(func(times int) {
		var all sync.WaitGroup
		for _, w := range []work{one, other} {
			all.Go(func() { w(times) })
		}
		all.Wait()
	})
}

// spin is work in registers: an operation takes a fraction of a microsecond.
func spin(times int) time.Duration {
	x := uint64(1)
	start := time.Now()
	for range times * 256 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return time.Since(start) + time.Duration(x&1) // so that the loop has a result
}

// besideWriter returns the cost of a page while another goroutine writes 1,000 records a
// second, divided by the cost without it.
func besideWriter(s setup, d *data[event], st store[event]) float64 {
	if !safe(st) {
		return math.NaN()
	}
	alone := viewing(st, byStart, d.offsets)
	beside := func(times int) time.Duration {
		stop := startWriter(d, st, time.Millisecond)
		defer stop()
		return alone(times)
	}
	times := s.lengthy().timeRow([]work{alone, beside}, unbounded)
	st.put(d.still, false)
	return ratio(times[1], times[0])
}

// mixedTerms returns the cost of a page ordered by three terms in both directions,
// divided by the cost of one ordered by name. Only the library has such an order.
func mixedTerms(s setup, d *data[event], st store[event]) float64 {
	backlist, ok := st.(*backlistStore[event])
	if !ok {
		return math.NaN()
	}
	by := func(terms ...ordering.Term) work {
		view := func(offset int) int {
			v, err := backlist.records.Where().View(pagination.Window{Limit: pageSize, Offset: offset}, terms...)
			check(err)
			return v.Count()
		}
		view(0) // builds the index
		return reading(d.offsets, view)
	}
	times := s.timeRow([]work{
		by(ordering.Asc("name")),
		by(ordering.Asc("location"), ordering.Desc("start_date"), ordering.Asc("name")),
	}, unbounded)
	return ratio(times[1], times[0])
}
