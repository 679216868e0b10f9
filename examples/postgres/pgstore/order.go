package pgstore

import (
	"context"
	"crypto/sha256"
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
	for _, c := range t.columns {
		if c.name == field {
			return c.exprs()
		}
	}
	if n, ok := numbers[field]; ok {
		return keyExprs(n)
	}
	return nil
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
	err = inSnapshot(ctx, s.db, func(tx *sql.Tx) error {
		numbers, err := t.numbers(ctx, tx, terms)
		if err != nil {
			return err
		}
		order, err = t.orderBy(terms, numbers)
		return err
	})
	if err != nil {
		return fault(ctx, key, err)
	}
	if len(order) == 1 { // by id
		return nil
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
		if orderBy(append(c.exprs(), expr{text: "t.id"})).index() == columns {
			return t.plainName + "_by_" + c.name
		}
	}
	sum := sha256.Sum256([]byte(columns))
	return fmt.Sprintf("%s_by_%x", t.plainName, sum[:6])
}
