package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A filter is a [schema.Filter] for the entries of a collection.
type filter struct {
	of      *Type
	where   []store.Condition
	match   []func(*store.Entry) bool
	words   store.Words // of match
	instant *instant    // nil unless the query reads other collections
	turn    *store.Turn // nil without tests
}

func (f filter) matches(e *store.Entry) bool {
	for _, match := range f.match {
		if !match(e) {
			return false
		}
	}
	return true
}

// holds reports whether the filter selects an entry.
func (f filter) holds(e *store.Entry) bool {
	return f.matches(e) && (len(f.where) == 0 || f.of.Engine.Matcher(f.where, nil)(e))
}

// test returns the function holds, which is faster for many entries.
func (f filter) test() func(*store.Entry) bool {
	switch {
	case len(f.where) > 0:
		return f.of.Engine.Matcher(f.where, f.matches)
	case len(f.match) == 1:
		return f.match[0]
	}
	return f.matches
}

// addTo adds the filter to a query.
func (f filter) addTo(q *store.Query) {
	if q.Where == nil {
		q.Where = slices.Clip(f.where)
	} else {
		q.Where = append(q.Where, f.where...)
	}
	if len(f.match) > 0 {
		q.Match, q.Turn = f.matches, f.turn
		if words := f.words; len(words.Lists) > 0 {
			q.Words = &words
		}
	}
}

// newFilter returns the filter for a query with the terms that reads n entries of the collection, or
// all if n is 0. If the query reads other collections, the filter is for the entries of its
// instant.
func newFilter(ctx context.Context, c *Collection, wanted schema.Filter, terms []ordering.Term, as *Shown, n int) (f filter, err error) {
	if err := ctx.Err(); err != nil {
		return f, err
	}
	var turn *store.Turn
	if len(wanted.Tests)+len(wanted.Search) > 0 {
		turn = new(store.Turn)
	}
	in, err := instantOf(ctx, c, wanted, terms, as)
	if err != nil {
		return f, err
	}
	return in.filter(c, wanted, n, turn)
}

// filter returns the filter for a query of the instant, which is nil if it reads no other
// collection, that reads n entries of a collection, or all if n is 0.
func (in *instant) filter(c *Collection, wanted schema.Filter, n int, turn *store.Turn) (f filter, err error) {
	if f.of, f.instant, f.turn = c.Type, in, turn; in != nil && n == 0 {
		n = in.states[c].Len()
	}
	var j *join
	if in != nil || len(wanted.Search) > 0 {
		j = &join{of: c, turn: turn}
	}
	bit, width := 0, (len(wanted.Tests)+len(wanted.Search)+63)/64
	for _, tests := range wanted.Search {
		f.demand(tests)
		for _, t := range tests {
			if err := j.add(in, t, bit, width, n); err != nil {
				return f, err
			}
		}
		bit++
	}
	for _, t := range wanted.Tests {
		if !crosses(c, t.Field) {
			n := len(f.match)
			if err = f.add(t); len(f.match) > n {
				f.demand([]schema.Test{t})
			}
		} else {
			err = j.add(in, t, bit, width, n)
			f.words.Loose = true
			bit++
		}
		if err != nil {
			return f, err
		}
	}
	if bit > 0 {
		f.match = append(f.match, j.holds(bit, len(wanted.Search), width))
	}
	return f, nil
}

// isComplete reports whether a test has the values that its lookup needs.
func isComplete(t schema.Test) bool {
	switch t.Lookup {
	case "in":
		return true
	case "range":
		return len(t.Values) > 0 && len(t.Values)%2 == 0
	}
	return len(t.Values) > 0
}

// add adds a test of a field. A text within text is found whatever the order of the field.
func (f *filter) add(t schema.Test) error {
	s := f.of
	c := s.Column(t.Field)
	if at := strings.LastIndex(t.Field, "__"); c == nil && t.Match != nil && at >= 0 {
		c = s.Column(t.Field[:at]) // of which the field is a part
	}
	switch {
	case !isComplete(t):
		return s.Errorf("%w: the lookup %s of field %q has %d values", schema.ErrInvalid, t.Lookup, t.Field, len(t.Values))
	case c == nil:
		return unknownColumn(s, t.Field)
	case c.Kind == schema.References:
		f.match = append(f.match, contains(c, t))
		return nil
	}
	condition, ok := conditionOf(c, t)
	begins := t.Lookup == "startswith"
	if !ok || begins && c.Fold {
		f.match = append(f.match, textual(s, c, t, f.turn))
	}
	if !ok {
		return nil
	}
	keyOf := c.TextKey
	if begins {
		keyOf = c.SortKey // of a part of a value
	}
	ranges, err := condition.Ranges(func(value any) (sortkey.Key, error) {
		if text, ok := value.(*string); ok {
			return keyOf(*text), nil
		}
		return keyOf(value.(string)), nil
	})
	if err != nil {
		ranges = nil // a prefix of a field that is not text, or a range that ends before it begins
	}
	f.restrict(c, ranges)
	return nil
}

