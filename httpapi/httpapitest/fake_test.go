package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A fault is what a fake does wrong.
type fault string

// A fake is a collection in a slice, which it filters and sorts for each page. It does one
// thing wrong, unless its fault is empty. Only List and insert may be called concurrently.
type fake struct {
	description schema.Description
	fields      map[string]schema.Field // by snake_case name
	fault       fault
	revision    atomic.Uint64

	mu     sync.RWMutex
	rows   []row
	lastID int
	buffer []byte
}

var (
	_ httpapi.Creator    = (*fake)(nil)
	_ httpapi.Updater    = (*fake)(nil)
	_ httpapi.Deleter    = (*fake)(nil)
	_ httpapi.Revisioner = (*fake)(nil)
)

type row struct {
	id     int
	json   []byte
	values map[string]string // JSON, by snake_case name
}

func newRow(encoded []byte) (row, error) {
	record, err := schema.ParseRecord(encoded)
	if err != nil {
		return row{}, err
	}
	r := row{record.ID, bytes.Clone(encoded), map[string]string{}}
	for name, value := range decode(encoded) {
		r.values[ordering.Snake(name)] = string(value)
	}
	return r, nil
}

func (r row) isNull(name string) bool { return r.values[name] == "null" }

func newFake(d schema.Description, f fault, records [][]byte) (*fake, error) {
	s := &fake{description: d, fault: f, fields: map[string]schema.Field{}}
	for _, f := range d.Fields {
		s.fields[ordering.Snake(f.Name)] = f
	}
	for _, r := range records {
		if err := s.insert(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *fake) insert(encoded []byte) error {
	r, err := newRow(encoded)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, r)
	s.lastID = max(s.lastID, r.id)
	s.changed()
	return nil
}

func (s *fake) changed() {
	if s.fault != "the revision never changes" {
		s.revision.Add(1)
	}
}

// done returns the error of a context, unless the fault is that a method ignores it.
func (s *fake) done(ctx context.Context, method string) error {
	if string(s.fault) == method+" ignores the context" {
		return nil
	}
	return ctx.Err()
}

func (s *fake) Revision(ctx context.Context) (uint64, error) {
	if err := s.done(ctx, "Revision"); err != nil {
		return 0, err
	}
	if s.fault == "Revision returns an error" {
		return 0, errors.New("no revisions")
	}
	return s.revision.Load(), nil
}

func (s *fake) Description() schema.Description {
	d := s.description
	if s.fault == "the description lacks a filter" {
		d.Filters = d.Filters[1:]
	}
	if d.Fields == nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
		d.Sortable = s.names()
		switch s.fault {
		case "a field is sortable twice":
			d.Sortable = append(d.Sortable, "id")
		case "a sortable field is omitted":
			d.Sortable = d.Sortable[1:]
		}
	}
	return d
}

// names returns the names of the fields.
func (s *fake) names() []string {
	names := slices.Collect(maps.Keys(s.fields))
	switch {
	case len(names) > 0:
	case len(s.rows) > 0: // all have the same fields
		names = slices.Collect(maps.Keys(s.rows[0].values))
	default:
		names = []string{"id"}
	}
	return names
}

// known returns the terms that name a field.
func (s *fake) known(terms []ordering.Term) ([]ordering.Term, error) {
	if s.fault == "terms are appended to in place" {
		_ = append(terms, ordering.Asc("id"))
	}
	if s.fault != "terms are dropped in place" {
		terms = slices.Clone(terms)
	}
	names := s.names()
	known := slices.DeleteFunc(terms, func(t ordering.Term) bool {
		return !slices.Contains(names, t.Field) || t.Field == "tags" && s.fault == "a field cannot be ordered by"
	})
	if s.fault == "unknown terms are errors" && len(known) < len(terms) {
		return nil, ordering.ErrUnknownField
	}
	return known, nil
}

