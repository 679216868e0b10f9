package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A fault is what a filmSlice does wrong.
type fault string

// A filmSlice is a collection in a slice with all optional interfaces. It does one thing
// wrong, unless its fault is empty.
type filmSlice struct {
	*sliceCollection
	fault  fault
	lastID int
}

func newFilmSlice(d schema.Description, f fault, records [][]byte) (*filmSlice, error) {
	rows, err := newSliceCollection(d, faults{decimalsAsText: f == "decimals are sorted as text"}, records)
	if err != nil {
		return nil, err
	}
	s := &filmSlice{rows, f, 0}
	for _, r := range rows.rows {
		s.lastID = max(s.lastID, r.id())
	}
	return s, nil
}

func (r row) id() int {
	record, err := schema.ParseRecord(r.json)
	if err != nil {
		panic(err)
	}
	return record.ID
}

func (s *filmSlice) Description() schema.Description {
	d := s.description
	if s.fault == "the description lacks a field" {
		d.Fields = d.Fields[1:]
	}
	return d
}

func (s *filmSlice) checks(id int) schema.Checks {
	return schema.Checks{
		Exists: func(_ string, id int) bool { return id < 3 },
		Taken: func(field, value string) bool {
			return slices.ContainsFunc(s.rows, func(r row) bool {
				return (r.id() != id || s.fault == "a record is compared with itself") && string(r.members[field]) == value
			})
		},
	}
}

func (s *filmSlice) Create(ctx context.Context, body []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	checks := s.checks(0)
	if s.fault == "posts are not unique" {
		checks.Taken = nil
	}
	record, err := s.description.Validate(body, checks)
	if err != nil {
		return nil, err
	}
	s.lastID++
	if s.fault == "ids are used again" {
		s.lastID = 1
		for _, r := range s.rows {
			s.lastID = max(s.lastID, r.id()+1)
		}
	}
	record.ID = s.lastID
	return record.AppendJSON(nil), s.insert(record.AppendJSON(nil))
}

// at returns the index of the record with the given id, if the parameters select it.
func (s *filmSlice) at(id int, params url.Values) (int, error) {
	selected, err := s.selected(params)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.id() == id })
	if i < 0 || !selected(s.rows[i]) {
		return 0, catalogue.ErrNotFound
	}
	return i, nil
}

func (s *filmSlice) Get(ctx context.Context, id int, params url.Values) ([]byte, error) {
	if err := ctx.Err(); err != nil && s.fault != "Get ignores the context" {
		return nil, err
	}
	switch {
	case s.fault == "Get ignores parameters":
		params = nil
	case s.fault == "Get of id 0 returns nothing" && id == 0 && len(params) == 0:
		return nil, nil
	case s.fault == "Get looks for the id first":
		if _, err := s.at(id, nil); err != nil {
			return nil, err
		}
	}
	i, err := s.at(id, params)
	if err != nil {
		return nil, err
	}
	if s.fault == "Get returns another record" {
		i = 0
	}
	return s.rows[i].json, nil
}

func (s *filmSlice) Update(ctx context.Context, id int, params url.Values, body []byte, partial bool) ([]byte, error) {
	if err := ctx.Err(); err != nil && s.fault != "Update ignores the context" {
		return nil, err
	}
	if s.fault == "Update ignores parameters" {
		params = nil
	}
	i, err := s.at(id, params)
	if s.fault == "Update of a missing record creates one" && errors.Is(err, catalogue.ErrNotFound) && params == nil {
		return s.Create(ctx, body)
	}
	if err != nil {
		return nil, err
	}
	current, err := schema.ParseRecord(s.rows[i].json)
	if err != nil {
		return nil, err
	}
	next, err := s.validate(current, body, partial)
	if err != nil {
		return nil, err
	}
	return next.AppendJSON(nil), s.replace(i, next)
}

