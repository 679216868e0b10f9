package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func checkCancellation(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	cancelled, cancel := context.WithCancel(s.ctx)
	cancel()
	late, cancel := context.WithDeadline(s.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{cancelled, late} {
		if _, _, err := c.Page(ctx, pagination.Window{Limit: 1}, byID()); !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("its Page when ctx had ended: error %v, want one that matches %q", err, ctx.Err())
		}
		if _, err := c.Fields(ctx); !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("its Fields when ctx had ended: error %v, want one that matches %q", err, ctx.Err())
		}
		if r, ok := c.(httpapi.Revisioned); ok {
			if _, err := r.Revision(ctx); !errors.Is(err, ctx.Err()) {
				return fmt.Errorf("its Revision when ctx had ended: error %v, want one that matches %q", err, ctx.Err())
			}
		}
	}
	if _, _, err := s.page(c, pagination.Window{Limit: 1}, byID()); err != nil {
		return fmt.Errorf("after a call that was given up: %w", err)
	}
	return nil
}

// Terms belong to the caller, who gives the same to many.
func checkTermsAreRead(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	terms := append(make([]ordering.Term, 0, 4), ordering.Asc("id"))
	if _, _, err := c.Page(s.ctx, pagination.Window{Limit: 1}, terms); err != nil {
		return fmt.Errorf("its Page: %w", err)
	}
	if room := terms[:4]; terms[0] != ordering.Asc("id") || room[1] != (ordering.Term{}) {
		return fmt.Errorf("its Page wrote into the terms, or behind them: %v", room)
	}
	return nil
}

// numbered is a record that differs from others in its id alone.
func (impl *Implementation) numbered(id int) record {
	return impl.record(func(f resources.Field) string {
		if f.Name == "id" {
			return strconv.Itoa(id)
		}
		return filler(f)
	})
}

// insert adds a record, or skips.
func (s *subject) insert(c httpapi.Collection, id int) error {
	if s.impl.Insert == nil {
		return skip("there is no Insert to write with")
	}
	if err := s.impl.Insert(s.ctx, c, s.impl.numbered(id).wire); err != nil {
		return fmt.Errorf("its Insert of a record with id %d: %w", id, err)
	}
	return nil
}

// Records of a page stay as they are, whatever is asked and written later.
func checkKeptPages(s *subject) error {
	c, err := s.open(s.impl.plain(9))
	if err != nil {
		return err
	}
	_, kept, err := c.Page(s.ctx, pagination.Window{Limit: 4}, byID())
	if err != nil {
		return fmt.Errorf("its Page: %w", err)
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
			return fmt.Errorf("a record of a page was %s, and became %s when others were asked for: what Page gives must not change", before[i], r)
		}
	}
	return nil
}

// maxInserts and writing bound how much is written beside readers.
const (
	maxInserts = 300
	writing    = time.Second
)

// checkOneInstant reads the whole while records are inserted in the midst of it.
// Whenever a page and its count are of one instant, there are as many ids as are
// counted, each once, in order, and never fewer than before.
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
			<-done // nothing is written any more when the check has ended
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
		count, ids, err := s.page(c, pagination.Window{Limit: roomForAll}, terms)
		if err == nil {
			err = whole(count, ids, terms[0].Desc, last)
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

// write inserts records between those that are there, until it is enough.
func (s *subject) write(c httpapi.Collection) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("its Insert panicked: %v", reason)
		}
	}()
	end := time.Now().Add(writing)
	for i := range maxInserts {
		if time.Now().After(end) {
			break
		}
		if err := s.insert(c, 100+(i*7919)%maxInserts); err != nil { // each once, up and down
			return err
		}
	}
	return nil
}

// whole says what is wrong with a page of all records.
func whole(count int, ids []int, desc bool, before int) error {
	if count != len(ids) {
		return fmt.Errorf("a page of all records had %d, and the count beside it was %d: they are not of one instant", len(ids), count)
	}
	if count < before {
		return fmt.Errorf("there were %d records after there had been %d, and nobody deletes any", count, before)
	}
	if desc {
		slices.Reverse(ids)
	}
	for i := range ids {
		if i > 0 && ids[i-1] >= ids[i] {
			return fmt.Errorf("beside a writer a page had id %d next to %d: it is not of one instant", ids[i-1], ids[i])
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
			return fmt.Errorf("the revision was %d before a write and is so again behind it: pages from before would be given to people", now)
		}
	}
	return nil
}

func (s *subject) revision(r httpapi.Revisioned) (uint64, error) {
	now, err := r.Revision(s.ctx)
	if err != nil {
		return 0, fmt.Errorf("its Revision: %w", err)
	}
	return now, nil
}
