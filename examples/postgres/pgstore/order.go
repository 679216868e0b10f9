package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// expr is an expression of ORDER BY, in which t is the table.
type expr struct {
	text string
	cast string // the type of its values, unless it is a prefix
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
func (t *table) numbers(ctx context.Context, tx querier, terms []ordering.Term) (map[string]int, error) {
	needs := func(term ordering.Term) bool { return term.Field != t.identity.name }
	if !t.open() || !slices.ContainsFunc(slices.Concat(terms, t.about.Ordering), needs) {
		return nil, nil
	}
	all, err := t.members(ctx, tx)
	if err != nil {
		return nil, err
	}
	fields := map[string]int{}
	for _, m := range all.byName {
		if m.records > 0 {
			fields[m.field] = m.number
		}
	}
	return fields, nil
}

// terms returns the terms of the order of a list with some terms, the last of which is the
// identity: ties are broken by it in the direction of the first term.
func (t *table) terms(terms []ordering.Term) []ordering.Term {
	if len(terms) == 0 {
		terms = t.about.Ordering
	}
	isIdentity := func(term ordering.Term) bool { return term.Field == t.identity.name }
	if i := slices.IndexFunc(terms, isIdentity); i >= 0 { // no two records have the same
		return terms[:i+1]
	}
	desc := len(terms) > 0 && terms[0].Desc
	return append(slices.Clone(terms), ordering.Term{Field: t.identity.name, Desc: desc})
}

// sortable reports whether requests can order records by a field, if they have it.
func (t *table) sortable(field string) bool {
	isField := func(term ordering.Term) bool { return term.Field == field }
	switch {
	case field == t.identity.name, t.open() && t.about.Sortable == nil, slices.ContainsFunc(t.about.Ordering, isField):
		return true
	case t.about.Sortable == nil:
		c, ok := t.column(field)
		return ok && len(c.path) == 1 && !c.field.Hidden && !c.field.Computed
	}
	return slices.Contains(t.about.Sortable, field)
}

// orderBy returns the list for terms, or for the default ordering if there are none. An undeclared
// name is an error, so that it never becomes part of a statement.
func (q *statement) orderBy(t *table, terms []ordering.Term, numbers map[string]int) (orderBy, error) {
	var order orderBy
	for _, term := range t.terms(terms) {
		exprs := q.exprs(t, "t", term, numbers)
		if exprs == nil && t.open() && len(terms) == 0 { // no record has the field of the default ordering
			continue
		} else if exprs == nil {
			return nil, fmt.Errorf("%w: %q", ordering.ErrUnknownField, term.Field)
		}
		for _, e := range exprs {
			e.desc = term.Desc
			order = append(order, e)
		}
	}
	return order, q.err
}

// exprs returns the expressions of the field of a term, of a table with an alias, or nil if there is
// no such field. That of another record is null if the relation leads to none. Of several records
// the first value in the direction of the term counts.
func (q *statement) exprs(t *table, alias string, term ordering.Term, numbers map[string]int) []expr {
	if c, ok := t.column(term.Field); ok {
		return c.exprs(alias)
	}
	if n, ok := numbers[ordering.Snake(term.Field)]; ok { // line1 is line_1
		return keyExprs(n)
	}
	r, rest, ok := t.follow(term.Field)
	if !ok {
		return nil
	}
	other := alias + "r"
	exprs := q.exprs(r.to, other, ordering.Term{Field: rest, Desc: term.Desc}, nil)
	rows, holds := r.rows(alias, other)
	from := rows + " WHERE " + holds + q.visible(r.to, other, false)
	for i, e := range exprs {
		e.desc = term.Desc
		exprs[i].text = "(SELECT " + e.text + " FROM " + from +
			" ORDER BY " + e.text + e.direction() + " LIMIT 1)"
	}
	return exprs
}

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

// whole returns the expressions that are no prefixes of others.
func (o orderBy) whole() orderBy {
	return slices.DeleteFunc(slices.Clone(o), func(e expr) bool { return e.prefix })
}

// index returns the columns of an index for the order. They end with the first prefix:
// the few rows with equal prefixes are sorted when they are read.
func (o orderBy) index() string {
	unqualified := strings.NewReplacer(`t."`, `"`, "t.keys", "keys")
	var list []string
	for _, e := range o {
		list = append(list, "("+unqualified.Replace(e.text)+")"+e.direction())
		if e.prefix {
			break
		}
	}
	return strings.Join(list, ", ")
}

// ErrIndex is returned by [Store.Index] if an index exists but is invalid.
var ErrIndex = errors.New("pgstore: invalid index")

// Index creates an index for an ordering of a collection, unless it exists. It does not
// block reads and writes. With an index the cost of a page is that of the rows on it
// and of those that are skipped from the nearer end. Without it every page sorts all
// rows. An index for -a,b also serves a,-b. An ordering by id uses the primary key.
//
// The error wraps [catalogue.ErrUnknownCollection] for an unknown key, [ordering.ErrUnknownField]
// for a field that no record has, [httpapi.ErrUnavailable], or [ErrIndex] if PostgreSQL reports
// the index as invalid. In that case an earlier call was interrupted, and the index must be
// dropped, or another process is still creating it. O(n log n).
func (s *Store) Index(ctx context.Context, key string, terms ...ordering.Term) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	var order orderBy
	err = s.transaction(ctx, snapshot, func(_ *sql.Conn, tx *sql.Tx) error {
		numbers, err := t.numbers(ctx, tx, terms)
		if err != nil {
			return err
		}
		order, err = new(statement).orderBy(t, terms, numbers)
		return err
	})
	if err != nil {
		return fault(ctx, key, err)
	}
	if first := t.terms(terms)[0].Field; first == t.identity.name { // it has one
		return nil
	} else if _, _, crosses := t.follow(first); crosses {
		return fmt.Errorf("%s: %w: %s is a field of other records", key, ErrIndex, first)
	}
	if order[0].desc { // one index serves both directions
		order = order.reverse()
	}
	columns := order.index()
	name := t.indexName(columns)
	_, err = s.db.ExecContext(ctx, "CREATE INDEX CONCURRENTLY IF NOT EXISTS "+quote(name)+" ON "+t.name()+" ("+columns+")")
	if err != nil {
		return fault(ctx, key, err)
	}
	valid := false
	const query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"
	if err := s.db.QueryRowContext(ctx, query, quote(name)).Scan(&valid); err != nil {
		return fault(ctx, key, err)
	}
	if !valid {
		return fmt.Errorf("%s: %w: %s is invalid", key, ErrIndex, name)
	}
	return nil
}

// indexName returns the name of an index of columns. That of a single described field has
// the field's name. Others have a hash, since members may have any name.
func (t *table) indexName(columns string) string {
	for _, c := range t.columns {
		if c.isChoice() { // its index had a prefix once, which needs another name
			continue
		}
		if orderBy(append(c.exprs("t"), t.identity.exprs("t")...)).index() == columns {
			if name := t.plainName + "_by_" + c.name; len(name) <= 63 {
				return name
			}
		}
	}
	return t.hashedName("by", columns)
}
