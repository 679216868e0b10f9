package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// expr is an expression of ORDER BY, in which t is the table.
type expr struct {
	text string
	desc bool

	// prefix reports whether it is a prefix of the next expression, whose values can
	// be longer than an entry of an index.
	prefix bool
}

// direction returns the direction and the position of NULL, which is the largest value.
func (e expr) direction() string {
	if e.desc {
		return " DESC NULLS FIRST"
	}
	return " ASC NULLS LAST"
}

// orderBy is the list of an ORDER BY clause.
type orderBy []expr

// numbers returns the numbers of the fields that open records can be ordered by. It does
// not read them if no term needs them.
func (t *table) numbers(ctx context.Context, tx *sql.Tx, terms []ordering.Term) (map[string]int, error) {
	if !t.open() || !slices.ContainsFunc(terms, func(term ordering.Term) bool { return term.Field != "id" }) {
		return nil, nil
	}
	all, err := t.members(ctx, tx)
	if err != nil {
		return nil, err
	}
	return all.fields(), nil
}

// orderBy returns the list for terms, or for the default ordering if there are none. Ties
// are broken by id, in the direction of the first term. An undeclared name is an error, so
// that it never becomes part of a statement.
func (t *table) orderBy(terms []ordering.Term, numbers map[string]int) (orderBy, error) {
	if len(terms) == 0 {
		terms = t.about.Ordering
	}
	desc := len(terms) > 0 && terms[0].Desc
	var order orderBy
	for _, term := range append(slices.Clone(terms), ordering.Term{Field: "id", Desc: desc}) {
		exprs := t.exprs(term.Field, numbers)
		if exprs == nil {
			return nil, fmt.Errorf("%w: %q", ordering.ErrUnknownField, term.Field)
		}
		for _, e := range exprs {
			e.desc = term.Desc
			order = append(order, e)
		}
		if term.Field == "id" { // no two records have the same
			break
		}
	}
	return order, nil
}

// exprs returns the expressions of one field, or nil if there is no such field.
func (t *table) exprs(field string, numbers map[string]int) []expr {
	if field == "id" {
		return []expr{{text: "t.id"}}
	}
	if c, ok := t.column(field); ok {
		return c.exprs()
	}
	if n, ok := numbers[field]; ok {
		return keyExprs(n)
	}
	return nil
}

// reverse returns the reverse order.
func (o orderBy) reverse() orderBy {
	back := make(orderBy, len(o))
	for i, e := range o {
		e.desc = !e.desc
		back[i] = e
	}
	return back
}

// String returns the list as SQL.
func (o orderBy) String() string {
	list := make([]string, len(o))
	for i, e := range o {
		list[i] = e.text + e.direction()
	}
	return strings.Join(list, ", ")
}

// index returns the columns of an index for the order. They end with the first prefix:
// the few rows with equal prefixes are sorted when they are read.
func (o orderBy) index() string {
	var list []string
	for _, e := range o {
		list = append(list, "("+strings.ReplaceAll(e.text, "t.", "")+")"+e.direction())
		if e.prefix {
			break
		}
	}
	return strings.Join(list, ", ")
}
