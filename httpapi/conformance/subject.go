package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// subject is the implementation under test, with the context of one check.
type subject struct {
	impl *Implementation
	ctx  context.Context
}

// check is a named check. run returns an error that describes what is wrong, or a
// skip.
type check struct {
	name string
	run  func(*subject) error
}

func (s *subject) open(m model) (httpapi.Collection, error) {
	c, err := s.impl.New(s.ctx, m.encoded())
	if err != nil {
		return nil, fmt.Errorf("New with %d records: %w", len(m), err)
	}
	if c == nil {
		return nil, fmt.Errorf("New with %d records: no collection and no error", len(m))
	}
	return c, nil
}

// unlimited is more than the number of records in any check.
const unlimited = 5000

func byID() []ordering.Term     { return []ordering.Term{ordering.Asc("id")} }
func byIDDown() []ordering.Term { return []ordering.Term{ordering.Desc("id")} }

// page returns the count and the ids of a page.
func (s *subject) page(c httpapi.Collection, w pagination.Window, terms []ordering.Term) (count int, ids []int, err error) {
	count, records, err := c.Page(s.ctx, w, slices.Clone(terms))
	if err != nil {
		return 0, nil, fmt.Errorf("Page by %v of %+v: %w", terms, w, err)
	}
	ids = make([]int, len(records))
	for i, r := range records {
		if ids[i], err = idOf(r); err != nil {
			return 0, nil, fmt.Errorf("Page by %v of %+v: %w", terms, w, err)
		}
	}
	return count, ids, nil
}

// idOf returns the id of an encoded record.
func idOf(encoded []byte) (int, error) {
	var r struct{ ID *int }
	if err := json.Unmarshal(encoded, &r); err != nil {
		return 0, fmt.Errorf("record %q: %w", encoded, err)
	}
	if r.ID == nil {
		return 0, fmt.Errorf("record %q has no id", encoded)
	}
	return *r.ID, nil
}

// checkPage checks that a page holds the records of the window in the order of the
// terms.
func (s *subject) checkPage(c httpapi.Collection, m model, w pagination.Window, terms []ordering.Term) error {
	_, got, err := s.page(c, w, terms)
	if err != nil {
		return err
	}
	want := m.ids(terms)
	want = want[min(w.Offset, len(want)):]
	want = want[:min(w.Limit, len(want))]
	if !slices.Equal(got, want) {
		return fmt.Errorf("Page by %v of %+v: ids %v, want %v", terms, w, got, want)
	}
	return nil
}

// checkOrders checks all records of a collection in several orders. why is the rule
// under test.
func (s *subject) checkOrders(why string, m model, orders ...[]ordering.Term) error {
	c, err := s.open(m)
	if err != nil {
		return err
	}
	for _, terms := range orders {
		if err := s.checkPage(c, m, pagination.Window{Limit: unlimited}, terms); err != nil {
			return fmt.Errorf("%w (%s)", err, why)
		}
	}
	return nil
}

// asc and desc order by one field and, like the handler, break ties by id in the same
// direction.
func asc(name string) []ordering.Term {
	return []ordering.Term{ordering.Asc(name), ordering.Asc("id")}
}

func desc(name string) []ordering.Term {
	return []ordering.Term{ordering.Desc(name), ordering.Desc("id")}
}
