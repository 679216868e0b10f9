package httpapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A sight is what one request can see of the collections that [Restrict] restricts. The rows of each
// are determined once, when they are needed.
type sight struct {
	handler *Handler
	mu      sync.Mutex
	known   map[*route][]schema.Test
}

func (h *Handler) newSight() *sight { return &sight{handler: h, known: map[*route][]schema.Test{}} }

// rows returns the tests of a collection's restrictions, or nil if r is nil or all records are seen.
func (s *sight) rows(ctx context.Context, r *route) (all []schema.Test, err error) {
	if r == nil || r.rows == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, ok := s.known[r]
	if ok {
		return all, nil
	}
	for _, rows := range r.rows {
		tests, err := rows(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, tests...)
	}
	s.known[r] = all
	return all, nil
}

// personal reports whether the response depends on what the request can see.
func (s *sight) personal() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known) > 0
}

// sees reports whether the request can see the record of a collection that has a value in a field. It
// is a function for [schema.WithVisible].
func (s *sight) sees(ctx context.Context, collection, field, value string) (bool, error) {
	r := s.handler.named(collection)
	tests, err := s.rows(ctx, r)
	if tests == nil || err != nil {
		return err == nil, err
	}
	filter := schema.Filter{Tests: tests}
	if r.getter != nil && field == cmp.Or(r.about.Lookup, "id") { // List reads more of other collections
		_, err := r.getter.Get(ctx, value, filter)
		if errors.Is(err, catalogue.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	if f := r.about.Identity(); field == "id" && !f.Key {
		field = ordering.Snake(f.Name)
	}
	filter.Tests = append(slices.Clip(tests), schema.Test{Field: field, Lookup: "exact", Values: []string{value}})
	list, err := r.all.List(ctx, catalogue.Query{Filter: filter, Window: pagination.Window{Limit: 1}})
	return len(list.Records) > 0, err
}
