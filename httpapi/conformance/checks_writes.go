package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func checkCancellation(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	expired, cancel := context.WithDeadline(s.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		if _, _, err := c.Page(ctx, pagination.Window{Limit: 1}, byID()); !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("Page with a ctx that is done: error %v, want one wrapping %q", err, ctx.Err())
		}
		if _, err := c.Fields(ctx); !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("Fields with a ctx that is done: error %v, want one wrapping %q", err, ctx.Err())
		}
		if r, ok := c.(httpapi.Retriever); ok && s.impl.Description.Actions.Has(schema.Retrieve) {
			if _, err := r.Get(ctx, 1, nil); !errors.Is(err, ctx.Err()) {
				return fmt.Errorf("Get with a ctx that is done: error %v, want one wrapping %q", err, ctx.Err())
			}
		}
		if f, ok := c.(httpapi.Filterer); ok && s.impl.Description.Filters != nil {
			params := url.Values{s.impl.Description.Filters[0]: {""}}
			if _, _, err := f.PageWhere(ctx, params, pagination.Window{Limit: 1}, byID()); !errors.Is(err, ctx.Err()) {
				return fmt.Errorf("PageWhere with a ctx that is done: error %v, want one wrapping %q", err, ctx.Err())
			}
		}
		if r, ok := c.(httpapi.Revisioned); ok {
			if _, err := r.Revision(ctx); !errors.Is(err, ctx.Err()) {
				return fmt.Errorf("Revision with a ctx that is done: error %v, want one wrapping %q", err, ctx.Err())
			}
		}
	}
	if _, _, err := s.page(c, pagination.Window{Limit: 1}, byID()); err != nil {
		return fmt.Errorf("after a canceled call: %w", err)
	}
	return nil
}

// The handler may share the terms between calls.
func checkTermsUnmodified(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	terms := append(make([]ordering.Term, 0, 4), ordering.Asc("id"))
	if _, _, err := c.Page(s.ctx, pagination.Window{Limit: 1}, terms); err != nil {
		return fmt.Errorf("Page: %w", err)
	}
	if all := terms[:4]; all[0] != ordering.Asc("id") || all[1] != (ordering.Term{}) {
		return fmt.Errorf("Page modified the terms or appended to them in place: %v", all)
	}
	return nil
}

// withID returns a record with the given id and filler values.
func (impl *Implementation) withID(id int) record {
	return impl.record(func(f schema.Field) string {
		if f.Name == "id" {
			return strconv.Itoa(id)
		}
		return filler(f, id)
	})
}

// insert adds a record with the given id. It returns a skip if there is no Insert.
func (s *subject) insert(c httpapi.Collection, id int) error {
	if s.impl.Insert == nil {
		return skip("no Insert")
	}
	if err := s.impl.Insert(s.ctx, c, s.impl.withID(id).json); err != nil {
		return fmt.Errorf("Insert of a record with id %d: %w", id, err)
	}
	return nil
}

// The records of a page must not change afterwards.
func checkKeptPages(s *subject) error {
	c, err := s.open(s.impl.plain(9))
	if err != nil {
		return err
	}
	_, kept, err := c.Page(s.ctx, pagination.Window{Limit: 4}, byID())
	if err != nil {
		return fmt.Errorf("Page: %w", err)
	}
	before := make([][]byte, len(kept))
	for i, r := range kept {
		before[i] = bytes.Clone(r)
	}
	if s.impl.Insert != nil {
		if err := s.insert(c, 1000); err != nil {
			return err
		}
	}
	for _, w := range []pagination.Window{{Limit: 4}, {Limit: 2, Offset: 3}, {Limit: 9}} {
		if _, _, err := s.page(c, w, byIDDown()); err != nil {
			return err
		}
	}
	for i, r := range kept {
		if !bytes.Equal(r, before[i]) {
			return fmt.Errorf("a record returned by Page changed later from %s to %s", before[i], r)
		}
	}
	return nil
}

// Limits of concurrent writing.
const (
	maxInserts  = 300
	maxDuration = time.Second
)

// checkOneInstant reads all records while others are inserted between them. If each
// page and its count are of one instant, the number of ids equals the count, the ids
// are distinct and ordered, and the count never decreases.
func checkOneInstant(s *subject) error {
	c, err := s.open(s.impl.plain(5))
	if err != nil {
		return err
	}
	if err := s.insert(c, 10_000); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.write(c) }()
	ended := false
	defer func() {
		if !ended {
			<-done // the writer must not outlive the check
		}
	}()
	last := 0
	for i := 0; ; i++ {
		var failure error
		select {
		case failure = <-done:
			ended = true
		default:
		}
		terms := [][]ordering.Term{byID(), byIDDown()}[i%2]
		count, ids, err := s.page(c, pagination.Window{Limit: unlimited}, terms)
		if err == nil {
			err = checkAll(count, ids, terms[0].Desc, last)
		}
		if err == nil && ended {
			err = failure
		}
		if err != nil || ended {
			return err
		}
		last = count
	}
}

// write inserts records between the existing ones, within the limits.
func (s *subject) write(c httpapi.Collection) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("Insert panicked: %v", reason)
		}
	}()
	end := time.Now().Add(maxDuration)
	for i := range maxInserts {
		if time.Now().After(end) {
			break
		}
		if err := s.insert(c, 100+(i*7919)%maxInserts); err != nil { // distinct and in no order
			return err
		}
	}
	return nil
}

// checkAll checks a page of all records. before is the count of the page before it.
func checkAll(count int, ids []int, desc bool, before int) error {
	if count != len(ids) {
		return fmt.Errorf("Page returned all %d records, but the count %d: they are not of one instant", len(ids), count)
	}
	if count < before {
		return fmt.Errorf("the count decreased to %d from %d, but no record was deleted", count, before)
	}
	if desc {
		slices.Reverse(ids)
	}
	for i := range ids {
		if i > 0 && ids[i-1] >= ids[i] {
			return fmt.Errorf("during writes a page had id %d before %d: it is not of one instant", ids[i-1], ids[i])
		}
	}
	return nil
}

func checkRevision(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	r, ok := c.(httpapi.Revisioned)
	if !ok {
		return skip("the collection is not Revisioned")
	}
	seen := make(map[uint64]bool)
	for id := 10; id < 15; id++ {
		before, err := s.revision(r)
		if err != nil {
			return err
		}
		seen[before] = true
		if err := s.insert(c, id); err != nil {
			return err
		}
		now, err := s.revision(r)
		if err != nil {
			return err
		}
		if seen[now] {
			return fmt.Errorf("revision %d after a write was in use before it, so outdated pages would appear current", now)
		}
	}
	return nil
}

func (s *subject) revision(r httpapi.Revisioned) (uint64, error) {
	now, err := r.Revision(s.ctx)
	if err != nil {
		return 0, fmt.Errorf("Revision: %w", err)
	}
	return now, nil
}
