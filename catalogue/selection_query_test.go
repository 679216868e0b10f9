package catalogue_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A finder is a collection, a snapshot or a batch.
type finder[T any] interface {
	Page(w pagination.Window, terms ...ordering.Term) (catalogue.Page[T], error)
	Where(conditions ...ordering.Condition) catalogue.Selection[T]
}

// A findQuery asks for the records in a window of those that satisfy conditions.
type findQuery struct {
	where  []findCondition
	terms  []ordering.Term
	window pagination.Window
}

func (q findQuery) String() string {
	return fmt.Sprintf("where %v by %q in %+v", q.conditions(), ordering.Format(q.terms), q.window)
}

func (q findQuery) conditions() []ordering.Condition {
	list := make([]ordering.Condition, len(q.where))
	for i, c := range q.where {
		list[i] = c.Condition
	}
	return list
}

// want returns the error that the query must cause if n records have the named fields,
// which are those of all records if open is false.
func (q findQuery) want(names []string, open bool, n int) error {
	for _, c := range q.where {
		if c.invalid {
			return ordering.ErrInvalidCondition
		}
	}
	for _, c := range q.where {
		if !slices.Contains(names, c.Field()) && (n > 0 || !open) {
			return ordering.ErrUnknownField
		}
	}
	for _, t := range q.terms {
		if !slices.Contains(names, t.Field) {
			return ordering.ErrUnknownField
		}
	}
	return nil
}

// randomQuery returns a query with up to four conditions, often several on one field, and
// up to three terms, often by a field that has a condition.
func randomQuery(rng *rand.Rand, fields []findField, count int) findQuery {
	var q findQuery
	at := rng.IntN(len(fields))
	for range pick(rng, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4) {
		if rng.IntN(3) > 0 {
			at = rng.IntN(len(fields))
		}
		q.where = append(q.where, fields[at].random(rng))
	}
	for range pick(rng, 0, 1, 1, 2, 3) {
		if rng.IntN(3) > 0 {
			at = rng.IntN(len(fields))
		}
		q.terms = append(q.terms, ordering.Term{Field: fields[at].name, Desc: rng.IntN(2) == 0})
	}
	if rng.IntN(200) == 0 {
		q.terms = append(q.terms, ordering.Asc("no_such_field"))
	}
	q.window = pagination.Window{
		Limit:  pick(rng, 0, 0, 1, 2, 5, 21, count, math.MaxInt, -1, rng.IntN(count+2)),
		Offset: pick(rng, 0, 0, 0, 1, 3, count-1, count, math.MaxInt, -1, rng.IntN(count+2)),
	}
	return q
}

// A findState is a state of the model with what queries need of it.
type findState[T any] struct {
	*model[T]
	fields []string
}

// open reports whether the records are open ones.
func (findState[T]) open() bool {
	_, open := any(*new(T)).(schema.Record)
	return open
}

// order returns the terms that have an effect. A default order by a field that no record
// has is that of the ids.
func (st findState[T]) order(terms []ordering.Term) []ordering.Term {
	if len(terms) > 0 {
		return terms
	}
	for _, t := range st.ordered {
		if !slices.Contains(st.fields, t.Field) {
			return []ordering.Term{ordering.Asc("id")}
		}
	}
	return st.ordered
}

// selected returns the rows that satisfy all conditions, in the order of terms.
func (st findState[T]) selected(where []findCondition, terms []ordering.Term) []*row[T] {
	rows := make([]*row[T], 0, len(st.rows))
	for i := range st.rows {
		r := &st.rows[i]
		if !slices.ContainsFunc(where, func(c findCondition) bool { return !c.holds(valueIn(r.values, c.Field())) }) {
			rows = append(rows, r)
		}
	}
	terms = effective(st.order(terms))
	slices.SortFunc(rows, func(a, b *row[T]) int {
		for _, t := range terms {
			if c := compareValues(valueIn(a.values, t.Field), valueIn(b.values, t.Field)); c != 0 {
				return directed(c, t.Desc)
			}
		}
		return 0
	})
	return rows
}