func (s *fake) List(ctx context.Context, q catalogue.Query) (list catalogue.List, err error) {
	if err := s.done(ctx, "List"); err != nil {
		return list, err
	}
	selected, err := s.selected(q.Params)
	if err != nil {
		return list, err
	}
	late := s.fault == "the count is taken before the page" && q.Params == nil
	early := s.count(selected)
	for i := 0; late && i < 2_000 && s.count(selected) == early; i++ {
		runtime.Gosched() // wait for a concurrent insert
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if list.Terms, err = s.known(q.Terms); err != nil {
		return list, err
	}
	order := list.Terms
	if len(order) == 0 && s.fault != "the default order is by id" {
		order = s.description.Ordering
	}
	switch s.fault {
	case "unknown terms are returned":
		list.Terms = q.Terms
	case "the terms of the default order are returned":
		list.Terms = order
	case "an empty collection is an error":
		if len(s.rows) == 0 {
			return list, errors.New("no rows")
		}
	}
	rows := slices.Clone(s.rows)
	slices.SortFunc(rows, func(a, b row) int { return s.compare(order, a, b) })
	hidden := func(r row) bool { return !selected(r) }
	list.Count = len(slices.DeleteFunc(slices.Clone(rows), hidden))
	if s.fault != "the window precedes the filter" {
		rows = slices.DeleteFunc(rows, hidden)
	}
	start, end := s.bounds(q, len(rows))
	rows = slices.DeleteFunc(rows[start:end], hidden)
	switch {
	case late:
		list.Count = early
	case s.fault == "the count is that of the page":
		list.Count = end - start
	case s.fault == "the count is that of all records":
		list.Count = len(s.rows)
	}
	list.Records = s.encode(rows)
	return list, nil
}

// bounds returns the bounds of the window of a query in n rows.
func (s *fake) bounds(q catalogue.Query, n int) (start, end int) {
	w := q.Window
	switch s.fault {
	case "a window past the end has the last record":
		w.Offset = min(w.Offset, max(n-1, 0))
	case "a page has at least two records":
		w.Limit = max(w.Limit, 2)
	case "pages start at multiples of the limit":
		w.Offset = w.Offset / w.Limit * w.Limit
	}
	start, end = w.Bounds(n)
	if s.fault == "limit plus offset overflows" {
		end = min(w.Offset+w.Limit, n)
	}
	return start, end
}

func (s *fake) encode(rows []row) (records [][]byte) {
	s.buffer = s.buffer[:0]
	for _, r := range rows {
		switch s.fault {
		case "pages share a buffer":
			at := len(s.buffer)
			s.buffer = append(slices.Grow(s.buffer, 1<<16), r.json...)
			r.json = s.buffer[at:]
		case "records are not compact":
			r.json = append([]byte("{ "), r.json[1:]...)
		}
		records = append(records, r.json)
	}
	return records
}

// count returns the number of selected records.
func (s *fake) count(selected func(row) bool) (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range s.rows {
		if selected(r) {
			n++
		}
	}
	return n
}

func (s *fake) compare(terms []ordering.Term, a, b row) int {
	down := len(terms) > 0 && terms[0].Desc
	for _, t := range terms {
		if s.fault == "all terms have the direction of the first" {
			t.Desc = down
		}
		c := s.key(t.Field, a).Compare(s.key(t.Field, b))
		if s.fault == "null is smallest, as in SQLite" && a.isNull(t.Field) != b.isNull(t.Field) {
			c = -c
		}
		if t.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	switch s.fault {
	case "ties are broken by ascending id":
		down = false
	case "ties are broken by descending id":
		down = true
	}
	if c := s.key("id", a).Compare(s.key("id", b)); !down {
		return c
	}
	return s.key("id", b).Compare(s.key("id", a))
}

func (s *fake) key(name string, r row) sortkey.Key {
	text := r.values[name]
	switch s.fields[name].Kind {
	case schema.Timestamp:
		var at schema.DateTime
		if s.fault != "times are compared as text" && at.UnmarshalJSON([]byte(text)) == nil {
			return sortkey.Time(at.Time)
		}
	case schema.Decimal:
		if s.fault != "decimals are sorted as text" {
			text = strings.Trim(text, `"`)
		}
	}
	switch s.fault {
	case "numbers are compared as float64s":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return sortkey.Float(f)
		}
	case "true is less than false":
		if text == "true" || text == "false" {
			return sortkey.Bool(text == "false")
		}
	case "lists are compared as text":
		if strings.HasPrefix(text, "[") {
			return sortkey.Text(text)
		}
	case "numbers and ids are compared as text":
		if strings.Trim(text, "-0123456789.e") == "" {
			return sortkey.Text(text)
		}
	case "text is compared case-insensitively":
		if strings.HasPrefix(text, `"`) {
			text = strings.ToLower(text)
		}
	}
	return sortkey.JSON(text)
}

// checks returns the checks for the record with an id, or for a new one if it is 0.
func (s *fake) checks(id int) schema.Checks {
	checks := schema.Checks{
		Exists: func(_ string, id int) bool { return id < 3 },
		Taken: func(field, value string) bool {
			return slices.ContainsFunc(s.rows, func(r row) bool {
				return (r.id != id || s.fault == "a record is compared with itself") && r.values[ordering.Snake(field)] == value
			})
		},
	}
	if id == 0 && s.fault == "posts are not unique" || id != 0 && s.fault == "updates are not unique" {
		checks.Taken = nil
	}
	return checks
}

func (s *fake) Create(ctx context.Context, body []byte) ([]byte, error) {
	if err := s.done(ctx, "Create"); err != nil {
		return nil, err
	}
	record, err := s.description.Validate(body, s.checks(0))
	if err != nil {
		if s.fault == "an invalid record is stored" {
			err = errors.Join(err, s.insert([]byte(`{"id":7}`)))
		}
		return nil, err
	}
	record.ID = s.lastID + 1
	switch s.fault {
	case "all created records get the same id":
		record.ID = 1
	case "ids are used again":
		record.ID = 1
		for _, r := range s.rows {
			record.ID = max(record.ID, r.id+1)
		}
	case "the id is taken from the body":
		var sent struct{ ID int }
		if json.Unmarshal(body, &sent) == nil && sent.ID != 0 {
			record.ID = sent.ID
		}
	}
	return []byte(record.String()), s.insert([]byte(record.String()))
}

// at returns the index of the record that a segment names, if the parameters select it.
func (s *fake) at(segment string, params url.Values, method string) (int, error) {
	if string(s.fault) == method+" ignores parameters" {
		params = nil
	}
	selected, err := s.selected(params)
	if err != nil {
		return 0, err
	}
	id := schema.ParseID(segment)
	switch s.fault {
	case "white space is part of an id":
		id, _ = strconv.Atoi(segment)
	case "text after an id is ignored":
		_, _ = fmt.Sscan(segment, &id)
	}
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.id == id })
	if i < 0 || !selected(s.rows[i]) {
		return 0, catalogue.ErrNotFound
	}
	return i, nil
}

