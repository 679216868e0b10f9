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

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// faults are what a sliced collection does wrong; the zero value is none of it.
type faults struct {
	nullsSmallest, tiesUp, noCase, timesAsText, floats, oneDirection bool
	twoInstants, overflow, lastPage, deaf, lenient, oneBuffer        bool
	storesFirst, stuck, takesID, sameID, noneIsError, repeatsNames   bool
	appends, countsPage, atLeastTwo, wholePages, blanks              bool
	tiesDown, trueFirst, listsAsText, numbersAsText                  bool
	deafRevision, noRevision                                         bool
}

// sliced is a collection in a slice that is sorted for each page.
type sliced struct {
	about    resources.Description
	faults   faults
	revision atomic.Uint64

	mu     sync.RWMutex
	rows   []row
	buffer []byte
}

type row struct {
	wire    []byte
	members map[string]json.RawMessage
}

func newSliced(about resources.Description, f faults, records [][]byte) (*sliced, error) {
	s := &sliced{about: about, faults: f}
	for _, r := range records {
		if err := s.insert(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *sliced) insert(wire []byte) error {
	r := row{wire: bytes.Clone(wire)}
	if err := json.Unmarshal(wire, &r.members); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, r)
	if !s.faults.stuck {
		s.revision.Add(1)
	}
	return nil
}

func (s *sliced) Revision(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil && !s.faults.deaf && !s.faults.deafRevision {
		return 0, err
	}
	if s.faults.noRevision {
		return 0, errors.New("no table of revisions")
	}
	return s.revision.Load(), nil
}

func (s *sliced) Fields(ctx context.Context) ([]string, error) {
	if s.faults.deaf {
		ctx = context.Background()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := []string{"id"}
	for _, r := range s.rows {
		for wire := range r.members {
			if name := ordering.Snake(wire); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if s.faults.repeatsNames {
		names = append(names, "id")
	}
	return names, ctx.Err()
}

func (s *sliced) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	fields, err := s.Fields(ctx)
	if err != nil {
		return 0, nil, err
	}
	if s.faults.appends {
		terms = append(terms, ordering.Asc("id"))
	}
	for _, t := range terms {
		if !s.faults.lenient && !slices.Contains(fields, t.Field) {
			return 0, nil, fmt.Errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
	}
	count := s.count()
	for i := 0; s.faults.twoInstants && i < 10_000 && s.count() == count; i++ {
		runtime.Gosched() // let somebody write
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.faults.twoInstants {
		count = len(s.rows)
	}
	rows := slices.Clone(s.rows)
	slices.SortFunc(rows, func(a, b row) int { return s.compare(terms, a, b) })
	if s.faults.lastPage {
		w.Offset = min(w.Offset, max(len(rows)-1, 0))
	}
	if s.faults.noneIsError && count == 0 {
		return 0, nil, errors.New("no rows")
	}
	if s.faults.atLeastTwo {
		w.Limit = max(w.Limit, 2)
	}
	if s.faults.wholePages {
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
		if s.faults.oneBuffer {
			at := len(s.buffer)
			s.buffer = append(slices.Grow(s.buffer, 1<<16), r.wire...)
			r.wire = s.buffer[at:]
		}
		if s.faults.blanks {
			r.wire = append([]byte("{ "), r.wire[1:]...)
		}
		records = append(records, r.wire)
	}
	return count, records, nil
}

func (s *sliced) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows)
}

func (s *sliced) compare(terms []ordering.Term, a, b row) int {
	for i, t := range terms {
		desc := t.Desc
		if s.faults.tiesUp && i > 0 && t.Field == "id" {
			desc = false
		}
		if s.faults.tiesDown && i > 0 && t.Field == "id" {
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

func (s *sliced) key(name string, r row) ordering.Key {
	text := r.get(name)
	if i := slices.IndexFunc(s.about.Fields, func(f resources.Field) bool { return ordering.Snake(f.Name) == name }); i >= 0 &&
		s.about.Fields[i].Kind == resources.Timestamp && !s.faults.timesAsText {
		var at resources.DateTime
		if at.UnmarshalJSON([]byte(text)) == nil {
			return ordering.Time(at.Time)
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

func (s *sliced) Create(ctx context.Context, body []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil && !s.faults.deaf {
		return nil, err
	}
	record, err := s.about.Validate(body, func(string, int) bool { return true })
	if err != nil {
		if s.faults.storesFirst {
			_ = s.insert([]byte(`{"id":7}`))
		}
		return nil, err
	}
	record.ID = s.count() + 1
	var sent struct{ ID int }
	if json.Unmarshal(body, &sent) == nil && s.faults.takesID && sent.ID != 0 {
		record.ID = sent.ID
	}
	if s.faults.sameID {
		record.ID = 1
	}
	wire := record.AppendJSON(nil)
	return bytes.Clone(wire), s.insert(wire)
}

var (
	_ httpapi.Creator    = (*sliced)(nil)
	_ httpapi.Revisioned = (*sliced)(nil)
)
