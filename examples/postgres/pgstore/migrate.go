package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// ErrTable is returned by [Store.Migrate] if a table has other columns than its definition
// needs.
var ErrTable = errors.New("pgstore: a table has other columns")

// common are the tables of every Store.
const common = `
-- A row for each collection. A write to the collection changes it in the same transaction.
CREATE TABLE IF NOT EXISTS collections (
	key      text   COLLATE "C" PRIMARY KEY,
	count    bigint NOT NULL DEFAULT 0 CHECK (count >= 0),
	last_id  bigint NOT NULL DEFAULT 0, -- the highest ever used
	used_id  bigint NOT NULL DEFAULT 0, -- the highest used since the records were loaded
	revision bigint NOT NULL DEFAULT 0
);

-- The members that open records have or had. number is the position of the sort key of a
-- field in keys.
CREATE TABLE IF NOT EXISTS members (
	collection text    COLLATE "C" NOT NULL REFERENCES collections,
	digest     bytea   NOT NULL, -- SHA-256 of the name, which can be too long for an index
	name       text    COLLATE "C" NOT NULL, -- in JSON
	field      text    COLLATE "C" NOT NULL, -- in orderings
	number     integer NOT NULL CHECK (number > 0),
	records    bigint  NOT NULL CHECK (records >= 0),
	PRIMARY KEY (collection, digest)
);
`

// Migrate creates the tables that do not exist. Several programs may call it concurrently:
// one works and the others wait. The error wraps [ErrTable] if a table has other columns, as
// after a change of a definition, or [httpapi.ErrUnavailable] if the database is unavailable.
// Migrate does not change tables: save the records with the earlier program, drop the table,
// and load them again.
func (s *Store) Migrate(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	defer tx.Rollback() // has no effect after Commit
	const lock = `SELECT pg_advisory_xact_lock(hashtext('pgstore')); SET LOCAL client_min_messages = warning;`
	statements := []string{lock, common}
	for _, t := range s.tables {
		statements = append(statements, t.create())
	}
	if _, err := tx.ExecContext(ctx, strings.Join(statements, "\n")); err != nil {
		return fault(ctx, "pgstore", err)
	}
	for _, t := range s.tables {
		if err := t.checkColumns(ctx, tx); err != nil {
			return fault(ctx, t.about.Key, err)
		}
		if _, err := tx.ExecContext(ctx, strings.Join(t.createIndexes(), "\n")); err != nil {
			return fault(ctx, t.about.Key, err)
		}
	}
	return fault(ctx, "pgstore", tx.Commit())
}

func (t *table) create() string {
	columns := []string{quote(t.identity.name) + " " + sqlTypes[t.identity.form] + " PRIMARY KEY", `"record" text COLLATE "C" NOT NULL`}
	if t.served {
		columns = append(columns, `"served" text COLLATE "C" NOT NULL`)
	}
	if t.open() {
		columns = append(columns, `"keys" bytea[] NOT NULL`)
	}
	for _, c := range t.columns {
		if c.name != t.identity.name {
			columns = append(columns, quote(c.name)+" "+sqlTypes[c.form])
		}
	}
	key := "'" + strings.ReplaceAll(t.about.Key, "'", "''") + "'"
	return "INSERT INTO collections (key) VALUES (" + key + ") ON CONFLICT DO NOTHING;\n" +
		"CREATE TABLE IF NOT EXISTS " + t.name() + " (" + strings.Join(columns, ", ") + ");"
}

// createIndexes returns the statements that create an index for each unique field and set, filter, search at the beginning
// of text, and order that the description declares, and for references to records that requests can
// delete or rename.
func (t *table) createIndexes() (statements []string) {
	sets := slices.Clone(t.about.Unique)
	for _, c := range t.columns {
		if c.field.Unique && c.form != formUpper && len(c.path) == 1 && c.name != t.identity.name {
			sets = append(sets, []string{c.name})
		}
	}
	for _, set := range sets {
		statements = append(statements, fmt.Sprintf("CREATE UNIQUE INDEX IF NOT EXISTS %s ON %s (%s);", quote(t.uniqueName(set)), t.name(), t.uniqueExprs(set)))
	}
	order := func(terms ...ordering.Term) {
		by, err := t.orderBy(terms, nil)
		if err == nil && len(by) > 1 && !strings.Contains(by[0].text, "SELECT") {
			if by[0].desc { // one index serves both directions
				by = by.reverse()
			}
			statements = append(statements, t.createIndex(by.index()))
		}
	}
	if !t.open() {
		order(t.about.Ordering...)
	}
	for _, name := range t.about.Sortable {
		order(ordering.Asc(name))
	}
	for _, c := range t.columns {
		if to, err := t.store.table(c.field.Refers); err == nil && len(c.path) == 1 && to.about.Actions&(schema.Destroy|schema.Update) != 0 {
			statements = append(statements, t.indexOf(c)...)
		}
		if c.form == formUpper {
			statements = append(statements, t.createIndex(c.prefix(quote(c.name))))
		}
	}
	for _, name := range t.about.Filters {
		if f, lookup, err := t.about.Parameter(name); err == nil {
			path := strings.TrimSuffix(name, "__"+lookup)
			if c, of, ok := t.reach(path); ok && f.Kind != 0 {
				statements = append(statements, of.indexOf(c)...)
			}
		}
	}
	return statements
}

// reach returns the column of a path, which may be of another table.
func (t *table) reach(path string) (c column, of *table, ok bool) {
	if c, ok := t.column(path); ok {
		return c, t, true
	}
	if _, to, rest, ok := t.follow(path); ok {
		return to.reach(rest)
	}
	return column{}, nil, false
}

// indexOf returns the statement that creates an index of a column, unless it is that of the identity.
func (t *table) indexOf(c column) []string {
	switch {
	case c.name == t.identity.name:
		return nil
	case c.field.Kind == schema.References:
		return []string{"CREATE INDEX IF NOT EXISTS " + quote(t.hashedName("has", c.name)) + " ON " + t.name() + " USING gin (" + quote(c.name) + ");"}
	}
	return []string{t.createIndex(orderBy(append(c.exprs("t"), t.identity.exprs("t")...)).index())}
}

// createIndex returns the statement that creates an index of some expressions.
func (t *table) createIndex(columns string) string {
	return "CREATE INDEX IF NOT EXISTS " + quote(t.indexName(columns)) + " ON " + t.name() + " (" + columns + ");"
}

// hashedName returns the name of an index that others cannot have.
func (t *table) hashedName(kind, text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%.40s_%s_%x", t.plainName, kind, sum[:6])
}

// uniqueName returns the name of the index of a set of unique columns. PostgreSQL would cut long
// names, so that two indexes could have the same.
func (t *table) uniqueName(set []string) string {
	if len(set) == 1 {
		return t.plainName + "_unique_" + set[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(set, ",")))
	return fmt.Sprintf("%s_unique_%x", t.plainName, sum[:8])
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

// checkColumns compares the names of the columns with those of the definition.
func (t *table) checkColumns(ctx context.Context, tx *sql.Tx) error {
	var text string
	const query = `SELECT string_agg(attname, E'\x1f') FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`
	if err := tx.QueryRowContext(ctx, query, t.name()).Scan(&text); err != nil {
		return err
	}
	got, want := strings.Split(text, "\x1f"), slices.Clone(t.columnNames())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(want, got) {
		return fmt.Errorf("%w: want %q, got %q", ErrTable, want, got)
	}
	return nil
}