// inWindow returns the rows in a window.
func inWindow[T any](rows []*row[T], w pagination.Window) []*row[T] {
	rows = rows[min(max(0, w.Offset), len(rows)):]
	if w.Limit <= 0 {
		return rows
	}
	return rows[:min(w.Limit, len(rows))]
}

// A findComparison compares what a source returns for a query with the model.
type findComparison[T any] struct {
	rng *rand.Rand
	mix findMix
	st  findState[T]
	q   findQuery
	src finder[T]
	sel catalogue.Selection[T]
}

// compare compares all methods of the selection, and Page of its source, with the model.
func (fc findComparison[T]) compare() error {
	if want := fc.q.want(fc.st.fields, fc.st.open(), len(fc.st.rows)); want != nil {
		return fc.failing(want)
	}
	rows := fc.st.selected(fc.q.where, fc.q.terms)
	fc.mix.query(fc.q, len(rows), len(fc.st.rows))
	for _, step := range []func([]*row[T]) error{fc.page, fc.first, fc.iterate, fc.position, fc.explain} {
		if err := step(rows); err != nil {
			return err
		}
	}
	return nil
}

// failing compares the errors of all methods.
func (fc findComparison[T]) failing(want error) error {
	fc.mix["with an error"]++
	q, sel := fc.q, fc.sel
	page, pageErr := sel.Page(q.window, q.terms...)
	view, viewErr := sel.View(q.window, q.terms...)
	_, firstErr := sel.First(q.terms...)
	seq, seqErr := sel.All(q.terms...)
	_, positionErr := sel.Position(1, q.terms...)
	_, explainErr := sel.Explain(q.terms...)
	for i, err := range []error{pageErr, viewErr, firstErr, seqErr, positionErr, explainErr} {
		if !errors.Is(err, want) {
			return fmt.Errorf("error %d: %v, want %v", i, err, want)
		}
	}
	for record := range seq {
		return fmt.Errorf("All with an error yields %v", record)
	}
	if page.Count != 0 || page.Records != nil || view.Count() != 0 || view.Len() != 0 {
		return fmt.Errorf("Page and View with an error return %v and %d of %d records", page, view.Len(), view.Count())
	}
	return nil
}