// passes returns the error of a condition for the record at an index.
func (s *fake) passes(i int, condition func([]byte) error, method string) error {
	switch {
	case condition == nil || string(s.fault) == method+" ignores the condition":
		return nil
	case s.fault == "conditions see another record":
		return condition([]byte(`{"id":1}`))
	}
	return condition(s.rows[i].json)
}

func (s *fake) Get(ctx context.Context, segment string, params url.Values) ([]byte, error) {
	if err := s.done(ctx, "Get"); err != nil {
		return nil, err
	}
	if s.fault == "Get of id 0 returns nothing" && segment == "0" && params == nil {
		return nil, nil
	}
	if s.fault == "Get looks for the id first" {
		if _, err := s.at(segment, nil, "Get"); err != nil {
			return nil, err
		}
	}
	i, err := s.at(segment, params, "Get")
	if err != nil {
		return nil, err
	}
	if s.fault == "Get returns another record" {
		i = 0
	}
	return s.rows[i].json, nil
}

func (s *fake) Update(ctx context.Context, segment string, params url.Values, body []byte, partial bool, condition func([]byte) error) ([]byte, error) {
	if err := s.done(ctx, "Update"); err != nil {
		return nil, err
	}
	i, err := s.at(segment, params, "Update")
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
	next, invalid := s.validate(current, body, partial)
	if invalid != nil && s.fault == "an invalid body precedes the condition" {
		return nil, invalid
	}
	if err := s.passes(i, condition, "Update"); err != nil && s.fault != "Update ignores the result of the condition" {
		return nil, err
	}
	if invalid != nil {
		return nil, invalid
	}
	return []byte(next.String()), s.replace(i, next)
}

