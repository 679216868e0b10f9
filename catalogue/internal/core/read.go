package core

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// List returns the page that a query asks for.
func (c *Collection) List(ctx context.Context, q Query) (listing, error) {
	asked, terms, f, err := c.ask(ctx, q)
	if err != nil {
		return listing{}, err
	}
	a, err := c.page(ctx, asked, terms, f.instant)
	if err != nil {
		return listing{}, c.Type.Named(err)
	}
	list := listing{Count: a.N, Records: make([][]byte, a.Entries.Len())}
	if as := c.Type.listed; as != nil {
		err = c.showing(f.instant, as).all(a.Entries.All(), list.Records)
	} else {
		for i, e := range a.Entries.All() {
			if list.Records[i], err = c.Type.Encoded(e); err != nil {
				break
			}
		}
	}
	if err != nil {
		return listing{}, err
	}
	if q.Place != nil {
		list.Count, list.Keys, list.Token = -1, a.Keys, a.Token
	}
	return list, nil
}

// All returns the records that a query selects, in its order, all of the instant of the call.
func (c *Collection) All(ctx context.Context, q Query) iter.Seq2[[]byte, error] {
	q.Place = nil
	asked, terms, f, err := c.ask(ctx, q)
	asked.Want = store.WantScan
	var a store.Answer
	if err == nil {
		a, err = c.page(ctx, asked, terms, f.instant)
	}
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, c.Type.Named(err))
			return
		}
		s := c.showing(f.instant, c.Type.listed)
		for e := range a.Scan {
			record, err := s.encoded(e)
			if err = cmp.Or(ctx.Err(), err); !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// ask returns a query of the engine with the terms and the filter of a query.
func (c *Collection) ask(ctx context.Context, q Query) (asked store.Query, terms []ordering.Term, f filter, err error) {
	terms = q.Terms
	if slices.ContainsFunc(terms, c.unsortable) { // most have their names in snake_case
		terms = slices.DeleteFunc(slices.Clone(layout.Rename(terms, c.fieldOf)), c.unsortable)
	}
	if f, err = newFilter(ctx, c, q.Filter, terms, c.Type.listed, 0); err != nil {
		return asked, nil, f, err
	}
	asked = store.Query{Window: q.Window, Place: q.Place, Lenient: true, Flat: c.Type.About.Sortable == nil && c.Type.About.Fields == nil}
	if q.Place != nil && q.Place.Positioned {
		err = f.begin(terms, q.Place)
	}
	f.addTo(&asked)
	return asked, terms, f, err
}

// page returns the page of a query, of the current state or of an instant, or a scan.
func (c *Collection) page(ctx context.Context, q store.Query, terms []ordering.Term, in *instant) (a store.Answer, err error) {
	var from store.Source = c.Store
	if in != nil {
		from, q.Related = in.states[c], in.fields(c, terms)
	}
	if q.Place != nil {
		q.Want = store.WantAfter
	}
	if q.Want != store.WantPage {
		q.Terms = slices.Clone(terms)
		return from.Answer(ctx, q)
	}
	a.Entries, a.N, err = store.Page(ctx, from, q, terms)
	if err == nil && in != nil {
		err = ctx.Err() // after which records of other collections are no longer read
	}
	return a, err
}

// Counts returns the number of selected records for each group of tests.
func (c *Collection) Counts(ctx context.Context, wanted schema.Filter, groups [][]schema.Test) ([]int, error) {
	all := wanted
	all.Tests = slices.Concat(wanted.Tests, slices.Concat(groups...))
	in, err := instantOf(ctx, c, all, nil, nil)
	if err != nil {
		return nil, err
	}
	turn := new(store.Turn)
	base, err := in.filter(c, wanted, 0, turn)
	if err != nil {
		return nil, err
	}
	var from store.Source = c.Store
	if in != nil {
		from = in.states[c]
	}
	counts, others := make([]int, len(groups)), map[int]func(*store.Entry) bool{}
	for i, tests := range groups {
		group, err := in.filter(c, schema.Filter{Tests: tests}, 0, turn)
		if err != nil {
			return nil, err
		}
		q := store.Query{Want: store.WantCount}
		base.addTo(&q)
		group.addTo(&q)
		if q.Match != nil {
			others[i] = group.test()
			continue
		}
		a, err := from.Answer(ctx, q)
		if err != nil {
			return nil, c.Type.Named(err)
		}
		counts[i] = a.N
	}
	if len(others) == 0 {
		return counts, ctx.Err()
	}
	q := store.Query{Want: store.WantScan, Terms: []ordering.Term{ordering.Asc(c.Type.Identity.Number)}}
	base.addTo(&q)
	selected, err := from.Answer(ctx, q)
	if err != nil {
		return nil, c.Type.Named(err)
	}
	for e := range selected.Scan {
		for i, holds := range others {
			if holds(e) {
				counts[i]++
			}
		}
	}
	return counts, cmp.Or(ctx.Err(), turn.Err)
}

// Get returns the JSON of the record that a segment names and a filter selects.
func (c *Collection) Get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error) {
	as := c.Type.shown
	f, err := newFilter(ctx, c, filter, nil, as, 1)
	if err != nil {
		return nil, err
	}
	entry, err := c.find(c.Store, segment, f)
	if err != nil {
		return nil, err
	}
	s := c.showing(f.instant, as)
	return s.encoded(entry)
}

// Stored returns the JSON of the record that a segment names as it is stored.
func (c *Collection) Stored(ctx context.Context, segment string) (record []byte, err error) {
	entry, err := c.target(ctx, c.Store, segment, schema.Filter{})
	if err != nil {
		return nil, err
	}
	return c.Type.Encoded(entry)
}

// A Query asks for a page. Package catalogue documents it, and the types below.
type Query struct {
	Filter schema.Filter
	Window pagination.Window
	Terms  []ordering.Term
	Place  *pagination.Place
}

type listing struct {
	Records [][]byte
	Count   int
	Keys    []sortkey.Key
	Token   func(i int) string
}

// unsortable reports whether requests cannot order records by the field of a term, or have its name in
// JSON.
func (c *Collection) unsortable(t ordering.Term) bool {
	s := c.Type
	switch {
	case t.Field == s.Identity.Number:
		return s.Identity.Key != nil
	case t.Field == s.Engine.Key, slices.ContainsFunc(s.About.Ordering, func(d ordering.Term) bool { return d.Field == t.Field }):
		return false
	case s.About.Sortable == nil && s.About.Fields == nil:
		return s.FieldOf(t.Field) != t.Field
	case s.About.Sortable == nil:
		c := s.Column(t.Field)
		return c == nil || c.Inside || c.Hidden || c.Computed || c.Snake != t.Field
	}
	return !slices.Contains(s.About.Sortable, t.Field)
}
