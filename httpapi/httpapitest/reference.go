package httpapitest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	c    httpapi.Collection
	ref  catalogue.AnyCollection
	used map[int]bool // ids that a record has or had
}

// open returns a collection with some records, and its reference.
func (s *subject) open(records [][]byte) *pair {
	p := &pair{subject: s, ref: s.reference(records), used: map[int]bool{}}
	given := [][]byte{}
	for _, r := range records {
		given = append(given, bytes.Clone(r))
		p.used[s.id(r)] = true
	}
	var err error
	if p.c, err = s.New(s.ctx, given); err != nil || p.c == nil {
		s.Fatalf("New with %d records: collection %v, error %v", len(records), p.c, err)
	}
	return p
}

// reference returns a collection of open records. Its references lead to a collection that has
// the records to which the Body refers.
func (s *subject) reference(records [][]byte) catalogue.AnyCollection {
	about := s.Description
	related, ids := about.Key+"Related", map[string]bool{}
	about.Fields = slices.Clone(about.Fields)
	for i, f := range about.Fields {
		if f.Refers != "" {
			about.Fields[i].Refers = related
		}
		for _, id := range s.referred(f) {
			ids[`{"id":`+id+`}`] = true
		}
	}
	about.Search = slices.DeleteFunc(slices.Clone(about.Search), func(entry string) bool { return strings.Contains(entry, "__") })
	about.Filters = slices.DeleteFunc(slices.Clone(about.Filters), func(name string) bool { return !s.isOwn(name) })
	about.Sortable = slices.DeleteFunc(slices.Clone(about.Sortable), func(name string) bool { return strings.Contains(name, "__") && !s.isOwn(name) })
	cat, err := catalogue.New(
		catalogue.Define[schema.Record](about.Key, catalogue.Options{Description: &about}),
		catalogue.Define[schema.Record](related, catalogue.Options{}),
	)
	if err == nil {
		file := fmt.Sprintf(`{%q:[%s],%q:[%s]}`, about.Key, bytes.Join(records, []byte(",")), related, strings.Join(slices.Collect(maps.Keys(ids)), ","))
		err = cat.Load(strings.NewReader(file), catalogue.LoadOptions{})
	}
	if err != nil {
		s.Fatalf("records of a check: %v", err)
	}
	c, _ := cat.Collection(about.Key)
	return c
}

// all returns a window that is larger than the collection of any check.
func all() pagination.Window { return pagination.Window{Limit: 5000} }

// everything returns a query for all records in the order of the terms.
func everything(terms ...ordering.Term) catalogue.Query {
	return catalogue.Query{Window: all(), Terms: terms}
}

func (s *subject) ids(list catalogue.Listing) []int {
	ids := make([]int, len(list.Records))
	for i, r := range list.Records {
		ids[i] = s.id(r)
	}
	return ids
}

func (s *subject) id(encoded []byte) int {
	r, err := schema.ParseRecord(encoded)
	if err != nil {
		s.Fatalf("record %q: %v", encoded, err)
	}
	return r.ID
}

