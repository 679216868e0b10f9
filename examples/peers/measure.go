package main

import (
	"math"
	"slices"
	"time"
)

// setup says how much is measured. Turns are short and rounds many: where other
// programs run on the same machine, most turns then pass without being disturbed.
type setup struct {
	sizes    []int         // numbers of records
	rounds   int           // in which every entrant has a turn
	turn     time.Duration // how long a turn is
	patience time.Duration // an entrant whose turns take longer in all has fewer, but minRounds
	requests int           // a turn over HTTP
}

const minRounds = 3

func settings(quick, full bool) setup {
	if quick {
		return setup{sizes: []int{1100}, rounds: 2, turn: time.Millisecond / 4, patience: 10 * time.Millisecond, requests: 80}
	}
	s := setup{
		sizes:    []int{10_000, 100_000},
		rounds:   11,
		turn:     2 * time.Millisecond,
		patience: 100 * time.Millisecond,
		requests: 400,
	}
	if full {
		s.sizes = append(s.sizes, 1_000_000)
	}
	return s
}

// work does an operation so many times and tells how long that took. What it
// does to be ready, or to undo it, is not in that time.
type work func(times int) time.Duration

// clocked is work that has nothing to prepare.
func clocked(f func(times int)) work {
	return func(times int) time.Duration {
		start := time.Now()
		f(times)
		return time.Since(start)
	}
}

// race lets all entrants do their work in turns and gives the nanoseconds that
// one operation took, for each entrant and round. nil work has no times. No turn
// has more than most operations.
func (s setup) race(entrants []work, most int) [][]float64 {
	times := make([][]float64, len(entrants))
	plans := make([]turns, len(entrants))
	for i, w := range entrants {
		if w != nil {
			plans[i] = s.plan(w, most)
		}
	}
	for round := range s.rounds {
		for i := range entrants {
			i = (i + round) % len(entrants) // nobody is always first
			if p := plans[i]; round < p.rounds {
				took := entrants[i](p.operations)
				times[i] = append(times[i], float64(took)/float64(p.operations))
			}
		}
	}
	return times
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

// ratio is the median of the ratios of two entrants' times, round by round.
func ratio(a, b []float64) float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

// median of nothing is NaN.
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
