package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// finding is a row of the sections about finding.
type finding struct {
	what string
	goal goal

	// read returns a function that reads something. Its argument counts the calls.
	read func(finder) func(i int) int
	// all returns a function that reads the same page of all records from the library.
	// If nil, the row has no goal that names it.
	all func(*backlistFinder) func(i int) int
}

// finders returns the finders that are compared with that many records, the library's
// first, and the number of those that find by more than slugs.
func (s setup) finders(records int) (all []finder, slugs int) {
	all = []finder{newBacklistFinder(), newTreeFinder()}
	switch {
	case s.partner != nil && s.partner.follows:
		return all, len(all)
	case records <= maxCompared:
		all = append(all, newMemDBFinder(), newSQLiteFinder())
	}
	return append(all, newKeyedFinder(), newMapFinder()), len(all)
}

// finds measures finding records by their fields.
func finds(s setup, n int, t *table) error {
	s = s.briefly()
	shelf := newShelf(n)
	all, slugs := s.finders(n)
	for _, f := range all {
		defer f.close()
		f.load(shelf.books)
	}
	if err := findersAgree(all, slugs, shelf); err != nil {
		return err
	}
	runtime.GC()
	for _, heading := range []string{"", ", A WRITE BEFORE EACH"} {
		m := findMeasurement{setup: s, shelf: shelf, written: heading != ""}
		t.add(m.section(fmt.Sprintf("ONE OF %s RECORDS%s", thousands(n), heading), all, shelf.lookups()))
		t.add(m.section(fmt.Sprintf("RANGES OF %s RECORDS%s", thousands(n), heading), all[:slugs], shelf.ranges()))
	}
	for _, f := range all {
		updateAll(f, shelf.still)
	}
	return newFindings(shelf.books).compare(all, slugs, shelf)
}

// briefly returns a setup with more and shorter turns, because the goals are ratios between
// reads of a few microseconds.
func (s setup) briefly() setup {
	s.turn, s.rounds = s.turn/8, s.rounds*8
	return s
}

// findMeasurement measures the rows of a section. If written is set, a book is written
// before each read while the clock is stopped, so that nothing is remembered of the
// reads before.
type findMeasurement struct {
	setup
	shelf   *shelf
	written bool
}

func (m findMeasurement) section(title string, finders []finder, rows []finding) section {
	names := make([]string, len(finders))
	for i, f := range finders {
		names[i] = f.name()
	}
	columns := columns(m.setup, names, "before")
	sec := section{title: title, peers: columns[1:]}
	for _, row := range rows {
		works := each(finders, func(f finder) work { return m.reading(f, row.read(f)) })
		if row.all == nil {
			sec.lines = append(sec.lines, versus(row.what, columns, m.timeRow(works, unbounded), row.goal))
		} else {
			own := finders[0].(*backlistFinder)
			works = append(works, m.reading(own, row.all(own)))
			times := m.timeRow(works, unbounded)
			sec.lines = append(sec.lines, versus(row.what, append(slices.Clone(columns), "all"), times, row.goal).withoutLastPeer())
		}
		if !m.written {
			objects := m.sample(1, len(finders), func(i int) []float64 {
				_, objects := allocated(m.reading(finders[i], row.read(finders[i])))
				return []float64{objects}
			})
			sec.lines = append(sec.lines, values("  allocations", columns, pick(objects, 0), digits, goal{}))
		}
	}
	return sec
}

// reading returns work that reads, and writes before each read if m.written is set.
func (m findMeasurement) reading(f finder, read func(i int) int) work {
	next, sum := 0, 0
	if !m.written {
		return clocked(func(times int) {
			for range times {
				sum += read(next)
				next++
			}
			runtime.KeepAlive(sum)
		})
	}
	moves := mover[book]{changes: m.shelf.changes}
	return func(times int) (took time.Duration) {
		for range times {
			f.update(moves.take())
			start := time.Now()
			sum += read(next)
			took += time.Since(start)
			next++
		}
		return took
	}
}
