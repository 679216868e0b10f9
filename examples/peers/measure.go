package main

import (
	"math"
	"slices"
	"time"
)

// setup configures how much is measured. Turns are short and rounds many: where
// other programs run on the same machine, most turns pass undisturbed.
type setup struct {
	sizes    []int         // numbers of records
	small    int           // number of small records; 0 means that they are not measured
	rounds   int           // in which every entrant has a turn
	turn     time.Duration // length of a turn
	patience time.Duration // an entrant whose turns take longer in all has fewer, but at least minRounds
	requests int           // a turn over HTTP
	partner  *partner      // the process of the earlier revision, or of the current one; may be nil
}

const minRounds = 3

func settings(quick, full bool) setup {
	if quick {
		return setup{sizes: []int{1100}, small: 2000, rounds: 2, turn: time.Millisecond / 4, patience: 10 * time.Millisecond, requests: 80}
	}
	s := setup{
		sizes:    []int{10_000, 100_000},
		rounds:   11,
		turn:     2 * time.Millisecond,
		patience: 100 * time.Millisecond,
		requests: 2000,
	}
	if full {
		s.sizes = append(s.sizes, 1_000_000)
		s.small = 10_000_000
	}
	return s
}

// alone returns a setup in which the partner takes no part.
func (s setup) alone() setup {
	s.partner = nil
	return s
}

// columns returns the columns of a row whose entrants are given, ours first. If
// an earlier revision takes part, its column is the second.
func columns[E any](s setup, row []E, before E) []E {
	if s.partner == nil {
		return row
	}
	return slices.Insert(slices.Clone(row), 1, before)
}

// work performs an operation the given number of times and returns how long that
// took. Preparing and undoing it is not in that time.
type work func(times int) time.Duration

// clocked returns work that has nothing to prepare.
func clocked(f func(times int)) work {
	return func(times int) time.Duration {
		start := time.Now()
		f(times)
		return time.Since(start)
	}
}

// race is races for one row.
func (s setup) race(row []work, most int) [][]float64 { return s.races([][]work{row}, most)[0] }

// races lets the entrants of all rows do their work in turns. For each row and
// column it returns the nanoseconds that one operation took in each round. The
// first entrant of a row is ours. nil work has no times. No turn has more than
// most operations.
func (s setup) races(rows [][]work, most int) [][][]float64 {
	times := make([][][]float64, len(rows))
	ours := make([]figures, len(rows))
	for i, row := range rows {
		times[i] = make([][]float64, len(columns(s, row, nil)))
		ours[i] = row[0].figures
	}
	s.together(ours, func(before []figures) {
		var all []entrant
		for i, row := range rows {
			if before != nil {
				row = columns(s, row, before[i].work)
			}
			for j, w := range row {
				if w != nil {
					all = append(all, entrant{w, s.plan(w, most), &times[i][j]})
				}
			}
		}
		for round := range s.rounds {
			for i := range all {
				all[(i+round)%len(all)].run(round) // nobody is always first
			}
		}
	})
	return times
}

type entrant struct {
	work  work
	plan  turns
	times *[]float64
}

func (e entrant) run(round int) {
	if round < e.plan.rounds {
		took := e.work(e.plan.operations)
		*e.times = append(*e.times, float64(took)/float64(e.plan.operations))
	}
}

type turns struct{ rounds, operations int }

// plan finds out how many operations fill a turn. The entrant is warm then.
func (s setup) plan(w work, most int) turns {
	n := 1
	took := w(n)
	for took < s.turn/4 && n < most {
		n = min(n*4, most)
		took = w(n)
	}
	each := max(took/time.Duration(n), 1)
	n = min(max(int(s.turn/each), 1), most)
	rounds := int(s.patience / (each * time.Duration(n)))
	return turns{min(max(rounds, minRounds), s.rounds), n}
}

// sample calls f for each of a number of entrants, of which the first is ours, and
// returns the figures of each column, round by round. Ours and the earlier
// revision take turns; the others have one round.
func (s setup) sample(rounds, entrants int, f func(entrant int) []float64) [][][]float64 {
	all := make([][][]float64, len(columns(s, make([]struct{}, entrants), struct{}{})))
	ours := func(int) []float64 { return f(0) }
	s.together([]figures{ours}, func(before []figures) {
		for range rounds {
			all[0] = append(all[0], f(0))
			if before != nil {
				all[1] = append(all[1], before[0](1))
			}
		}
		for i := 1; i < entrants; i++ {
			all[i+len(before)] = [][]float64{f(i)}
		}
	})
	return all
}

// pick returns one figure of each column and round.
func pick(samples [][][]float64, figure int) [][]float64 {
	all := make([][]float64, len(samples))
	for i, rounds := range samples {
		for _, figures := range rounds {
			all[i] = append(all[i], figures[figure])
		}
	}
	return all
}

// figure returns one figure of each store and of the earlier revision.
func (s setup) figure(stores []store, f func(store) float64) [][]float64 {
	return pick(s.sample(1, len(stores), func(i int) []float64 { return []float64{f(stores[i])} }), 0)
}

// ratio returns the median of the ratios of two entrants' times, round by round.
func ratio(a, b []float64) float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

// median returns NaN if there are no values.
func median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	all = slices.Sorted(slices.Values(all))
	mid := len(all) / 2
	if len(all)%2 == 1 {
		return all[mid]
	}
	return (all[mid-1] + all[mid]) / 2
}