// page compares Count, Page and View and, without conditions, Page of the source.
func (fc findComparison[T]) page(rows []*row[T]) error {
	want := inWindow(rows, fc.q.window)
	if n, err := fc.sel.Count(); n != len(rows) || err != nil {
		return fmt.Errorf("Count() = %d, %v, want %d", n, err, len(rows))
	}
	p, err := fc.sel.Page(fc.q.window, fc.q.terms...)
	if err != nil || p.Count != len(rows) || len(p.Records) != len(want) {
		return fmt.Errorf("Page: %d of %d records, %v, want %d of %d", len(p.Records), p.Count, err, len(want), len(rows))
	}
	v, err := fc.sel.View(fc.q.window, fc.q.terms...)
	if err != nil || v.Count() != len(rows) || v.Len() != len(want) {
		return fmt.Errorf("View: %d of %d records, %v, want %d of %d", v.Len(), v.Count(), err, len(want), len(rows))
	}
	for i := range want {
		if err := fc.same("Page", i, &p.Records[i], want[i]); err != nil {
			return err
		}
		if err := fc.same("View", i, v.At(i), want[i]); err != nil {
			return err
		}
	}
	if len(fc.q.where) > 0 {
		return nil
	}
	all, err := fc.src.Page(fc.q.window, fc.q.terms...)
	if err != nil || all.Count != len(rows) || len(all.Records) != len(want) {
		return fmt.Errorf("Page of all records: %d of %d records, %v, want %d of %d", len(all.Records), all.Count, err, len(want), len(rows))
	}
	for i := range want {
		if err := fc.same("Page of all records", i, &all.Records[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}

func (fc findComparison[T]) same(what string, i int, got *T, want *row[T]) error {
	if fc.st.typ.equal(got, &want.record) {
		return nil
	}
	return fmt.Errorf("%s: record %d is %s, want %s", what, i, fc.st.typ.encode(got), want.text)
}

// first compares First, now and then also in the default order.
func (fc findComparison[T]) first(rows []*row[T]) error {
	got, err := fc.sel.First(fc.q.terms...)
	if err := fc.sameFirst("First", &got, err, rows); err != nil {
		return err
	}
	if len(fc.q.terms) > 0 && fc.rng.IntN(4) > 0 {
		return nil
	}
	got, err = fc.sel.First()
	return fc.sameFirst("First in the default order", &got, err, fc.st.selected(fc.q.where, nil))
}

func (fc findComparison[T]) sameFirst(what string, got *T, err error, rows []*row[T]) error {
	switch {
	case len(rows) == 0 && errors.Is(err, catalogue.ErrNotFound):
		return nil
	case len(rows) == 0 || err != nil:
		return fmt.Errorf("%s: %s, %v, with %d records", what, fc.st.typ.encode(got), err, len(rows))
	}
	return fc.same(what, 0, got, rows[0])
}

// iterate compares All. Most iterations end early.
func (fc findComparison[T]) iterate(rows []*row[T]) error {
	seq, err := fc.sel.All(fc.q.terms...)
	if err != nil {
		return fmt.Errorf("All: %w", err)
	}
	return fc.sameSeq(seq, rows, fc.rng.IntN(2*len(rows)+2), func() error { return nil })
}

// sameSeq compares at most limit records of an iterator, and calls each before the next one.
func (fc findComparison[T]) sameSeq(seq iter.Seq[T], rows []*row[T], limit int, each func() error) error {
	n := 0
	for record := range seq {
		if n >= len(rows) {
			return fmt.Errorf("All: more than %d records", len(rows))
		}
		if err := errors.Join(fc.same("All", n, &record, rows[n]), each()); err != nil {
			return err
		}
		if n++; n == limit {
			return nil
		}
	}
	if n != len(rows) {
		return fmt.Errorf("All: %d records, want %d", n, len(rows))
	}
	return nil
}

// position compares the positions of a selected record and of any id.
func (fc findComparison[T]) position(rows []*row[T]) error {
	ids := []int{fc.rng.IntN(fc.st.highest+3) - 1}
	if len(rows) > 0 {
		ids = append(ids, pick(fc.rng, rows...).id)
	}
	for _, id := range ids {
		want := slices.IndexFunc(rows, func(r *row[T]) bool { return r.id == id })
		got, err := fc.sel.Position(id, fc.q.terms...)
		if want < 0 && !errors.Is(err, catalogue.ErrNotFound) || want >= 0 && (got != want || err != nil) {
			return fmt.Errorf("Position(%d) = %d, %v, want %d", id, got, err, want)
		}
	}
	return nil
}

// explain records how the query is answered.
func (fc findComparison[T]) explain([]*row[T]) error {
	text, err := fc.sel.Explain(fc.q.terms...)
	if err != nil {
		return fmt.Errorf("Explain: %w", err)
	}
	fc.mix.explained(fc.q, text)
	return nil
}

// A findField draws conditions on a field.
type findField struct {
	name   string
	draw   func(rng *rand.Rand) (value, any) // a value, and what a program writes for it
	prefix func(text string) value           // what a prefix compares as; nil if the field holds no text
	wrong  []any                             // values that the field does not accept
}

// A findCondition is a condition and what it means in the model.
type findCondition struct {
	ordering.Condition
	holds   func(v value) bool // of the value of the field
	invalid bool
}

// compared returns a predicate that holds for the values of the kind of v whose comparison
// with v satisfies test.
func compared(v value, test func(c int) bool) func(value) bool {
	return func(x value) bool { return x.kind == v.kind && test(compareValues(x, v)) }
}

// random returns a random condition on the field.
func (f findField) random(rng *rand.Rand) findCondition {
	v, arg := f.draw(rng)
	c := findCondition{invalid: v.kind == isNull}
	switch n := rng.IntN(100); {
	case n < 25:
		c.Condition = ordering.Equal(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c == 0 })
	case n < 33:
		c.Condition = ordering.Less(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c < 0 })
	case n < 41:
		c.Condition = ordering.AtMost(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c <= 0 })
	case n < 49:
		c.Condition = ordering.Greater(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c > 0 })
	case n < 57:
		c.Condition = ordering.AtLeast(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c >= 0 })
	case n < 67:
		return f.between(rng, v, arg)
	case n < 78:
		return f.oneOf(rng, v, arg)
	case n < 88 && f.prefix != nil, n < 79:
		return f.randomPrefix(rng)
	case n < 92:
		return findCondition{Condition: ordering.IsNull(f.name), holds: func(x value) bool { return x.kind == isNull }}
	case n < 99:
		return findCondition{Condition: ordering.NotNull(f.name), holds: func(x value) bool { return x.kind != isNull }}
	default:
		return f.randomInvalid(rng)
	}
	return c
}

