package catalogue

import (
	"context"
	"net/url"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A filter is a [schema.Filter] for the entries of a collection.
type filter struct {
	where []restriction
	match []func(*store.Entry) bool
}

// A restriction restricts a column to ranges of keys.
type restriction struct {
	column *column
	ranges []ordering.Range
}

func (r restriction) holds(e *store.Entry) bool {
	return ordering.InRanges(r.ranges, r.column.key(e))
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

// addTo adds the filter to a query. Restrictions of columns without an index become part
// of the function that the store calls for entries.
func (f filter) addTo(q *store.Query) {
	for _, r := range f.where {
		if r.column.indexed {
			q.Where = append(q.Where, store.Condition{Field: r.column.name, Ranges: r.ranges})
		} else {
			f.match = append(f.match, r.holds)
		}
	}
	if len(f.match) > 0 {
		q.Match = f.matches
	}
}

// filter returns the filter that the parameters of a query describe.
func (e *encoded[T]) filter(ctx context.Context, params url.Values) (f filter, err error) {
	if err := ctx.Err(); err != nil || len(params) == 0 {
		return f, err
	}
	wanted, err := e.about.Filter(params, e.house.has)
	if err != nil {
		return f, err
	}
	for _, t := range wanted.Tests {
		if c := e.column(t.Field); c != nil {
			f.add(c, t)
		}
	}
	if len(wanted.Search) > 0 {
		match, err := e.finder(wanted.Search)
		if err != nil {
			return f, err
		}
		f.match = append(f.match, match)
	}
	return f, nil
}

// add adds a test of a column.
func (f *filter) add(c *column, t schema.Test) {
	if c.Kind == schema.References {
		f.match = append(f.match, c.contains(t))
		return
	}
	list := conditions(c.name, t)
	if list == nil {
		f.match = append(f.match, c.textual(t))
	}
	for _, condition := range list {
		ranges, err := condition.Ranges(func(value any) (ordering.Key, error) { return c.keyOf(value.(string)), nil })
		if err != nil {
			ranges = nil // a prefix of a field that is not text
		}
		f.where = append(f.where, restriction{c, ranges})
	}
}

// conditions returns the conditions that a test is equivalent to, or nil if it is not
// about the order of values.
func conditions(field string, t schema.Test) []ordering.Condition {
	switch t.Lookup {
	case "exact", "in":
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

// contains returns the function of a test of a list of ids: whether it contains one of
// the values, or, for isnull, whether it is empty.
func (c *column) contains(t schema.Test) func(*store.Entry) bool {
	if t.Lookup == "isnull" {
		empty := t.Values[0] == "true"
		return func(e *store.Entry) bool {
			return c.refers(e, func(int) bool { return true }) != empty
		}
	}
	ids := idsOf(t.Values)
	wanted := func(id int) bool { return ids[id] }
	return func(e *store.Entry) bool { return c.refers(e, wanted) }
}

// idsOf returns the set of those values that are ids. The others are out of range, so that
// no record has them.
func idsOf(values []string) map[int]bool {
	ids := make(map[int]bool, len(values))
	for _, v := range values {
		if id, err := strconv.Atoi(v); err == nil {
			ids[id] = true
		}
	}
	return ids
}

func (e *encoded[T]) PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	f, err := e.filter(ctx, params)
	if err != nil {
		return 0, nil, err
	}
	q := store.Query{Terms: terms, Window: w, Lenient: true}
	f.addTo(&q)
	return e.page(ctx, q)
}

func (e *encoded[T]) Get(ctx context.Context, id int, params url.Values) ([]byte, error) {
	f, err := e.filter(ctx, params)
	if err != nil {
		return nil, err
	}
	entry := e.store.Get(id)
	if entry == nil || !f.holds(entry) {
		return nil, e.notFound(id)
	}
	return e.typ.encoded(entry)
}

func (e *encoded[T]) notFound(id int) error {
	return e.typ.errorf("%w: id %d", ErrNotFound, id)
}
