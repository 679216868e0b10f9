package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func checkFields(s *subject) error {
	m := s.impl.plain(3)
	c, err := s.open(m)
	if err != nil {
		return err
	}
	fields, err := c.Fields(s.ctx)
	if err != nil {
		return fmt.Errorf("Fields: %w", err)
	}
	for i, name := range fields {
		if name != ordering.Snake(name) || slices.Contains(fields[:i], name) {
			return fmt.Errorf("Fields returns %q, which is not in snake_case or a duplicate", name)
		}
		if _, _, err := s.page(c, pagination.Window{Limit: 1}, thenByID(ordering.Asc(name))); err != nil {
			return fmt.Errorf("Fields returns %q, but: %w", name, err)
		}
	}
	for _, f := range s.impl.fields() {
		if name := ordering.Snake(f.Name); !slices.Contains(fields, name) {
			return fmt.Errorf("Fields omits %q, which all records have: %q", name, fields)
		}
	}
	if c, err = s.open(nil); err != nil {
		return err
	}
	if fields, err = c.Fields(s.ctx); err != nil || !slices.Contains(fields, "id") {
		return fmt.Errorf("Fields of an empty collection: %q, %v, want id", fields, err)
	}
	return nil
}

// thenByID returns the terms that the handler passes for one term.
func thenByID(t ordering.Term) []ordering.Term {
	if t.Field == "id" {
		return []ordering.Term{t}
	}
	return []ordering.Term{t, {Field: "id", Desc: t.Desc}}
}

func checkRecords(s *subject) error {
	m := s.impl.plain(3)
	c, err := s.open(m)
	if err != nil {
		return err
	}
	_, records, err := c.Page(s.ctx, pagination.Window{Limit: unlimited}, byID())
	if err != nil {
		return fmt.Errorf("Page: %w", err)
	}
	for _, got := range records {
		var compact bytes.Buffer
		if json.Compact(&compact, got) != nil || !bytes.Equal(compact.Bytes(), got) || !utf8.Valid(got) {
			return fmt.Errorf("record %q is not compact JSON in UTF-8", got)
		}
		id, err := idOf(got)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(m, func(r record) bool { return r.id == id })
		if i < 0 || !bytes.Equal(got, m[i].json) {
			return fmt.Errorf("record %s differs from the one passed to New", got)
		}
	}
	return nil
}

func checkEmpty(s *subject) error {
	c, err := s.open(nil)
	if err != nil {
		return err
	}
	for _, offset := range []int{0, 1, 1000} {
		count, ids, err := s.page(c, pagination.Window{Limit: 21, Offset: offset}, byID())
		if err != nil {
			return err
		}
		if count != 0 || len(ids) != 0 {
			return fmt.Errorf("Page at offset %d of an empty collection: count %d, ids %v", offset, count, ids)
		}
	}
	return nil
}

func checkCount(s *subject) error {
	const n = 7
	c, err := s.open(s.impl.plain(n))
	if err != nil {
		return err
	}
	for _, w := range []pagination.Window{{Limit: 1}, {Limit: n}, {Limit: 100}, {Limit: 3, Offset: 5}, {Limit: 2, Offset: n}, {Limit: 2, Offset: 50}} {
		count, _, err := s.page(c, w, byID())
		if err != nil {
			return err
		}
		if count != n {
			return fmt.Errorf("Page of %+v: count %d, want %d, the number of all records", w, count, n)
		}
	}
	return nil
}

// checkWindows checks pages of 7 records in both directions.
func (s *subject) checkWindows(windows ...pagination.Window) error {
	m := s.impl.plain(7)
	c, err := s.open(m)
	if err != nil {
		return err
	}
	for _, w := range windows {
		for _, terms := range [][]ordering.Term{byID(), byIDDown()} {
			if err := s.checkPage(c, m, w, terms); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkLimits(s *subject) error {
	return s.checkWindows(pagination.Window{Limit: 1}, pagination.Window{Limit: 6}, pagination.Window{Limit: 7},
		pagination.Window{Limit: 8}, pagination.Window{Limit: 1000})
}

func checkOffsets(s *subject) error {
	return s.checkWindows(pagination.Window{Limit: 2, Offset: 1}, pagination.Window{Limit: 2, Offset: 5},
		pagination.Window{Limit: 2, Offset: 6}, pagination.Window{Limit: 1, Offset: 6}, pagination.Window{Limit: 21, Offset: 3})
}

func checkOffsetAtCount(s *subject) error {
	return s.checkWindows(pagination.Window{Limit: 1, Offset: 7}, pagination.Window{Limit: 21, Offset: 7})
}

func checkOffsetBeyond(s *subject) error {
	return s.checkWindows(pagination.Window{Limit: 1, Offset: 8}, pagination.Window{Limit: 21, Offset: 1000})
}

// The sum of limit and offset overflows.
func checkLargest(s *subject) error {
	return s.checkWindows(pagination.Window{Limit: math.MaxInt}, pagination.Window{Limit: 21, Offset: math.MaxInt},
		pagination.Window{Limit: math.MaxInt, Offset: 3}, pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt})
}

func checkUnknownField(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		_, _, err := c.Page(s.ctx, pagination.Window{Limit: 21}, thenByID(ordering.Asc(name)))
		if !errors.Is(err, ordering.ErrUnknownField) {
			return fmt.Errorf("Page by %q: error %v, want one wrapping ordering.ErrUnknownField", name, err)
		}
	}
	return nil
}
