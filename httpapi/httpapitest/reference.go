package httpapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A pair is a collection under test with its reference, which has the same records and to
// which the same is done.
type pair struct {
	*subject
	c   httpapi.Collection
	ref catalogue.AnyCollection
}

// open returns a collection with some records, and its reference.
func (s *subject) open(records [][]byte) *pair {
	ref, err := s.reference(records)
	if err != nil {
		s.Fatalf("records of a check: %v", err)
	}
	given := [][]byte{}
	for _, r := range records {
		given = append(given, bytes.Clone(r))
	}
	c, err := s.New(s.ctx, given)
	if err != nil || c == nil {
		s.Fatalf("New with %d records: collection %v, error %v", len(records), c, err)
	}
	return &pair{s, c, ref}
}

// openWith returns a collection that implements an optional interface. It skips the check if
// the collection does not, or if the description lacks the action.
func openWith[T any](s *subject, action schema.Actions, records [][]byte) (*pair, T) {
	if !s.Description.Actions.Has(action) {
		s.Skipf("the description does not have the action of an %T", *new(T))
	}
	p := s.open(records)
	as, ok := p.c.(T)
	if !ok {
		s.Skipf("the collection does not implement the interface of the action")
	}
	return p, as
}

// reference returns a collection of open records. Its references lead to a collection that has
// the records to which the Body refers.
func (s *subject) reference(records [][]byte) (ref catalogue.AnyCollection, err error) {
	about := s.Description
	if about.Fields == nil {
		about.Sortable = nil // the members of the records that it was returned for
	}
	related := about.Key + "Related"
	about.Fields = slices.Clone(about.Fields)
	for i := range about.Fields {
		if about.Fields[i].Refers != "" {
			about.Fields[i].Refers = related
		}
	}
	about.Search = slices.DeleteFunc(slices.Clone(about.Search), func(entry string) bool { return strings.Contains(entry, "__") })
	cat, err := catalogue.New(
		catalogue.Define[schema.Record](about.Key, catalogue.Options{Description: &about}),
		catalogue.Define[schema.Record](related, catalogue.Options{}),
	)
	if err != nil {
		return ref, err
	}
	file := fmt.Sprintf(`{%q:[%s],%q:[%s]}`, about.Key, bytes.Join(records, []byte(",")), related, strings.Join(s.related(), ","))
	if err := cat.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		return ref, err
	}
	return cat.Collection(about.Key)
}

// related returns the records to which the Body refers.
func (s *subject) related() (records []string) {
	var ids []int
	sent := s.sent()
	for _, f := range s.fields() {
		var id int
		var list []int
		if f.Kind == schema.Reference && json.Unmarshal(sent[f.Name], &id) == nil {
			list = []int{id}
		} else if f.Kind == schema.References {
			_ = json.Unmarshal(sent[f.Name], &list)
		}
		ids = append(ids, list...)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		records = append(records, fmt.Sprintf(`{"id":%d}`, id))
	}
	return records
}

// all returns a window that is larger than the collection of any check.
func all() pagination.Window { return pagination.Window{Limit: 5000} }

func asc(name string) []ordering.Term  { return []ordering.Term{ordering.Asc(name)} }
func desc(name string) []ordering.Term { return []ordering.Term{ordering.Desc(name)} }

// everything returns a query for all records in the order of the terms.
func everything(terms []ordering.Term) catalogue.Query {
	return catalogue.Query{Window: all(), Terms: terms}
}

// list returns the list for a query, and the ids of its records.
func (s *subject) list(c httpapi.Collection, q catalogue.Query) (catalogue.List, []int) {
	q.Terms = slices.Clone(q.Terms)
	list, err := c.List(s.ctx, q)
	if err != nil {
		s.Fatalf("List of %+v: %v", q, err)
	}
	ids := make([]int, len(list.Records))
	for i, r := range list.Records {
		ids[i] = s.id(r)
	}
	return list, ids
}

// id returns the id of an encoded record.
func (s *subject) id(encoded []byte) int {
	var r struct{ ID *int }
	if err := json.Unmarshal(encoded, &r); err != nil || r.ID == nil {
		s.Fatalf("record %q has no id: %v", encoded, err)
	}
	return *r.ID
}

// checkList checks the count and the order of the records that a query selects. why is the
// rule under test.
func (p *pair) checkList(why string, q catalogue.Query) {
	got, ids := p.list(p.c, q)
	for i, tests := range q.Filter.Search { // the reference does not search in other collections
		q.Filter.Search[i] = slices.DeleteFunc(slices.Clone(tests), func(t schema.Test) bool { return strings.Contains(t.Field, "__") })
	}
	want, wantIDs := p.list(p.ref, q)
	if got.Count != want.Count || !slices.Equal(ids, wantIDs) {
		p.Fatalf("List of %v by %v in %+v: count %d and ids %v, want %d and %v (%s)",
			q.Filter, q.Terms, q.Window, got.Count, ids, want.Count, wantIDs, why)
	}
}

// checkTerms checks the terms that a list of all records returns.
func (p *pair) checkTerms(terms []ordering.Term) {
	want, _ := p.list(p.ref, everything(terms))
	if got, _ := p.list(p.c, everything(terms)); !slices.Equal(got.Terms, want.Terms) {
		p.Fatalf("List by %v returns the terms %v, want %v, those that name a field", terms, got.Terms, want.Terms)
	}
}

// checkStored checks that the collection has exactly the records of the reference. after names
// the operation before.
func (p *pair) checkStored(after string) {
	want, _ := p.list(p.ref, everything(asc("id")))
	got, _ := p.list(p.c, everything(asc("id")))
	if got.Count != want.Count || !slices.EqualFunc(got.Records, want.Records, bytes.Equal) {
		p.Fatalf("after %s List returns a count of %d and the records %s, want %d and %s", after, got.Count, got.Records, want.Count, want.Records)
	}
}

// checkResult checks the record and the error that a method has returned. If the reference
// returns an error, the other must be of the same kind, and blame the same fields.
func (p *pair) checkResult(method string, got []byte, err error, want []byte, wantErr error) {
	switch {
	case !bytes.Equal(got, want) && wantErr == nil && err == nil:
		p.Fatalf("%s: %s, want %s", method, got, want)
	case (err == nil) != (wantErr == nil) || kindOf(err) != kindOf(wantErr):
		p.Fatalf("%s: error %v, want one as %v", method, err, wantErr)
	}
}

// kindOf returns what a handler makes of an error.
func kindOf(err error) string {
	if fields := (schema.FieldErrors)(nil); errors.As(err, &fields) {
		var names []string
		for _, e := range fields {
			names = append(names, e.Field)
		}
		slices.Sort(names)
		return strings.Join(slices.Compact(names), " ")
	}
	if syntax := (*schema.SyntaxError)(nil); errors.As(err, &syntax) {
		return "syntax"
	}
	return fmt.Sprint(errors.Is(err, catalogue.ErrNotFound))
}