// restrict restricts a field to ranges of keys. Only the engine's fields have indexes.
func (f *filter) restrict(c *layout.Field, ranges []ordering.Range) {
	if c.Indexed {
		f.where = append(f.where, store.Condition{Field: c.Snake, Ranges: ranges})
	} else {
		f.words.Loose = true
		f.match = append(f.match, func(e *store.Entry) bool { return ordering.InRanges(ranges, c.Engine.Key(e)) })
	}
}

// begin restricts the filter to the records after the position of a place, which is a value of the
// first term. Null is the largest value.
func (f *filter) begin(terms []ordering.Term, at *pagination.Place) error {
	s := f.of
	first := slices.Concat(terms, s.Engine.Default, []ordering.Term{ordering.Asc(s.Identity.Number)})[0]
	c := s.Column(first.Field)
	if c == nil {
		return unknownColumn(s, first.Field)
	}
	k := c.TextKey(at.Position)
	r := ordering.Range{From: k, FromExcluded: true, To: sortkey.Null(), ToIncluded: true}
	if first.Desc != at.Reverse {
		r = ordering.Range{From: sortkey.Bool(false), To: k} // false is the least key
	}
	f.restrict(c, []ordering.Range{r})
	return nil
}

// conditionOf returns the condition that a test is equivalent to. ok is false if the test is not about
// the order of values.
func conditionOf(c *layout.Field, t schema.Test) (condition ordering.Condition, ok bool) {
	field := c.Snake
	switch {
	case t.Match != nil:
		return condition, false
	case t.Lookup == "in":
		return ordering.OneOf(field, t.Values...), true
	}
	value := &t.Values[0] // a string would be allocated
	switch t.Lookup {
	case "exact":
		return ordering.Equal(field, value), true
	case "gt":
		return ordering.Greater(field, value), true
	case "gte":
		return ordering.AtLeast(field, value), true
	case "lt":
		return ordering.Less(field, value), true
	case "lte":
		return ordering.AtMost(field, value), true
	case "range":
		return between(field, t.Values), true
	case "startswith":
		_, isText := c.SortKey(*value).AsText()
		return ordering.Prefix(field, *value), isText && !c.Go.Ordered
	case "isnull":
		if *value == "true" {
			return ordering.IsNull(field), true
		}
		return ordering.NotNull(field), true
	}
	return condition, false
}

// between returns the condition that a field is in one of some ranges.
func between(field string, bounds []string) ordering.Condition {
	var ranges []ordering.Condition
	for pair := range slices.Chunk(bounds, 2) {
		ranges = append(ranges, ordering.Between(field, &pair[0], &pair[1]))
	}
	return ordering.Or(ranges...)
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

// wordLookups are the lookups of texts that contain the value, in any letters.
var wordLookups = [...]string{"icontains", "istartswith", "iendswith", "iexact", "contains", "startswith", "endswith"}

// demand makes the words demand one of those of some tests, unless one of them is not of a text that
// contains one word.
func (f *filter) demand(tests []schema.Test) {
	list, key := make([]store.Word, len(tests)), ""
	for i, t := range tests {
		c := f.of.Column(t.Field)
		contains := t.Match == nil && len(t.Values) == 1 && slices.Contains(wordLookups[:], t.Lookup)
		if c == nil || c.Kind == schema.References || !contains || t.Values[0] == "" || !utf8.ValidString(t.Values[0]) {
			f.words.Loose = true
			return
		}
		list[i] = store.Word{Word: strings.ToUpper(t.Values[0]), Field: c.Snake, Text: textOf(f.of, c)}
		key += c.Snake + "\xff" + list[i].Word + "\xff" // which UTF-8 does not have
		f.words.Loose = f.words.Loose || t.Lookup != "icontains"
	}
	f.words.Lists, f.words.Key = append(f.words.Lists, list), f.words.Key+key+"\xfe"
}

// textual returns the function of a test of text. Its first error ends the turn.
func textual(s *Type, c *layout.Field, t schema.Test, turn *store.Turn) func(*store.Entry) bool {
	of, read := textOf(s, c), 0 // read are bytes since the last pause
	return func(e *store.Entry) bool {
		text, ok := of(e)
		if !ok {
			return false
		}
		matches, err := t.MatchesText(text)
		if read += len(text) + 1; t.Match != nil && (err != nil || read >= pauseBytes) {
			read, turn.Err = 0, cmp.Or(turn.Pause(), err)
		}
		return matches
	}
}

// pauseBytes is how much text a regular expression is matched with between two looks at the clock. The
// largest expression takes some 20 ms for it.
const pauseBytes = 4096

// textOf returns the function of the text of a column. Of a time and of a number it is the text in JSON.
func textOf(s *Type, c *layout.Field) func(*store.Entry) (text string, ok bool) {
	_, texts := c.SortKey("0").AsText()
	return func(e *store.Entry) (text string, ok bool) {
		k := c.JSONKey(e)
		text, ok = k.AsText()
		if moment, isTime := k.AsTime(); isTime {
			text, ok = moment.Format(time.RFC3339Nano), true
		} else if !ok && !texts && k != sortkey.Null() {
			text, ok = s.ValueIn(e, c), true
		}
		return text, ok
	}
}

// unknownColumn returns the error for a field that is not described.
func unknownColumn(s *Type, name string) error {
	known := layout.Suggest(name, s.Fields, func(f *layout.Field) string { return f.Snake })
	return s.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, known)
}
