package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// faults selects what a sliceCollection does wrong. The zero value selects nothing.
type faults struct {
	nullsSmallest, tiesAscending, noCase, timesAsText, floats, oneDirection           bool
	twoInstants, overflow, clampsOffset, ignoresContext, ignoresUnknown, sharesBuffer bool
	storesFirst, sameRevision, acceptsID, sameID, emptyIsError, repeatsField          bool
	appendsToTerms, countsPage, atLeastTwo, roundsOffset, notCompact                  bool
	tiesDescending, trueFirst, listsAsText, numbersAsText                             bool
	revisionIgnoresContext, revisionFails, decimalsAsText                             bool
}

// sliceCollection is a collection in a slice, which it sorts for each page.
type sliceCollection struct {
	description schema.Description
	faults      faults
	revision    atomic.Uint64

	mu     sync.RWMutex
	rows   []row
	buffer []byte
}

type row struct {
	json    []byte
	members map[string]json.RawMessage
}

func newSliceCollection(description schema.Description, f faults, records [][]byte) (*sliceCollection, error) {
	s := &sliceCollection{description: description, faults: f}
	for _, r := range records {
		if err := s.insert(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *sliceCollection) insert(encoded []byte) error {
	r := row{json: bytes.Clone(encoded)}
	if err := json.Unmarshal(encoded, &r.members); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, r)
	if !s.faults.sameRevision {
		s.revision.Add(1)
	}
	return nil
}

func (s *sliceCollection) Revision(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil && !s.faults.ignoresContext && !s.faults.revisionIgnoresContext {
		return 0, err
	}
	if s.faults.revisionFails {
		return 0, errors.New("no revisions")
	}
	return s.revision.Load(), nil
}

func (s *sliceCollection) Fields(ctx context.Context) ([]string, error) {
	if s.faults.ignoresContext {
		ctx = context.Background()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := []string{"id"}
	for _, r := range s.rows {
		for encoded := range r.members {
			if name := ordering.Snake(encoded); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if s.faults.repeatsField {
		names = append(names, "id")
	}
	return names, ctx.Err()
}

func (s *sliceCollection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	fields, err := s.Fields(ctx)
	if err != nil {
		return 0, nil, err
	}
	if s.faults.appendsToTerms {
		terms = append(terms, ordering.Asc("id"))
	}
	for _, t := range terms {
		if !s.faults.ignoresUnknown && !slices.Contains(fields, t.Field) {
			return 0, nil, fmt.Errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
	}
	count := s.count()
	for i := 0; s.faults.twoInstants && i < 10_000 && s.count() == count; i++ {
		runtime.Gosched() // wait for a concurrent Insert
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.faults.twoInstants {
		count = len(s.rows)
	}
	rows := slices.Clone(s.rows)
	slices.SortFunc(rows, func(a, b row) int { return s.compare(terms, a, b) })
	if s.faults.clampsOffset {
		w.Offset = min(w.Offset, max(len(rows)-1, 0))
	}
	if s.faults.emptyIsError && count == 0 {
		return 0, nil, errors.New("no rows")
	}
	if s.faults.atLeastTwo {
		w.Limit = max(w.Limit, 2)
	}
	if s.faults.roundsOffset {
		w.Offset = w.Offset / w.Limit * w.Limit
	}
	start, end := w.Bounds(len(rows))
	if s.faults.countsPage {
		count = end - start
	}
	if s.faults.overflow {
		end = min(w.Offset+w.Limit, len(rows))
	}
	var records [][]byte
	s.buffer = s.buffer[:0]
	for _, r := range rows[start:end] {
		if s.faults.sharesBuffer {
			at := len(s.buffer)
			s.buffer = append(slices.Grow(s.buffer, 1<<16), r.json...)
			r.json = s.buffer[at:]
		}
		if s.faults.notCompact {
			r.json = append([]byte("{ "), r.json[1:]...)
		}
		records = append(records, r.json)
	}
	return count, records, nil
}

func (s *sliceCollection) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows)
}

func (s *sliceCollection) compare(terms []ordering.Term, a, b row) int {
	for i, t := range terms {
		desc := t.Desc
		if s.faults.tiesAscending && i > 0 && t.Field == "id" {
			desc = false
		}
		if s.faults.tiesDescending && i > 0 && t.Field == "id" {
			desc = true
		}
		if s.faults.oneDirection {
			desc = terms[0].Desc
		}
		c := s.key(t.Field, a).Compare(s.key(t.Field, b))
		if x, y := a.isNull(t.Field), b.isNull(t.Field); s.faults.nullsSmallest && x != y {
			c = -c
		}
		if desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func (r row) get(name string) string { return string(r.members[ordering.Camel(name)]) }

func (r row) isNull(name string) bool { return r.get(name) == "null" }

// kind returns the kind of a field, or 0 if it is not known.
func (s *sliceCollection) kind(name string) schema.Kind {
	for _, f := range s.description.Fields {
		if ordering.Snake(f.Name) == name {
			return f.Kind
		}
	}
	return 0
}

func (s *sliceCollection) key(name string, r row) ordering.Key {
	text := r.get(name)
	switch s.kind(name) {
	case schema.Timestamp:
		var at schema.DateTime
		if !s.faults.timesAsText && at.UnmarshalJSON([]byte(text)) == nil {
			return ordering.Time(at.Time)
		}
	case schema.Decimal:
		if !s.faults.decimalsAsText {
			text = strings.Trim(text, `"`)
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && s.faults.floats {
		return ordering.Float(f)
	}
	switch {
	case s.faults.trueFirst && (text == "true" || text == "false"):
		return ordering.Bool(text == "false")
	case s.faults.listsAsText && strings.HasPrefix(text, "["),
		s.faults.numbersAsText && strings.Trim(text, "-0123456789.e") == "":
		return ordering.Text(text)
	}
	if s.faults.noCase && strings.HasPrefix(text, `"`) {
		text = strings.ToLower(text)
	}
	return ordering.JSON(text)
}

func (s *sliceCollection) Create(ctx context.Context, body []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil && !s.faults.ignoresContext {
		return nil, err
	}
	record, err := s.description.Validate(body, schema.Checks{Exists: func(string, int) bool { return true }})
	if err != nil {
		if s.faults.storesFirst {
			_ = s.insert([]byte(`{"id":7}`))
		}
		return nil, err
	}
	record.ID = s.count() + 1
	var sent struct{ ID int }
	if json.Unmarshal(body, &sent) == nil && s.faults.acceptsID && sent.ID != 0 {
		record.ID = sent.ID
	}
	if s.faults.sameID {
		record.ID = 1
	}
	encoded := record.AppendJSON(nil)
	return bytes.Clone(encoded), s.insert(encoded)
}

var (
	_ httpapi.Creator    = (*sliceCollection)(nil)
	_ httpapi.Revisioned = (*sliceCollection)(nil)
)
