package main

import (
	"math"
	"slices"
	"time"
)

// setup configures the measurements. There are many rounds of short turns, so that
// other programs on the machine disturb few of the turns.
type setup struct {
	sizes    []int         // numbers of records
	small    int           // number of small records; 0 means that they are not measured
	rounds   int           // in which every task has a turn
	turn     time.Duration // length of a turn
	budget   time.Duration // of all turns of a task; limits their number, but not below minRounds
	requests int           // a turn over HTTP
	find     bool          // only finding is measured
	partner  *partner      // the process of the earlier revision, or of the current one; may be nil
}

const minRounds = 3

func settings(quick, full bool) setup {
	if quick {
		return setup{sizes: []int{1100}, small: 2000, rounds: 2, turn: time.Millisecond / 4, budget: 10 * time.Millisecond, requests: 80}
	}
	s := setup{
		sizes:    []int{10_000, 100_000},
		rounds:   11,
		turn:     2 * time.Millisecond,
		budget:   100 * time.Millisecond,
		requests: 2000,
	}
	if full {
		s.sizes = append(s.sizes, 1_000_000)
		s.small = 10_000_000
	}
	return s
}

// only restricts the measurements to finding if find is set, with the largest number of
// records that all stores are compared with.
func (s *setup) only(find bool) {
	if s.find = find; find {
		s.sizes, s.small = []int{min(s.sizes[len(s.sizes)-1], maxCompared)}, 0
	}
}

// alone returns a setup without the partner.
func (s setup) alone() setup {
	s.partner = nil
	return s
}

// columns returns row with before inserted as the second column if an earlier
// revision takes part. The first column is the library's.
func columns[E any](s setup, row []E, before E) []E {
	if s.partner == nil {
		return row
	}
	return slices.Insert(slices.Clone(row), 1, before)
}

// work performs an operation the given number of times and returns the time that it
// took, not counting preparations and cleaning up.
type work func(times int) time.Duration

// clocked returns work that times f.
func clocked(f func(times int)) work {
	return func(times int) time.Duration {
		start := time.Now()
		f(times)
		return time.Since(start)
	}
}

// timeRow calls timeRows with one row.
func (s setup) timeRow(row []work, most int) [][]float64 { return s.timeRows([][]work{row}, most)[0] }

// timeRows performs the work of all rows in turns. For each row and column it
// returns the nanoseconds of one operation in each round. The first column of a row
// is the library's. Nil work has no times. No turn has more than most operations.
func (s setup) timeRows(rows [][]work, most int) [][][]float64 {
	times := make([][][]float64, len(rows))
	local := make([]figures, len(rows))
	for i, row := range rows {
		times[i] = make([][]float64, len(columns(s, row, nil)))
		local[i] = row[0].figures
	}
	s.together(local, func(before []figures) {
		var all []task
		for i, row := range rows {
			if before != nil {
				row = columns(s, row, before[i].work)
			}
			for j, w := range row {
				if w != nil {
					all = append(all, task{w, s.plan(w, most), &times[i][j]})
				}
			}
		}
		for round := range s.rounds {
			for i := range all {
				all[(i+round)%len(all)].run(round) // each round starts with another task
			}
		}
	})
	return times
}

type task struct {
	work  work
	plan  turns
	times *[]float64
}

func (e task) run(round int) {
	if round < e.plan.rounds {
		took := e.work(e.plan.operations)
		*e.times = append(*e.times, float64(took)/float64(e.plan.operations))
	}
}

type turns struct{ rounds, operations int }

// plan determines how many operations fill a turn, which also warms up caches.
func (s setup) plan(w work, most int) turns {
	n := 1
	took := s.quickest(w, n)
	for took < s.turn/4 && n < most {
		n = min(n*4, most)
		took = s.quickest(w, n)
	}
	each := max(took/time.Duration(n), 1)
	n = min(max(int(s.turn/each), 1), most)
	rounds := int(s.budget / (each * time.Duration(n)))
	return turns{min(max(rounds, minRounds), s.rounds), n}
}

// quickest returns the shortest of three times of some operations, because other programs
// on the machine can interrupt them. Long operations have one time.
func (s setup) quickest(w work, times int) time.Duration {
	took := w(times)
	for i := 0; i < 2 && took < s.budget; i++ {
		took = min(took, w(times))
	}
	return took
}

// sample calls f for each task and returns the figures of each column, round by
// round. The first task is the library's. It and the earlier revision have the
// given number of rounds; the other tasks have one.
func (s setup) sample(rounds, tasks int, f func(task int) []float64) [][][]float64 {
	all := make([][][]float64, len(columns(s, make([]struct{}, tasks), struct{}{})))
	local := func(int) []float64 { return f(0) }
	s.together([]figures{local}, func(before []figures) {
		for range rounds {
			all[0] = append(all[0], f(0))
			if before != nil {
				all[1] = append(all[1], before[0](1))
			}
		}
		for i := 1; i < tasks; i++ {
			all[i+len(before)] = [][]float64{f(i)}
		}
	})
	return all
}

// pick returns the figure with the given index, for each column and round.
func pick(samples [][][]float64, figure int) [][]float64 {
	all := make([][]float64, len(samples))
	for i, rounds := range samples {
		for _, figures := range rounds {
			all[i] = append(all[i], figures[figure])
		}
	}
	return all
}

// figure returns a figure of each store and of the earlier revision.
func (s setup) figure(stores []store, f func(store) float64) [][]float64 {
	return pick(s.sample(1, len(stores), func(i int) []float64 { return []float64{f(stores[i])} }), 0)
}

// ratio returns the median of the ratios of a to b, round by round. Rounds that only
// one of them has are ignored.
func ratio(a, b []float64) float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

// median returns the median, or NaN if there are no values.
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