// between returns a condition with two bounds. They are seldom in the wrong order.
func (f findField) between(rng *rand.Rand, from value, fromArg any) findCondition {
	to, toArg := f.draw(rng)
	if compareValues(from, to) > 0 && rng.IntN(20) > 0 {
		from, to, fromArg, toArg = to, from, toArg, fromArg
	}
	return findCondition{
		Condition: ordering.Between(f.name, fromArg, toArg),
		holds: func(x value) bool {
			return x.kind == from.kind && compareValues(x, from) >= 0 && compareValues(x, to) <= 0
		},
		invalid: from.kind == isNull || from.kind != to.kind || compareValues(from, to) > 0,
	}
}

// oneOf returns a condition with up to four values, which may be equal.
func (f findField) oneOf(rng *rand.Rand, v value, arg any) findCondition {
	values, args := []value{v, v}, []any{arg, arg}
	for range rng.IntN(3) {
		v, arg := f.draw(rng)
		values, args = append(values, v), append(args, arg)
	}
	skip := rng.IntN(3)
	if rng.IntN(20) == 0 {
		skip = len(values) // no value at all
	}
	values, args = values[skip:], args[skip:]
	c := findCondition{Condition: ordering.OneOf(f.name, args...)}
	for _, v := range values {
		c.invalid = c.invalid || v.kind == isNull
	}
	c.holds = func(x value) bool {
		for _, v := range values {
			if x.kind == v.kind && compareValues(x, v) == 0 {
				return true
			}
		}
		return false
	}
	return c
}

// randomPrefix returns a condition with part of a text as its prefix. The part may end
// inside a rune or with bytes that are in no text.
func (f findField) randomPrefix(rng *rand.Rand) findCondition {
	text := pick(rng, "", "a", "ab", "a\x00b", "Anna B", "éa", "日本", "\U0010ffff\U0010ffff", "fr", "12")
	text = text[:rng.IntN(len(text)+1)] + pick(rng, "", "", "", "\x00", "\xff", "\xff\xff")
	c := findCondition{Condition: ordering.Prefix(f.name, text), invalid: true}
	if f.prefix != nil {
		v := f.prefix(text)
		c.invalid = v.kind != isText
		c.holds = func(x value) bool { return x.kind == isText && strings.HasPrefix(x.text, v.text) }
	}
	return c
}

// randomInvalid returns a condition with a value that the field does not accept.
func (f findField) randomInvalid(rng *rand.Rand) findCondition {
	wrong := pick(rng, f.wrong...)
	_, arg := f.draw(rng)
	return findCondition{invalid: true, Condition: pick(rng,
		ordering.Equal(f.name, wrong), ordering.OneOf(f.name, arg, wrong), ordering.Less(f.name, wrong),
		ordering.AtLeast(f.name, wrong), ordering.Between(f.name, arg, wrong), ordering.Condition{})}
}
