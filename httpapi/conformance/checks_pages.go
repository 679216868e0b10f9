package conformance

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
		return fmt.Errorf("its Fields: %w", err)
	}
	for i, name := range fields {
		if name != ordering.Snake(name) || slices.Contains(fields[:i], name) {
			return fmt.Errorf("its Fields names %q, which is not snake_case or is there twice", name)
		}
		if _, _, err := s.page(c, pagination.Window{Limit: 1}, closed(ordering.Asc(name))); err != nil {
			return fmt.Errorf("its Fields names %q, but: %w", name, err)
		}
	}
	for _, f := range s.impl.fields() {
		if name := ordering.Snake(f.Name); !slices.Contains(fields, name) {
			return fmt.Errorf("its Fields leaves out %q, which all records have: %q", name, fields)
		}
	}
	if c, err = s.open(nil); err != nil {
		return err
	}
	if fields, err = c.Fields(s.ctx); err != nil || !slices.Contains(fields, "id") {
		return fmt.Errorf("its Fields of a collection without records: %q, %v; id has to be there", fields, err)
	}
	return nil
}

// closed is the order by one term as the handler has it.
func closed(t ordering.Term) []ordering.Term {
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
	_, records, err := c.Page(s.ctx, pagination.Window{Limit: roomForAll}, byID())
	if err != nil {
		return fmt.Errorf("its Page: %w", err)
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
		if i < 0 || !bytes.Equal(got, m[i].wire) {
			return fmt.Errorf("record %s did not come out as it went in", got)
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
			return fmt.Errorf("no records, offset %d: count %d, ids %v", offset, count, ids)
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
			return fmt.Errorf("its Page of %+v: count %d, want that of all records, %d", w, count, n)
		}
	}
	return nil
}

// windows checks pages of 7 records, both ways.
func (s *subject) windows(all ...pagination.Window) error {
	m := s.impl.plain(7)
	c, err := s.open(m)
	if err != nil {
		return err
	}
	for _, w := range all {
		for _, terms := range [][]ordering.Term{byID(), byIDDown()} {
			if err := s.shows(c, m, w, terms); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkLimits(s *subject) error {
	return s.windows(pagination.Window{Limit: 1}, pagination.Window{Limit: 6}, pagination.Window{Limit: 7},
		pagination.Window{Limit: 8}, pagination.Window{Limit: 1000})
}

func checkOffsets(s *subject) error {
	return s.windows(pagination.Window{Limit: 2, Offset: 1}, pagination.Window{Limit: 2, Offset: 5},
		pagination.Window{Limit: 2, Offset: 6}, pagination.Window{Limit: 1, Offset: 6}, pagination.Window{Limit: 21, Offset: 3})
}

func checkOffsetAtCount(s *subject) error {
	return s.windows(pagination.Window{Limit: 1, Offset: 7}, pagination.Window{Limit: 21, Offset: 7})
}

func checkOffsetBeyond(s *subject) error {
	return s.windows(pagination.Window{Limit: 1, Offset: 8}, pagination.Window{Limit: 21, Offset: 1000})
}

// The sum of limit and offset is beyond an int.
func checkLargest(s *subject) error {
	return s.windows(pagination.Window{Limit: math.MaxInt}, pagination.Window{Limit: 21, Offset: math.MaxInt},
		pagination.Window{Limit: math.MaxInt, Offset: 3}, pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt})
}

func checkUnknownField(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		_, _, err := c.Page(s.ctx, pagination.Window{Limit: 21}, closed(ordering.Asc(name)))
		if !errors.Is(err, ordering.ErrUnknownField) {
			return fmt.Errorf("its Page by %q: error %v, want one that matches ordering.ErrUnknownField", name, err)
		}
	}
	return nil
}
