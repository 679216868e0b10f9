package core

import (
	"context"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A filter is a [schema.Filter] for the entries of a collection.
type filter struct {
	where   []restriction
	match   []func(*store.Entry) bool
	instant *instant // nil unless the query reads other collections
}

// A restriction restricts a field to ranges of keys.
type restriction struct {
	field  *layout.Field
	ranges []ordering.Range
}

func (r restriction) holds(e *store.Entry) bool {
	return ordering.InRanges(r.ranges, r.field.EntryKey(e))
}

// holds reports whether the filter selects an entry.
func (f filter) holds(e *store.Entry) bool {
	for _, r := range f.where {
		if !r.holds(e) {
			return false
		}
	}
	return f.matches(e)
}

func (f filter) matches(e *store.Entry) bool {
	for _, match := range f.match {
		if !match(e) {
			return false
		}
	}
	return true
}

// test returns the function holds, or an equivalent one that is faster.
func (f filter) test() func(*store.Entry) bool {
	if len(f.where) == 0 && len(f.match) == 1 {
		return f.match[0]
	}
	return f.holds
}

// addTo adds the filter to a query. Restrictions of fields without an index become part
// of the function that the store calls for entries.
func (f filter) addTo(q *store.Query) {
	for _, r := range f.where {
		if r.field.Indexed {
			q.Where = append(q.Where, store.Condition{Field: r.field.Snake, Ranges: r.ranges})
		} else {
			f.match = append(f.match, r.holds)
		}
	}
	if len(f.match) > 0 {
		q.Match, q.Turns = f.matches, true
	}
}

// newFilter returns the filter for a query with the terms that reads n entries of the collection, or
// all if n is 0. If the query reads other collections, the filter is for the entries of its
// instant.
func newFilter(ctx context.Context, c *Collection, wanted schema.Filter, terms []ordering.Term, n int) (f filter, err error) {
	if err := ctx.Err(); err != nil {
		return f, err
	}
	return instantOf(ctx, c, wanted, terms).filter(c, wanted, n)
}

// filter returns the filter for a query of the instant, which is nil if it reads no other
// collection, that reads n entries of a collection, or all if n is 0.
func (in *instant) filter(c *Collection, wanted schema.Filter, n int) (f filter, err error) {
	if f.instant = in; in != nil && n == 0 {
		n = in.states[c].Len()
	}
	var j *join
	if in != nil || len(wanted.Search) > 0 {
		j = &join{of: c}
	}
	bit, width := 0, (len(wanted.Tests)+len(wanted.Search)+63)/64
	for _, t := range wanted.Tests {
		if !crosses(c, t.Field) {
			err = f.add(c.Type, t)
		} else {
			err = j.add(in, t, bit, width)
			bit++
		}
		if err != nil {
			return f, err
		}
	}
	for _, tests := range wanted.Search {
		for _, t := range tests {
			if err := j.add(in, t, bit, width); err != nil {
				return f, err
			}
		}
		bit++
	}
	if bit > 0 {
		f.match = append(f.match, j.holds(bit, width))
		err = j.readAtOnce(n)
	}
	return f, err
}

// isComplete reports whether a test has the values that its lookup needs.
func isComplete(t schema.Test) bool {
	switch t.Lookup {
	case "in":
		return true
	case "range":
		return len(t.Values) == 2
	}
	return len(t.Values) > 0
}

// add adds a test of a field. A text within text is found whatever the order of the field.
func (f *filter) add(s *Type, t schema.Test) error {
	c := s.Column(t.Field)
	switch {
	case !isComplete(t):
		return s.Errorf("%w: the lookup %s of field %q has %d values", schema.ErrInvalid, t.Lookup, t.Field, len(t.Values))
	case c == nil:
		return unknownColumn(s, t.Field)
	case c.Kind == schema.References:
		f.match = append(f.match, contains(c, t))
		return nil
	}
	list, keyOf := conditions(c.Snake, t), c.TextKey
	if list == nil || t.Lookup == "startswith" && (c.Ordered || c.Fold) {
		f.match = append(f.match, textual(c, t))
	}
	if t.Lookup == "startswith" {
		if c.Ordered {
			return nil
		}
		keyOf = c.SortKey // of a part of a value
	}
	for _, condition := range list {
		ranges, err := condition.Ranges(func(value any) (sortkey.Key, error) { return keyOf(value.(string)), nil })
		if err != nil {
			ranges = nil // a prefix of a field that is not text
		}
		f.where = append(f.where, restriction{c, ranges})
	}
	return nil
}

// begin restricts the filter to the records after the position of a place, which is a value of the
// first term. Null is the largest value.
func (f *filter) begin(s *Type, terms []ordering.Term, at *pagination.Place) error {
	if len(terms) == 0 {
		terms = s.About.Ordering
	}
	first := ordering.Asc(s.Identity.Number)
	if len(terms) > 0 {
		first = terms[0]
	}
	c := s.Column(first.Field)
	if c == nil {
		return unknownColumn(s, first.Field)
	}
	k := c.TextKey(at.Position)
	r := ordering.Range{From: k, FromExcluded: true, To: sortkey.Null(), ToIncluded: true}
	if first.Desc != at.Reverse {
		r = ordering.Range{From: sortkey.Bool(false), To: k} // false is the least key
	}
	f.where = append(f.where, restriction{c, []ordering.Range{r}})
	return nil
}

// conditions returns the conditions that a test is equivalent to, or nil if it is not
// about the order of values.
func conditions(field string, t schema.Test) []ordering.Condition {
	switch t.Lookup {
	case "exact":
		return []ordering.Condition{ordering.Equal(field, t.Values[0])}
	case "in":
		return []ordering.Condition{ordering.OneOf(field, t.Values...)}
	case "gt":
		return []ordering.Condition{ordering.Greater(field, t.Values[0])}
	case "gte":
		return []ordering.Condition{ordering.AtLeast(field, t.Values[0])}
	case "lt":
		return []ordering.Condition{ordering.Less(field, t.Values[0])}
	case "lte":
		return []ordering.Condition{ordering.AtMost(field, t.Values[0])}
	case "range":
		return []ordering.Condition{ordering.AtLeast(field, t.Values[0]), ordering.AtMost(field, t.Values[1])}
	case "startswith":
		return []ordering.Condition{ordering.Prefix(field, t.Values[0])}
	case "isnull":
		if t.Values[0] == "true" {
			return []ordering.Condition{ordering.IsNull(field)}
		}
		return []ordering.Condition{ordering.NotNull(field)}
	}
	return nil
}

// contains returns the function of a test of a list of references: whether it contains one of
// the values, or, for isnull, whether it is empty.
func contains(c *layout.Field, t schema.Test) func(*store.Entry) bool {
	if t.Lookup == "isnull" {
		empty := t.Values[0] == "true"
		return func(e *store.Entry) bool {
			return c.AnyReference(e, func(_, _ sortkey.Key) bool { return true }) != empty
		}
	}
	wanted := make(map[sortkey.Key]bool, len(t.Values))
	for _, v := range t.Values {
		wanted[c.TextKey(v)] = true
	}
	is := func(_, k sortkey.Key) bool { return wanted[k] }
	return func(e *store.Entry) bool { return c.AnyReference(e, is) }
}

// textual returns the function of a test of text.
func textual(c *layout.Field, t schema.Test) func(*store.Entry) bool {
	return func(e *store.Entry) bool {
		text, ok := c.JSONKey(e).AsText()
		return ok && t.MatchesText(text)
	}
}

// unknownColumn returns the error for a field that is not described.
func unknownColumn(s *Type, name string) error {
	known := layout.Suggest(name, s.Fields, func(f *layout.Field) string { return f.Snake })
	return s.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, known)
}