// list checks that a List returns what the reference returns, except for the members of the
// records. why is the rule under test. It returns the list of the collection.
func (p *pair) list(why string, q catalogue.Query) catalogue.Listing {
	name := fmt.Sprintf("List with the filter %v by %v in %+v", q.Filter, q.Terms, q.Window)
	given := q
	given.Terms = slices.Clone(q.Terms)
	got, err := p.c.List(p.ctx, given)
	for i, tests := range q.Filter.Search { // the reference does not search in other collections
		q.Filter.Search[i] = slices.DeleteFunc(slices.Clone(tests), func(t schema.Test) bool { return strings.Contains(t.Field, "__") })
	}
	want, wantErr := p.ref.List(p.ctx, q)
	p.checkErrors(name, err, wantErr)
	if err != nil {
		return got
	}
	if !slices.Equal(got.Terms, want.Terms) {
		p.Fatalf("%s returns the terms %v, want %v, those that name a field", name, got.Terms, want.Terms)
	}
	ids, wantIDs := p.ids(got), p.ids(want)
	if q.Place != nil && (len(got.Keys) != len(ids) || got.Token == nil) {
		p.Fatalf("%s from %+v returns %d keys of %d records, and a Token that is nil: %t", name, *q.Place, len(got.Keys), len(ids), got.Token == nil)
	}
	if got.Count == want.Count && slices.Equal(ids, wantIDs) {
		for i := range got.Keys {
			if c, wantC := got.Keys[max(i-1, 0)].Compare(got.Keys[i]), want.Keys[max(i-1, 0)].Compare(want.Keys[i]); c != wantC {
				p.Fatalf("%s from %+v: the keys of the records %d and %d compare as %d, want %d", name, *q.Place, ids[max(i-1, 0)], ids[i], c, wantC)
			}
		}
		return got
	}
	i := 0
	for i < min(len(ids), len(wantIDs)) && ids[i] == wantIDs[i] {
		i++
	}
	p.Fatalf("%s: count %d and ids %v, want %d and %v (%s)\nrecord %d: %s\nwant: %s", name, got.Count, ids, want.Count, wantIDs, why,
		i, bytes.Join(got.Records[i:min(i+1, len(ids))], nil), bytes.Join(want.Records[i:min(i+1, len(wantIDs))], nil))
	return got
}

// stored returns all records of the reference.
func (p *pair) stored() [][]byte {
	list, err := p.ref.List(p.ctx, everything(ordering.Asc("id")))
	if err != nil {
		p.Fatalf("records of a check: %v", err)
	}
	return slices.Clone(list.Records)
}

// checkStored checks that the collection has exactly the records of the reference. after names
// the operation before.
func (p *pair) checkStored(after string) {
	got := p.list("the records after "+after, everything(ordering.Asc("id"))).Records
	for i, want := range p.stored() {
		if !bytes.Equal(got[i], want) {
			p.Fatalf("after %s List returns the record %s, want %s", after, got[i], want)
		}
	}
}

// checkErrors checks the error that a method has returned. If the reference returns an error,
// it must be of the same kind, and blame the same fields and parts of them.
func (s *subject) checkErrors(method string, err, want error) {
	if (err == nil) != (want == nil) || kindOf(err) != kindOf(want) {
		s.Fatalf("%s returns the error %v, want one like %v", method, err, want)
	}
}

// kindOf returns what a handler makes of an error.
func kindOf(err error) string {
	if fields := (schema.FieldErrors)(nil); errors.As(err, &fields) {
		names := paths("", fields)
		slices.Sort(names)
		return strings.Join(slices.Compact(names), " ")
	}
	if syntax := (*schema.SyntaxError)(nil); errors.As(err, &syntax) {
		return "syntax"
	}
	return fmt.Sprint(errors.Is(err, catalogue.ErrNotFound), errors.Is(err, errRefused))
}

// paths returns the paths of the fields that errors blame, such as "address.city".
func paths(prefix string, errs schema.FieldErrors) (list []string) {
	for _, e := range errs {
		path := prefix + e.Field
		if e.Fields == nil && e.Items == nil {
			list = append(list, path)
		}
		list = append(list, paths(path+".", e.Fields)...)
		for i, item := range e.Items {
			if item.Field = strconv.Itoa(i); item.Messages != nil || item.Fields != nil || item.Items != nil {
				list = append(list, paths(path+".", schema.FieldErrors{item})...)
			}
		}
	}
	return list
}

// checkPages checks pages of the records that a filter selects, in both directions.
func (p *pair) checkPages(filter schema.Filter, windows ...[2]int) {
	for _, w := range windows {
		for _, desc := range []bool{false, true} {
			p.list("a page", catalogue.Query{
				Filter: filter,
				Window: pagination.Window{Limit: w[0], Offset: w[1]},
				Terms:  []ordering.Term{{Field: "id", Desc: desc}},
			})
		}
	}
}

func (p *pair) insert(id int) error { return p.Insert(p.ctx, p.c, p.record(id, nil)) }

// errRefused is the error of a condition that fails.
var errRefused = errors.New("the condition is false")
