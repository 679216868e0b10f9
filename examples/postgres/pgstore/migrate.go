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
	return retried(func() error {
		return s.load(ctx, LoadOptions{LoadOptions: catalogue.LoadOptions{SkipUnknown: true}}, func(l *load) error { return s.migrate(ctx, l) })
	})
}

func (s *Store) migrate(ctx context.Context, l *load) error {
	tx := l.tx
	statements := []string{`SELECT pg_advisory_xact_lock(hashtext('pgstore')); SET LOCAL client_min_messages = warning;`, common}
	for _, t := range s.tables {
		statements = append(statements, t.create())
	}
	if _, err := tx.ExecContext(ctx, strings.Join(statements, "\n")); err != nil {
		return fault(ctx, "pgstore", err)
	}
	var changed []*table
	for _, t := range s.tables { // locks all before any changes, in the order of all transactions
		_, err := t.state(ctx, tx, stateQuery+definedAs, t.digest())
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
		if err := t.rewrite(ctx, l); err != nil {
			return t.fault(ctx, err)
		}
	}
	return s.migrateIndexes(ctx, tx)
}

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
		fmt.Fprint(b, f.Nullable, f.Quoted, f.Fold, f.Hidden, f.Computed)
		if f.Item != nil {
			outline(b, []schema.Field{*f.Item})
		}
		outline(b, f.Fields)
		b.WriteString("]")
	}
}

func (t *table) create() string {
	var columns []string
	for _, c := range t.tableColumns() {
		columns = append(columns, c.String())
	}
	key := "'" + strings.ReplaceAll(t.about.Key, "'", "''") + "'"
	return "INSERT INTO collections (key) VALUES (" + key + ") ON CONFLICT DO NOTHING;\n" +
		"CREATE TABLE IF NOT EXISTS " + t.name() + " (" + strings.Join(columns, ", ") + ");"
}

// alter changes the columns of the table to those of the definition.
func (t *table) alter(ctx context.Context, tx *sql.Tx) error {
	there, err := t.columnTypes(ctx, tx)
	if err != nil {
		return err
	}
	wanted := map[string]string{} // their types
	for _, c := range t.tableColumns() {
		wanted[c.name] = c.form.cast()
	}
	statements := t.rename(there, wanted)
	var changes, drops, reasons []string
	whole := false // the table must be loaded again
	for _, name := range slices.Sorted(maps.Keys(there)) {
		drop := "DROP COLUMN " + quote(name)
		switch {
		case there[name] == wanted[name]:
			continue
		case name == "served", strings.HasSuffix(name, "$upper"): // made from others
			changes = append(changes, drop)
			delete(there, name)
			continue
		case wanted[name] != "":
			reasons = append(reasons, fmt.Sprintf("the column %s is %s, not %s", name, there[name], wanted[name]))
		default:
			reasons = append(reasons, fmt.Sprintf("the column %s is that of no field", name))
		}
		drops, whole = append(drops, drop), whole || name == t.identity.name
	}
	for _, c := range t.tableColumns() {
		if there[c.name] == "" {
			changes = append(changes, "ADD COLUMN "+c.String())
			if c.name == t.identity.name || t.open() {
				whole = true
				reasons = append(reasons, "the column "+c.name+" is missing")
			}
		}
	}
	if reasons != nil {
		help := "to drop the values, or make those of fields from the records again, run: ALTER TABLE " + t.name() + " " + strings.Join(drops, ", ")
		if whole {
			help = "save the records with the earlier program, run: DROP TABLE " + t.name() + ", and load them again"
		}
		return fmt.Errorf("%w: %s; %s", ErrTable, strings.Join(reasons, "; "), help)
	}
	if changes != nil {
		statements = append(statements, "ALTER TABLE "+t.name()+" "+strings.Join(changes, ", ")+";")
	}
	_, err = tx.ExecContext(ctx, strings.Join(statements, "\n"))
	return err
}

// rename returns the statements that rename columns of renamed fields, and of what is inside them.
// It also renames them in there, which has the types of the columns, as wanted has.
func (t *table) rename(there, wanted map[string]string) (statements []string) {
	for _, f := range t.about.Fields {
		for _, former := range f.Formerly {
			for _, from := range slices.Sorted(maps.Keys(there)) {
				rest, ok := strings.CutPrefix(from, ordering.Snake(former))
				to := ordering.Snake(f.Name) + rest
				ok = ok && (rest == "" || rest == "$upper" || strings.HasPrefix(rest, "__"))
				if !ok || there[to] != "" || wanted[from] != "" || there[from] != wanted[to] {
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
	types := map[string]string{}
	var name, typ string
	err := each(ctx, tx, query, []any{t.name()}, func() error {
		types[name] = typ
		return nil
	}, &name, &typ)
	return types, err
}

// rewrite writes all records in the form of the definition. Members without a field are dropped:
// alter has found none that still has a column.
func (t *table) rewrite(ctx context.Context, l *load) error {
	if !t.open() { // open records have only one form
		stage := strings.NewReplacer("TABLE", t.name(), "ID", quote(t.identity.name)).Replace(
			"TRUNCATE pgstore_staged; INSERT INTO pgstore_staged SELECT row_number() OVER (ORDER BY ID) - 1, 0, record FROM TABLE")
		if _, err := l.tx.ExecContext(ctx, staged+"; "+stage); err != nil {
			return err
		}
		var n int
		err := l.tx.QueryRowContext(ctx, `WITH gone AS (DELETE FROM members WHERE collection = $1) SELECT count(*) FROM pgstore_staged`, t.about.Key).Scan(&n)
		if err == nil {
			err = l.fill(ctx, t, &part{end: n})
		}
		var invalid *catalogue.RecordError
		if errors.As(err, &invalid) {
			return fmt.Errorf("%w: %w: record %v: %s: %w; change it in the column record of %s, or save all with the earlier program",
				ErrTable, catalogue.ErrInvalidData, invalid.Identity, invalid.Field, invalid.Err, t.name())
		}
		if err != nil {
			return err
		}
	}
	_, err := l.tx.ExecContext(ctx, "UPDATE collections SET definition = $2, revision = revision + least(count, 1) WHERE key = $1", t.about.Key, t.digest())
	return err
}