// validate returns the record that an update makes of current.
func (s *filmSlice) validate(current schema.Record, body []byte, partial bool) (schema.Record, error) {
	checks := s.checks(current.ID)
	if s.fault == "updates are not unique" {
		checks.Taken = nil
	}
	if s.fault == "a PUT requires no field" {
		partial = true
	}
	next, err := s.description.ValidateUpdate(current, body, partial, checks)
	switch posted, errPosted := s.description.Validate(body, checks); {
	case err != nil && s.fault == "an invalid update is stored" && bytes.Contains(body, []byte(`:"x"`)):
		with, _ := current.With("title", "new")
		return with, errors.Join(err, s.replace(0, with))
	case err != nil:
	case s.fault == "a PUT resets absent fields" && !partial && errPosted == nil:
		posted.ID = current.ID
		return posted, nil
	case s.fault == "a PATCH resets the synopsis" && bytes.HasPrefix(body, []byte(`{"minutes"`)):
		return next.With("synopsis", "")
	case s.fault == "the time of creation is that of the update" && bytes.Contains(body, []byte("createdAt")):
		return next.With("createdAt", "2001-01-01T00:00:00Z")
	case s.fault == "a PATCH to null is ignored" && bytes.HasSuffix(body, []byte(":null}")):
		return current, nil
	}
	return next, err
}

// replace stores a record at an index.
func (s *filmSlice) replace(i int, record schema.Record) error {
	if s.fault == "Update stores nothing" {
		return nil
	}
	one, err := newSliceCollection(s.description, faults{}, [][]byte{record.AppendJSON(nil)})
	if err != nil {
		return err
	}
	s.rows[i] = one.rows[0]
	if s.fault != "Update keeps the revision" {
		s.revision.Add(1)
	}
	return nil
}

func (s *filmSlice) Delete(ctx context.Context, id int, params url.Values) error {
	if err := ctx.Err(); err != nil && s.fault != "Delete ignores the context" {
		return err
	}
	if s.fault == "Delete ignores parameters" {
		params = nil
	}
	i, err := s.at(id, params)
	if id == 0 && s.fault == "Delete of id 0 succeeds" {
		return nil
	}
	if err != nil || s.fault == "Delete deletes nothing" {
		return err
	}
	s.rows = slices.Delete(slices.Clone(s.rows), i, i+1)
	if s.fault != "Delete keeps the revision" {
		s.revision.Add(1)
	}
	return nil
}

func (s *filmSlice) PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := ctx.Err(); err != nil && s.fault != "PageWhere ignores the context" {
		return 0, nil, err
	}
	selected, err := s.selected(params)
	if err != nil {
		return 0, nil, err
	}
	if s.fault != "PageWhere has no default order" {
		terms = s.lenient(terms)
	}
	part := &sliceCollection{description: s.description, rows: slices.Clone(s.rows)}
	remove := func(r row) bool { return !selected(r) }
	if s.fault == "the window precedes the filter" {
		_, page, err := part.Page(context.Background(), w, terms)
		if err != nil {
			return 0, nil, err
		}
		page = slices.DeleteFunc(page, func(text []byte) bool {
			return remove(part.rows[slices.IndexFunc(part.rows, func(r row) bool { return bytes.Equal(r.json, text) })])
		})
		part.rows = slices.DeleteFunc(part.rows, remove)
		return len(part.rows), page, nil
	}
	part.rows = slices.DeleteFunc(part.rows, remove)
	count, page, err := part.Page(context.Background(), w, terms)
	if s.fault == "the count is that of all records" && count > 1 && w.Limit < 9 {
		count = len(s.rows)
	}
	return count, page, err
}

// lenient drops unknown terms and returns an order without ties.
func (s *filmSlice) lenient(terms []ordering.Term) []ordering.Term {
	var known []ordering.Term
	for _, t := range terms {
		if t.Field != "no_such_field" || s.fault == "unknown terms are errors" {
			known = append(known, t)
		}
	}
	if len(known) == 0 {
		known = slices.Clone(s.description.Ordering)
	}
	if strings.HasSuffix(known[len(known)-1].Field, "id") {
		return known
	}
	return append(known, ordering.Term{Field: "id", Desc: known[0].Desc && s.fault != "ties are by ascending id"})
}

var (
	_ httpapi.Describer = (*filmSlice)(nil)
	_ httpapi.Retriever = (*filmSlice)(nil)
	_ httpapi.Updater   = (*filmSlice)(nil)
	_ httpapi.Deleter   = (*filmSlice)(nil)
	_ httpapi.Filterer  = (*filmSlice)(nil)
)
