package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// An index of a table is one that a description declares.
type index struct {
	of   *table
	kind string
	name string
	on   string // what follows the name of the table
}

// migrateIndexes creates the declared indexes, and drops those that an earlier definition declared.
func (s *Store) migrateIndexes(ctx context.Context, tx *sql.Tx) error {
	var all []index // of a table, some are declared by others
	for _, t := range s.tables {
		all = append(all, t.indexes()...)
	}
	for _, t := range s.tables {
		names, statements := []string{}, []string{}
		for _, x := range all {
			if x.of == t {
				names, statements = append(names, x.name), append(statements, "CREATE "+x.kind+" IF NOT EXISTS "+quote(x.name)+" ON "+t.name()+" "+x.on+";")
			}
		}
		const dropped = `SELECT coalesce(string_agg(format('DROP INDEX IF EXISTS %I;', name), ' '), '')
			FROM collections, unnest(indexes) name WHERE key = $1 AND name <> ALL ($2)`
		var drop string
		err := tx.QueryRowContext(ctx, dropped, t.about.Key, names).Scan(&drop)
		if err == nil {
			_, err = tx.ExecContext(ctx, drop+strings.Join(statements, "\n"))
		}
		if err == nil {
			const made = `UPDATE collections SET indexes = $2 WHERE key = $1 AND indexes <> $2`
			_, err = tx.ExecContext(ctx, made, t.about.Key, names)
		}
		if err != nil {
			return t.fault(ctx, notUnique(err, all))
		}
	}
	return nil
}

// notUnique returns the error of one of some indexes. If records have the values of others, it says
// how to find them.
func notUnique(err error, indexes []index) error {
	for _, x := range indexes {
		if x.name == violated(err) {
			return fmt.Errorf("%w: records have the same unique values; to find them, run: SELECT array_agg(%s) FROM %s GROUP BY %s HAVING count(*) > 1",
				ErrTable, quote(x.of.identity.name), x.of.name(), x.on)
		}
	}
	return err
}

// indexes returns an index for each unique field and set, filter, search at the beginning of text,
// and order that the description declares, for Options.Indexes, for references to records that
// requests can delete or rename, and for those with a name backwards.
func (t *table) indexes() (list []index) {
	for _, set := range t.uniqueSets() {
		list = append(list, index{t, "UNIQUE INDEX", t.uniqueName(set), "(" + t.uniqueExprs(set) + ")"})
	}
	order := func(terms ...ordering.Term) {
		by, err := new(statement).orderBy(t, terms, nil)
		if err == nil && len(by) > 1 && !strings.Contains(by.index(), "SELECT") {
			if by[0].desc { // one index serves both directions
				by = by.reverse()
			}
			list = append(list, t.indexOn(by.index()))
		}
	}
	if !t.open() {
		order(t.about.Ordering...)
	}
	for _, name := range t.about.Sortable {
		order(ordering.Asc(name))
	}
	for _, terms := range t.empty.Indexes() {
		order(terms...)
	}
	for _, c := range t.columns {
		to, err := t.store.table(c.field.Refers)
		if err == nil && len(c.path) == 1 && (c.field.Related != "" || to.about.Actions&(schema.Destroy|schema.Update) != 0) {
			list = append(list, t.indexOf(c)...)
		}
		if c.form == formUpper {
			list = append(list, t.indexOn(c.prefix(quote(c.name))))
		}
	}
	for _, name := range t.about.Filters {
		if path, _, err := t.parameter(name); err == nil {
			if c, of, ok := t.reach(path); ok {
				list = append(list, of.indexOf(c)...)
			}
		}
	}
	return list
}

// reach returns the column of a path, which may be of another table.
func (t *table) reach(path string) (c column, of *table, ok bool) {
	if c, ok := t.column(path); ok {
		return c, t, true
	}
	if r, rest, ok := t.follow(path); ok {
		return r.to.reach(rest)
	}
	return column{}, nil, false
}

// indexOf returns the index of a column, or none for the identity.
func (t *table) indexOf(c column) []index {
	switch {
	case c.name == t.identity.name:
		return nil
	case c.field.Kind == schema.References:
		return []index{{of: t, kind: "INDEX", name: t.hashedName("list", c.name), on: "USING gin (" + quote(c.name) + ") WITH (fastupdate = off)"}}
	}
	return []index{t.indexOn(orderBy(append(c.exprs("t"), t.identity.exprs("t")...)).index())}
}

// indexOn returns the index of some expressions.
func (t *table) indexOn(columns string) index {
	return index{of: t, kind: "INDEX", name: t.indexName(columns), on: "(" + columns + ")"}
}

// hashedName returns the name of an index that others cannot have.
func (t *table) hashedName(kind, text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%.40s_%s_%x", t.plainName, kind, sum[:6])
}

// uniqueSets returns the sets of columns whose values no two records have.
func (t *table) uniqueSets() [][]string {
	sets := slices.Clone(t.about.Unique)
	for _, c := range t.columns {
		if c.field.Unique && c.form != formUpper && len(c.path) == 1 && c.name != t.identity.name {
			sets = append(sets, []string{c.name})
		}
	}
	return sets
}

// duplicate returns the error of a record whose values in an index another one has.
func (t *table) duplicate(id schema.Identity, index string) *catalogue.RecordError {
	field, cause := t.identity.field.Name, catalogue.ErrExists
	for _, set := range t.uniqueSets() {
		if t.uniqueName(set) == index {
			field, cause = "", catalogue.ErrDuplicate
			if c, ok := t.column(set[0]); ok && len(set) == 1 {
				field = c.field.Name
			}
		}
	}
	return &catalogue.RecordError{Collection: t.about.Key, Identity: id, Field: field, Err: fmt.Errorf("%w: an earlier record has the same", cause)}
}

// uniqueName returns the name of the index of a set of unique columns. PostgreSQL would cut long
// names, so that two indexes could have the same.
func (t *table) uniqueName(set []string) string {
	if len(set) == 1 {
		return t.plainName + "_unique_" + set[0]
	}
	return t.hashedName("unique", strings.Join(set, ","))
}

// uniqueExprs returns the expressions of that index. As in package catalogue, no null is equal to
// another one.
func (t *table) uniqueExprs(set []string) string {
	var exprs []string
	for _, c := range t.columns {
		if slices.Contains(set, c.name) && c.form != formUpper {
			exprs = append(exprs, c.unique(quote(c.name)))
		}
	}
	return strings.Join(exprs, ", ")
}
