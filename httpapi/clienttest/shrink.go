package clienttest

import (
	"slices"
	"testing"
)

// mostRuns is the number of scenarios that are tried to reduce one.
const mostRuns = 2000

// shrink returns the smallest scenario found in which the client makes the same mistake, and
// the number of scenarios that were tried. It takes the first change of a scenario that keeps
// the mistake, until there is none.
func (x *explorer) shrink(t *testing.T, e *trial) (smallest *trial, runs int) {
	for {
		smaller := false
		for _, s := range e.smaller() {
			if runs == mostRuns {
				return e, runs
			}
			runs++
			if next := x.run(t, s); next.problem.kind == e.problem.kind {
				e, smaller = next, true
				break
			}
		}
		if !smaller {
			return e, runs
		}
	}
}

// smaller returns scenarios that are smaller by one change, those first that are smallest.
func (s *scenario) smaller() (all []scenario) {
	for i := range s.steps {
		all = append(all, s.with(func(c *scenario) { c.steps = slices.Delete(c.steps, i, i+1) }))
	}
	for _, n := range lower(s.records) {
		if s.limit > leastLimit { // of few records, pages are small
			all = append(all, s.with(func(c *scenario) { c.records, c.limit = n, leastLimit }))
		}
		all = append(all, s.with(func(c *scenario) { c.records = n }))
	}
	// Larger pages are fewer requests.
	for _, limit := range []int{mostLimit, s.limit + 1} {
		if limit > s.limit && limit <= mostLimit && s.records > s.limit {
			all = append(all, s.with(func(c *scenario) { c.limit = limit }))
		}
	}
	for i, st := range s.steps {
		if st.rest {
			all = append(all, s.with(func(c *scenario) { c.steps[i].rest = false }))
		}
		for _, at := range lower(st.at - 1) {
			all = append(all, s.with(func(c *scenario) { c.steps[i].at = at + 1 }))
		}
		for _, arg := range lower(st.arg) {
			all = append(all, s.with(func(c *scenario) { c.steps[i].arg = arg }))
		}
	}
	return all
}

// lower returns numbers that are less than n, and at least 0.
func lower(n int) (all []int) {
	for _, m := range []int{0, 1, 2, 3, n / 2, n - 1} {
		if m >= 0 && m < n && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// with returns a scenario with a change.
func (s *scenario) with(change func(*scenario)) scenario {
	c := *s
	c.steps = slices.Clone(s.steps)
	change(&c)
	return c
}
