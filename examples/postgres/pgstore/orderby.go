package pgstore

import (
	"context"
	"database/sql"
	"fmt"
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

// orderBy returns the list for terms. An undeclared name is an error, so that it never
// becomes part of a statement.
func (t *table) orderBy(ctx context.Context, tx *sql.Tx, terms []ordering.Term) (orderBy, error) {
	var numbers map[string]int
	if t.open() && len(terms) > 1 { // not by id alone
		all, err := t.members(ctx, tx)
		if err != nil {
			return nil, err
		}
		numbers = all.fields()
	}
	var order orderBy
	for _, term := range terms {
		exprs, err := t.exprs(term.Field, numbers)
		if err != nil {
			return nil, err
		}
		for _, e := range exprs {
			e.desc = term.Desc
			order = append(order, e)
		}
	}
	return order, nil
}

// exprs returns the expressions of one field.
func (t *table) exprs(field string, numbers map[string]int) ([]expr, error) {
	if field == "id" {
		return []expr{{text: "t.id"}}, nil
	}
	if c, ok := t.column(field); ok {
		return c.exprs(), nil
	}
	if n, ok := numbers[field]; ok {
		return keyExprs(n), nil
	}
	return nil, fmt.Errorf("%w: %q", ordering.ErrUnknownField, field)
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