// validate returns the record that an update makes of current.
func (s *fake) validate(current schema.Record, body []byte, partial bool) (schema.Record, error) {
	if s.fault == "a PUT requires no field" {
		partial = true
	}
	checks := s.checks(current.ID)
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
func (s *fake) replace(i int, record schema.Record) error {
	if s.fault == "Update stores nothing" {
		return nil
	}
	r, err := newRow([]byte(record.String()))
	if err != nil {
		return err
	}
	s.rows[i] = r
	if s.fault != "Update keeps the revision" {
		s.changed()
	}
	return nil
}

func (s *fake) Delete(ctx context.Context, segment string, params url.Values, condition func([]byte) error) error {
	if err := s.done(ctx, "Delete"); err != nil {
		return err
	}
	if segment == "0" && s.fault == "Delete of id 0 succeeds" {
		return nil
	}
	i, err := s.at(segment, params, "Delete")
	if err != nil {
		return err
	}
	if err := s.passes(i, condition, "Delete"); err != nil || s.fault == "Delete deletes nothing" {
		return err
	}
	s.rows = slices.Delete(slices.Clone(s.rows), i, i+1)
	if s.fault != "Delete keeps the revision" {
		s.changed()
	}
	return nil
}

// selected returns a function that reports whether the parameters select a record.
func (s *fake) selected(params url.Values) (func(row) bool, error) {
	filter, err := s.description.Filter(params, func(_ string, id int) bool { return id < 3 })
	if fields := (schema.FieldErrors)(nil); err != nil {
		switch s.fault {
		case "invalid parameters are ignored":
			return func(row) bool { return true }, nil
		case "only the first invalid parameter is an error":
			fields = err.(schema.FieldErrors)
			return nil, fields[:1]
		}
		return nil, err
	}
	holds := func(r row) func(schema.Test) bool {
		return func(t schema.Test) bool { return s.holds(t, r) }
	}
	return func(r row) bool {
		if s.fault == "one of several parameters is enough" && len(filter.Tests) > 1 {
			return slices.ContainsFunc(filter.Tests, holds(r))
		}
		fails := func(t schema.Test) bool { return !s.holds(t, r) }
		return !slices.ContainsFunc(filter.Tests, fails) && s.found(wordsOf(filter), r)
	}, nil
}

// holds reports whether a test holds for a record.
func (s *fake) holds(t schema.Test, r row) bool {
	f, value := s.fields[t.Field], r.values[t.Field]
	if null := value == "null"; t.Lookup == "isnull" {
		return null == (t.Values[0] == "true") || s.fault == "isnull always holds"
	} else if null {
		return s.fault == "null is less than all values" && strings.HasPrefix(t.Lookup, "lt")
	}
	var ids []json.Number
	if f.Kind == schema.References {
		if err := json.Unmarshal([]byte(value), &ids); err != nil {
			panic(err)
		}
		return slices.ContainsFunc(ids, func(id json.Number) bool { return slices.Contains(t.Values, id.String()) })
	}
	text := unquoted(value)
	is := func(other string) int { return s.compareAs(f.Kind, text, other) }
	switch t.Lookup {
	case "exact":
		if s.fault == "exact ignores case" && f.Kind == schema.Text {
			return upper(text) == upper(t.Values[0])
		}
		return is(t.Values[0]) == 0
	case "in":
		if s.fault == "in uses the first value" {
			t.Values = t.Values[:1]
		}
		return slices.ContainsFunc(t.Values, func(v string) bool { return is(v) == 0 })
	case "gt":
		return is(t.Values[0]) > 0
	case "gte":
		return is(t.Values[0]) > 0 || is(t.Values[0]) == 0 && s.fault != "gte is gt"
	case "lt":
		return is(t.Values[0]) < 0
	case "lte":
		return is(t.Values[0]) <= 0
	case "range":
		return is(t.Values[0]) >= 0 && (is(t.Values[1]) <= 0 || s.fault == "a range has no end")
	}
	if s.fault == "icontains is contains" {
		t.Lookup = strings.Replace(t.Lookup, "icontains", "contains", 1)
	}
	return s.matches(t.Lookup, text, t.Values[0])
}

func unquoted(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil {
		return text
	}
	return value
}

func upperASCII(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToUpper(r)
	}
	return r
}

func (s *fake) compareAs(kind schema.Kind, a, b string) int {
	switch kind {
	case schema.Integer, schema.Float, schema.Decimal, schema.Reference:
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if c := x.Cmp(y); c == 0 || kind != schema.Decimal || s.fault != "decimals are ordered as text" {
			return c
		}
	case schema.Timestamp:
		x, errX := time.Parse(time.RFC3339Nano, a)
		y, errY := time.Parse(time.RFC3339Nano, b)
		if errX != nil || errY != nil {
			panic("invalid time")
		}
		return x.Compare(y)
	}
	return strings.Compare(a, b)
}

func (s *fake) matches(lookup, text, part string) bool {
	switch {
	case lookup[0] != 'i':
	case s.fault == "case is ignored in ASCII only":
		text, part = strings.Map(upperASCII, text), strings.Map(upperASCII, part)
	default:
		text, part = upper(text), upper(part)
	}
	if s.fault == "_ matches any character" && part == "_" {
		return true
	}
	switch strings.TrimPrefix(lookup, "i") {
	case "contains":
		return strings.Contains(text, part)
	case "startswith":
		return strings.HasPrefix(text, part)
	}
	return text == part
}

// wordsOf returns the words of a search.
func wordsOf(filter schema.Filter) (words []string) {
	for _, tests := range filter.Search {
		words = append(words, tests[0].Values[0])
	}
	return words
}

// found reports whether a record has every word of a search.
func (s *fake) found(words []string, r row) bool {
	has := func(word string) bool {
		return slices.ContainsFunc(s.description.Search, func(entry string) bool {
			lookup := map[byte]string{'^': "istartswith", '=': "iexact"}[entry[0]]
			if lookup == "" || s.fault == "search ignores signs" {
				lookup = "icontains"
			}
			return s.matches(lookup, unquoted(r.values[strings.TrimLeft(entry, "^=")]), word)
		})
	}
	if s.fault == "one of several words is enough" && len(words) > 0 {
		return slices.ContainsFunc(words, has)
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !has(word) })
}
