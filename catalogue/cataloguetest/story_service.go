package cataloguetest

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// A storyService is the service of a story.
type storyService struct {
	house   *catalogue.Catalogue
	handler http.Handler
	steps   [][]*Breakage // the faults of each step
}

// serve returns the service of a story. It is called outside the bubble: what is made
// there may be used inside as well, but not the other way round.
func (x *explorer) serve(e *ended) (*storyService, error) {
	before := newState(len(x.data.ids), e.records)
	e.throughout, e.ever = slices.Clone(before.present), slices.Clone(before.present)
	s, err := x.base(e, before)
	if err != nil {
		return nil, err
	}
	write := func(after state) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if x.data.write(s.house, after) == nil {
			e.note(after)
		}
	}
	f := &faults{paths: x.data.paths, limits: e.pageLimits()}
	for i, faults := range e.plan(before, write) {
		s.steps = append(s.steps, nil)
		for _, fault := range faults {
			b, err := f.add(e.steps[i].where(), fault)
			if err != nil {
				return nil, err
			}
			s.steps[i] = append(s.steps[i], b)
		}
	}
	s.handler = f.wrap(s.handler)
	return s, nil
}

// A baseKey identifies a service without steps.
type baseKey struct{ records, limit int }

// base returns a service without steps. Stories without writes share it.
func (x *explorer) base(e *ended, before state) (*storyService, error) {
	if s := x.bases[baseKey{e.records, e.limit}]; s != nil && !x.creates && !e.writes() {
		return &storyService{house: s.house, handler: s.handler}, nil
	}
	house := x.houses[e.records]
	if house == nil {
		house = x.data.house.Clone()
		if err := x.data.write(house, before); err != nil {
			return nil, err
		}
		x.houses[e.records] = house
	}
	opts := httpapi.Options{Root: x.data.paths.root, Limits: e.pageLimits()}
	shared := !x.creates && !e.writes()
	if !shared {
		house = house.Clone()
		opts.Authorizer = httpapi.AllowAll
	}
	handler, err := httpapi.New(house, opts)
	if err != nil {
		return nil, err
	}
	if shared {
		x.bases[baseKey{e.records, e.limit}] = &storyService{house: house, handler: handler}
	}
	return &storyService{house: house, handler: handler}, nil
}

// pageLimits returns the limits of the service.
func (s *story) pageLimits() pagination.Limits {
	return pagination.Limits{Default: s.limit, Max: s.limit}
}

// writes reports whether the story has writes.
func (s *story) writes() bool {
	return slices.ContainsFunc(s.steps, func(st step) bool { return st.kind.write != nil })
}

// where returns the requests at which a step happens.
func (st *step) where() Where {
	if st.rest {
		return Where{After: st.at - 1}
	}
	return Where{Nth: st.at}
}

// states returns the state after each write of the story, by step. Writes happen in the
// order of their requests.
func (s *story) states(before state) []state {
	order := make([]int, len(s.steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.steps[a].at, s.steps[b].at) })
	states := make([]state, len(s.steps))
	for _, i := range order {
		if st := s.steps[i]; st.kind.write != nil {
			before = st.kind.write(before, st.arg)
			states[i] = before
		}
	}
	return states
}

// plan returns the faults of each step. A write is a fault that calls write with the state
// after it.
func (s *story) plan(before state, write func(after state)) [][]Fault {
	plan := make([][]Fault, len(s.steps))
	states := s.states(before)
	for i, st := range s.steps {
		if st.kind.write == nil {
			plan[i] = st.kind.faults(st.arg)
		} else {
			plan[i] = []Fault{Do(func() { write(states[i]) })}
		}
	}
	return plan
}
