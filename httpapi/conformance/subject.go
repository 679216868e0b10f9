package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// subject is an implementation in one check.
type subject struct {
	impl *Implementation
	ctx  context.Context
}

// check is one thing to look at. run gives a sentence that says what is wrong, or
// a skip.
type check struct {
	name string
	run  func(*subject) error
}

func (s *subject) open(m model) (httpapi.Collection, error) {
	c, err := s.impl.New(s.ctx, m.wires())
	if err != nil {
		return nil, fmt.Errorf("its New with %d records: %w", len(m), err)
	}
	if c == nil {
		return nil, fmt.Errorf("its New with %d records: no collection and no error", len(m))
	}
	return c, nil
}

// roomForAll is more than any check has records.
const roomForAll = 5000

// byID and byIDDown are the shortest orders.
func byID() []ordering.Term     { return []ordering.Term{ordering.Asc("id")} }
func byIDDown() []ordering.Term { return []ordering.Term{ordering.Desc("id")} }

// page gives the ids of a page, and the count.
func (s *subject) page(c httpapi.Collection, w pagination.Window, terms []ordering.Term) (count int, ids []int, err error) {
	count, records, err := c.Page(s.ctx, w, slices.Clone(terms))
	if err != nil {
		return 0, nil, fmt.Errorf("its Page by %v of %+v: %w", terms, w, err)
	}
	ids = make([]int, len(records))
	for i, r := range records {
		if ids[i], err = idOf(r); err != nil {
			return 0, nil, fmt.Errorf("its Page by %v of %+v: %w", terms, w, err)
		}
	}
	return count, ids, nil
}

// idOf reads the id of an encoded record.
func idOf(wire []byte) (int, error) {
	var r struct{ ID *int }
	if err := json.Unmarshal(wire, &r); err != nil {
		return 0, fmt.Errorf("record %q: %w", wire, err)
	}
	if r.ID == nil {
		return 0, fmt.Errorf("record %q has no id", wire)
	}
	return *r.ID, nil
}

// shows says what is wrong with a page: it holds the records of the window in the
// order of the terms.
func (s *subject) shows(c httpapi.Collection, m model, w pagination.Window, terms []ordering.Term) error {
	_, got, err := s.page(c, w, terms)
	if err != nil {
		return err
	}
	want := m.ids(terms)
	want = want[min(w.Offset, len(want)):]
	want = want[:min(w.Limit, len(want))]
	if !slices.Equal(got, want) {
		return fmt.Errorf("its Page by %v of %+v: ids %v, want %v", terms, w, got, want)
	}
	return nil
}

// ordered checks the whole of a collection in some orders. why is the rule that
// they are about.
func (s *subject) ordered(why string, m model, orders ...[]ordering.Term) error {
	c, err := s.open(m)
	if err != nil {
		return err
	}
	for _, terms := range orders {
		if err := s.shows(c, m, pagination.Window{Limit: roomForAll}, terms); err != nil {
			return fmt.Errorf("%w (%s)", err, why)
		}
	}
	return nil
}

// up and down are the orders by one field, ties broken as the handler has it.
func up(name string) []ordering.Term {
	return []ordering.Term{ordering.Asc(name), ordering.Asc("id")}
}

func down(name string) []ordering.Term {
	return []ordering.Term{ordering.Desc(name), ordering.Desc("id")}
}
