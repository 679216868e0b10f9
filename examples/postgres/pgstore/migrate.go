package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// ErrTable is returned by [Store.Migrate] if it cannot change a table to the form of its definition,
// and by writes if the table has another one since.
var ErrTable = errors.New("pgstore: a table of another definition")

// common are the tables of every Store.
const common = `
-- A row for each collection. A write to the collection changes it in the same transaction.
CREATE TABLE IF NOT EXISTS collections (
	key        text   COLLATE "C" PRIMARY KEY,
	count      bigint NOT NULL DEFAULT 0 CHECK (count >= 0),
	last_id    bigint NOT NULL DEFAULT 0, -- the highest ever used
	used_id    bigint NOT NULL DEFAULT 0, -- the highest used since the records were loaded
	revision   bigint NOT NULL DEFAULT 0,
	definition text   NOT NULL DEFAULT '', -- a digest of the fields
	indexes    text[] NOT NULL DEFAULT '{}' -- those that the definitions declare
);
DO $$BEGIN
	IF (SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('collections') AND attname IN ('definition', 'indexes')) < 2 THEN
		ALTER TABLE collections ADD COLUMN definition text NOT NULL DEFAULT '', ADD COLUMN indexes text[] NOT NULL DEFAULT '{}';
	END IF;
END$$;

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

// Migrate creates the tables and indexes that do not exist, and gives tables of an earlier
// definition the form of the present one, in one transaction. It renames columns of renamed fields
// ([schema.Field].Formerly), adds those of new ones, and writes each record as
// [catalogue.Catalogue.Load] would read it: new members have their default, or else the zero value.
// Indexes that are no longer declared are dropped. The README has the statements.
//
// Several programs may call Migrate concurrently: one works and the others wait. So do writers,
// and readers of a table that changes. Programs with the earlier definition cannot write
// afterwards: their error wraps [ErrTable].
//
// The error of Migrate wraps ErrTable if a field was removed or has another type, and says what to
// run. It wraps [catalogue.ErrInvalidData] if a record cannot be read, and [httpapi.ErrUnavailable]
// if the database is unavailable. O(n log n) in records of changed tables.
func (s *Store) Migrate(ctx context.Context) error {
	var failed error
	err := retried(func() error {
		return s.transaction(ctx, writing, func(conn *sql.Conn, tx *sql.Tx) error {
			failed = s.migrate(ctx, conn, tx)
			return failed
		})
	})
	if failed != nil {
		return failed
	}
	return fault(ctx, "pgstore", err)
}

func (s *Store) migrate(ctx context.Context, conn *sql.Conn, tx *sql.Tx) error {
	const lock = `SELECT pg_advisory_xact_lock(hashtext('pgstore')); SET LOCAL client_min_messages = warning;`
	statements := []string{lock, common}
	for _, t := range s.tables {
		statements = append(statements, t.create())
	}
	if _, err := tx.ExecContext(ctx, strings.Join(statements, "\n")); err != nil {
		return fault(ctx, "pgstore", err)
	}
	var changed []*table
	for _, t := range s.tables { // locks all before any changes, in the order of all transactions
		_, err := t.state(ctx, tx, stateQuery+definedAs, t.digest)
		if errors.Is(err, sql.ErrNoRows) {
			changed = append(changed, t)
			_, err = t.state(ctx, tx, stateQuery+" FOR UPDATE")
		}
		if err != nil {
			return t.fault(ctx, err)
		}
	}
	for _, t := range changed {
		if err := t.alter(ctx, tx); err != nil {
			return t.fault(ctx, err)
		}
		if err := t.rewrite(ctx, conn, tx); err != nil {
			return t.fault(ctx, err)
		}
	}
	return s.migrateIndexes(ctx, tx)
}

// definedAs is the condition that a collection has a definition.
const definedAs = " AND definition = $2"

// definition returns a digest of all that decides how records are stored.
func (t *table) definition() string {
	var b strings.Builder
	fmt.Fprint(&b, t.columnNames(), t.identity.name)
	for _, c := range t.columns {
		fmt.Fprintf(&b, " %d %s %t", c.form, c.target.Kind, c.target.Fold)
	}
	outline(&b, t.about.Fields)
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%x", sum[:12])
}

func outline(b *strings.Builder, fields []schema.Field) {
	for _, f := range fields {
		fmt.Fprintf(b, "[%q %s %d %q %q", f.Name, f.Kind, f.Places, f.Refers, f.By)
		for _, flag := range []bool{f.Nullable, f.Quoted, f.Fold, f.Hidden, f.Computed} {
			fmt.Fprintf(b, " %t", flag)
		}
		if f.Item != nil {
			outline(b, []schema.Field{*f.Item})
		}
		outline(b, f.Fields)
		b.WriteString("]")
	}
}

func (t *table) create() string {
	var columns []string
	for _, name := range t.columnNames() {
		columns = append(columns, t.columnText(name))
	}
	key := "'" + strings.ReplaceAll(t.about.Key, "'", "''") + "'"
	return "INSERT INTO collections (key) VALUES (" + key + ") ON CONFLICT DO NOTHING;\n" +
		"CREATE TABLE IF NOT EXISTS " + t.name() + " (" + strings.Join(columns, ", ") + ");"
}

// columnText returns the definition of a column in SQL.
func (t *table) columnText(name string) string {
	text := quote(name) + " " + sqlTypes[t.formOf(name)]
	switch {
	case name == t.identity.name:
		return text + " PRIMARY KEY"
	case name == "served": // can be added to a table with rows
		return text + " NOT NULL DEFAULT ''"
	case name == "record", name == "keys" && t.open():
		return text + " NOT NULL"
	}
	return text
}

// formOf returns the form of a column of the table.
func (t *table) formOf(name string) form {
	for _, c := range append(slices.Clone(t.columns), t.identity) {
		if c.name == name {
			return c.form
		}
	}
	if name == "keys" {
		return formKeys
	}
	return formText // record or served
}

// alter changes the columns of the table to those of the definition.
func (t *table) alter(ctx context.Context, tx *sql.Tx) error {
	there, err := t.columnTypes(ctx, tx)
	if err != nil {
		return err
	}
	statements := t.rename(there)
	var changes, drops, reasons []string
	whole := false // the table must be loaded again
	for _, name := range slices.Sorted(maps.Keys(there)) {
		wanted, form := slices.Contains(t.columnNames(), name), t.formOf(name).cast()
		drop := "DROP COLUMN " + quote(name)
		switch {
		case wanted && there[name] == form:
			continue
		case name == "served", strings.HasSuffix(name, "$upper"): // made from others
			changes = append(changes, drop)
			delete(there, name)
			continue
		case wanted:
			reasons = append(reasons, fmt.Sprintf("the column %s is %s, not %s", name, there[name], form))
		default:
			reasons = append(reasons, fmt.Sprintf("the column %s is that of no field", name))
		}
		drops, whole = append(drops, drop), whole || name == t.identity.name
	}
	for _, name := range t.columnNames() {
		if there[name] == "" {
			changes = append(changes, "ADD COLUMN "+t.columnText(name))
			if name == t.identity.name || t.open() {
				whole = true
				reasons = append(reasons, "the column "+name+" is missing")
			}
		}
	}
	if reasons != nil && whole {
		return fmt.Errorf("%w: %s; save the records with the earlier program, run: DROP TABLE %s, and load them again",
			ErrTable, strings.Join(reasons, "; "), t.name())
	}
	if reasons != nil {
		return fmt.Errorf("%w: %s; to drop the values, or make those of fields from the records again, run: ALTER TABLE %s %s",
			ErrTable, strings.Join(reasons, "; "), t.name(), strings.Join(drops, ", "))
	}
	if changes != nil {
		statements = append(statements, "ALTER TABLE "+t.name()+" "+strings.Join(changes, ", ")+";")
	}
	_, err = tx.ExecContext(ctx, strings.Join(statements, "\n"))
	return err
}

// rename returns the statements that rename columns of renamed fields, and of what is inside them.
// It also renames them in the map.
func (t *table) rename(there map[string]string) (statements []string) {
	wanted := t.columnNames()
	for _, f := range t.about.Fields {
		for _, former := range f.Formerly {
			for _, from := range slices.Sorted(maps.Keys(there)) {
				rest, ok := strings.CutPrefix(from, ordering.Snake(former))
				to := ordering.Snake(f.Name) + rest
				ok = ok && (rest == "" || rest == "$upper" || strings.HasPrefix(rest, "__"))
				if !ok || there[to] != "" || slices.Contains(wanted, from) || !slices.Contains(wanted, to) || there[from] != t.formOf(to).cast() {
					continue
				}
				there[to] = there[from]
				delete(there, from)
				statements = append(statements, "ALTER TABLE "+t.name()+" RENAME COLUMN "+quote(from)+" TO "+quote(to)+";")
			}
		}
	}
	return statements
}

// columnTypes returns the types of the columns that exist.
func (t *table) columnTypes(ctx context.Context, tx *sql.Tx) (map[string]string, error) {
	const query = `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`
	rows, err := tx.QueryContext(ctx, query, t.name())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types := map[string]string{}
	for rows.Next() {
		var name, typ string
		if err := rows.Scan(&name, &typ); err != nil {
			return nil, err
		}
		types[name] = typ
	}
	return types, rows.Err()
}

// batchSize is the number of records that are written again together.
const batchSize = 1_000

// rewrite writes all records in the form of the definition. Members without a field are dropped:
// alter has found none that still has a column.
func (t *table) rewrite(ctx context.Context, conn *sql.Conn, tx *sql.Tx) error {
	if !t.open() { // open records have only one form
		if _, err := tx.ExecContext(ctx, "DELETE FROM members WHERE collection = $1", t.about.Key); err != nil {
			return err
		}
		var after any
		for more := true; more; {
			records, last, err := t.take(ctx, tx, after)
			if err != nil {
				return err
			}
			if more = len(records) > 0; more {
				if err := t.putBack(ctx, conn, records); err != nil {
					return err
				}
			}
			after = last
		}
	}
	_, err := tx.ExecContext(ctx, "UPDATE collections SET definition = $2, revision = revision + least(count, 1) WHERE key = $1", t.about.Key, t.digest)
	return err
}

// take removes the records that follow an identity, at most batchSize, and returns them and the
// last identity.
func (t *table) take(ctx context.Context, tx *sql.Tx, after any) (records []string, last any, err error) {
	query := strings.NewReplacer("TABLE", t.name(), "ID", quote(t.identity.name), "TYPE", t.identity.form.cast(), "MANY", fmt.Sprint(batchSize)).Replace(
		`WITH "$taken" AS (SELECT ID AS id FROM TABLE WHERE $1::TYPE IS NULL OR ID > $1 ORDER BY ID LIMIT MANY),
			"$gone" AS (DELETE FROM TABLE t USING "$taken" s WHERE t.ID = s.id RETURNING t.record)
		SELECT record, (SELECT max(id) FROM "$taken") FROM "$gone"`)
	rows, err := tx.QueryContext(ctx, query, after)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var record string
		if err := rows.Scan(&record, &last); err != nil {
			return nil, nil, err
		}
		records = append(records, record)
	}
	return records, last, rows.Err()
}

// putBack inserts stored records in the form of the definition.
func (t *table) putBack(ctx context.Context, conn *sql.Conn, records []string) error {
	cat := t.store.empty.Clone()
	c, err := cat.Collection(t.about.Key)
	if err != nil {
		return err
	}
	file := strings.NewReader("[" + strings.Join(records, ",") + "]")
	batch, err := changesOf(cat, func() error { return c.Load(file, catalogue.LoadOptions{SkipUnknown: true}) })
	var invalid *catalogue.RecordError
	if errors.As(err, &invalid) {
		return fmt.Errorf("%w: %w: record %v: %s: %w; change it in the column record of %s, or save all with the earlier program",
			ErrTable, catalogue.ErrInvalidData, invalid.Identity, invalid.Field, invalid.Err, t.name())
	}
	if err != nil {
		return err
	}
	rows, err := t.rowsOf(cat, batch[0])
	if err != nil {
		return err
	}
	return t.copyRows(ctx, conn, rows, nil)
}
