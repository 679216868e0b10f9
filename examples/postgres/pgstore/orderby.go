package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// expr is an expression of an ORDER BY, with t for the table.
type expr struct {
	text string
	desc bool

	// prefix says that it is the beginning of the next one, which can be longer than
	// an entry of an index may be.
	prefix bool
}

// direction tells it with the place of NULL, which is the largest.
func (e expr) direction() string {
	if e.desc {
		return " DESC NULLS FIRST"
	}
	return " ASC NULLS LAST"
}

// orderBy is the list behind ORDER BY.
type orderBy []expr

// orderBy makes it for terms. Names that are not declared are an error and get
// nowhere.
func (t *table) orderBy(ctx context.Context, tx *sql.Tx, terms []ordering.Term) (orderBy, error) {
	var numbers map[string]int
	if t.open() && len(terms) > 1 { // by more than id
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

// exprs are those of one field.
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

// reverse is the same order from its other end.
func (o orderBy) reverse() orderBy {
	back := make(orderBy, len(o))
	for i, e := range o {
		e.desc = !e.desc
		back[i] = e
	}
	return back
}

// String is its text.
func (o orderBy) String() string {
	list := make([]string, len(o))
	for i, e := range o {
		list[i] = e.text + e.direction()
	}
	return strings.Join(list, ", ")
}

// index is the text of an index for it: up to the first prefix, since what comes
// behind that is sorted among the few that have the same.
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
