package pgstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// LoadOptions configures [Store.Load].
type LoadOptions struct {
	// LoadOptions are those of [catalogue.Catalogue.Load].
	catalogue.LoadOptions

	// Progress, if not nil, is called after each batch of at most 1,000 records, with the number of
	// records that have been stored and that of all records in the input.
	Progress func(stored, total int)
}

// Load replaces the records of every collection in the JSON object that it reads from r. All records
// become visible together or, on an error, not at all.
//
// The errors are those of [catalogue.Catalogue.Load], with three exceptions. If two records have the
// same id or unique values, the error does not name the first. If opts lists violations, it lists one
// such record of a batch, and references to no record only if nothing else is wrong, without their
// lines. The error wraps [httpapi.ErrUnavailable] if the database is unavailable.
//
// Load reads r once, into a temporary table, and then stores the records in batches. Its memory does
// not depend on their number, but each can be as large as they are. Writers of these collections wait
// while records are stored, those of all collections if opts has References; readers do not.
// O(n log n).
func (s *Store) Load(ctx context.Context, r io.Reader, opts LoadOptions) error {
	return s.load(ctx, opts, func(l *load) error { return l.read(ctx, r) })
}

// load calls f, whose errors are complete, with a load.
func (s *Store) load(ctx context.Context, opts LoadOptions, f func(l *load) error) (failed error) {
	err := s.transaction(ctx, writing, func(conn *sql.Conn, tx *sql.Tx) error {
		failed = f(&load{store: s, conn: conn, tx: tx, opts: opts})
		return failed
	})
	if failed != nil {
		return failed
	}
	return fault(ctx, "pgstore", err)
}

// A load stores many records in a transaction.
type load struct {
	store         *Store
	conn          *sql.Conn // which can COPY, unlike tx
	tx            *sql.Tx
	opts          LoadOptions
	total, stored int                  // records in the input, and those that have been stored
	found         catalogue.Violations // if they are listed
}

// read reads the input and stores its records.
func (l *load) read(ctx context.Context, r io.Reader) error {
	parts, err := l.stage(ctx, r)
	if err != nil {
		return err
	}
	locked := slices.DeleteFunc(slices.Clone(l.store.tables), func(t *table) bool {
		return parts[t.about.Key] == nil && !l.opts.References
	})
	d := newDraft(l.store, l.tx)
	if err := d.lock(ctx, locked); err != nil {
		return fault(ctx, "pgstore", err)
	}
	for _, t := range locked {
		if p, at := parts[t.about.Key], d.states[t]; p != nil {
			err := l.fill(ctx, t, p)
			at.count, at.usedID, at.lastID = p.end-p.start, p.lastID, max(at.lastID, p.lastID)
			if err == nil {
				err = t.advance(ctx, l.tx, *at)
			}
			if err != nil {
				return t.fault(ctx, err)
			}
		}
	}
	if l.opts.References && l.found == nil {
		for _, t := range locked {
			if err := l.checkReferences(ctx, t); err != nil {
				return t.fault(ctx, err)
			}
		}
	}
	if l.found != nil {
		return fmt.Errorf("catalogue: %w: %w", catalogue.ErrInvalidData, l.found)
	}
	return nil
}

// staged is the table of the texts of records, by their number.
const staged = `CREATE TEMP TABLE IF NOT EXISTS pgstore_staged (n bigint PRIMARY KEY, line bigint, record text COLLATE "C") ON COMMIT DROP`

// stage reads the whole input into the table staged, and returns its parts by the collections' keys.
func (l *load) stage(ctx context.Context, r io.Reader) (parts map[string]*part, err error) {
	in := newInput(l.store, r, l.opts.SkipUnknown)
	var failed error
	next, stop := iter.Pull(func(yield func([]any) bool) {
		failed = in.read(func(record string, line int) bool { return yield([]any{in.records, line, record}) })
	})
	defer stop()
	if _, err := l.tx.ExecContext(ctx, staged); err != nil {
		return nil, fault(ctx, "pgstore", err)
	}
	err = l.copy(ctx, "pgstore_staged", []string{"n", "line", "record"}, pgx.CopyFromFunc(func() ([]any, error) {
		row, _ := next()
		return row, nil
	}))
	if err != nil {
		return nil, fault(ctx, "pgstore", err)
	}
	for key, p := range in.parts {
		p.lastID = max(p.lastID, in.lastIDs[key])
	}
	l.total = in.records
	return in.parts, failed
}

// copy inserts rows by COPY.
func (l *load) copy(ctx context.Context, table string, columns []string, rows pgx.CopyFromSource) error {
	return l.conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, rows)
		return err
	})
}

// batchSize is the number of records that are in memory together.
const batchSize = 1_000

// fill replaces the records of a table by staged ones. The members of open records keep their
// numbers, since indexes may use them.
func (l *load) fill(ctx context.Context, t *table, p *part) error {
	if _, err := l.tx.ExecContext(ctx, "DELETE FROM "+t.name()); err != nil {
		return err
	}
	all, err := t.members(ctx, l.tx)
	if err != nil {
		return err
	}
	for _, m := range all.byName {
		m.records = 0
	}
	const query = "SELECT record, n - $3, line FROM pgstore_staged WHERE n >= $1 AND n < $2 ORDER BY n"
	for start := p.start; start < p.end; start += batchSize {
		var batch []stagedRecord
		var r stagedRecord
		err := each(ctx, l.tx, query, []any{start, min(start+batchSize, p.end), p.start}, func() error {
			batch = append(batch, r)
			return nil
		}, &r.text, &r.index, &r.line)
		if err == nil {
			err = l.put(ctx, t, p, batch, all)
		}
		if err != nil {
			return err
		}
		if l.stored += len(batch); l.opts.Progress != nil {
			l.opts.Progress(l.stored, l.total)
		}
	}
	if t.open() {
		err = t.saveMembers(ctx, l.tx, all)
	}
	if err == nil {
		_, err = l.tx.ExecContext(ctx, "ANALYZE "+t.name())
	}
	return err
}

// A stagedRecord is the text of a record, with its index in the input and its line.
type stagedRecord struct {
	text        []byte
	index, line int
}

// put stores a batch of records. If a value that must be unique is in the table, it finds the record
// by storing each alone.
func (l *load) put(ctx context.Context, t *table, p *part, batch []stagedRecord, all *members) error {
	before := *p
	rows, err := t.decode(batch, p, l.opts.LoadOptions)
	if err != nil {
		return l.refuse(err, batch)
	}
	values := make([][]any, len(rows)) // made first, since COPY would hide an error of values
	for i, r := range rows {
		if t.open() {
			if err := all.count(r.stored, 1); err != nil {
				return err
			}
		}
		if values[i], err = t.values(r, all.numbers); err != nil {
			return err
		}
	}
	if l.found != nil { // nothing will be stored
		return nil
	}
	if _, err := l.tx.ExecContext(ctx, "SAVEPOINT batch"); err != nil {
		return err
	}
	if err = l.copy(ctx, t.plainName, t.columnNames(), pgx.CopyFromRows(values)); violated(err) == "" {
		return err
	}
	if _, err := l.tx.ExecContext(ctx, "ROLLBACK TO batch"); err != nil {
		return err
	}
	if len(batch) == 1 {
		return l.refuse(t.duplicate(rows[0].id, violated(err)), batch)
	}
	*p = before
	for i := range batch {
		if err := l.put(ctx, t, p, batch[i:i+1], all); err != nil || l.found != nil {
			return err
		}
	}
	return err
}

// decode reads records as [catalogue.Catalogue.Load] does. Those without an id get one after the
// last of the part, which it changes.
func (t *table) decode(records []stagedRecord, p *part, opts catalogue.LoadOptions) ([]row, error) {
	var texts [][]byte
	for _, r := range records {
		texts = append(texts, r.text)
	}
	var f file
	f.add(t, texts, p.lastID)
	opts.References = false
	cat := t.store.empty.Clone()
	batch, err := t.store.changesOf(cat, func() error { return cat.Load(f.reader(), opts) })
	if err != nil || len(batch) == 0 {
		return nil, err
	}
	p.lastID = max(p.lastID, batch[0].lastID)
	return batch[0].rows, err
}

// refuse returns the error of an invalid record of a batch, with its place in the input. If
// violations are listed, it adds them to the list.
func (l *load) refuse(err error, batch []stagedRecord) error {
	var one *catalogue.RecordError
	var all catalogue.Violations
	if errors.As(err, &one) {
		all = catalogue.Violations{*one}
	} else if !errors.As(err, &all) {
		return err
	}
	for i := range all {
		v := &all[i]
		from := batch[v.Index]
		for _, cause := range []error{catalogue.ErrExists, catalogue.ErrDuplicate} {
			if from.index != v.Index && errors.Is(v.Err, cause) { // its text has the index of the other in the batch
				v.Err = fmt.Errorf("%w: an earlier record has the same", cause)
			}
		}
		v.Index, v.Line = from.index, from.line
	}
	if !l.opts.Validate && !l.opts.References {
		return &all[0]
	}
	l.found = append(l.found, all...)
	return nil
}

// checkReferences adds the references of a table to no record to the violations. It does not look
// into lists of objects.
func (l *load) checkReferences(ctx context.Context, t *table) error {
	for _, c := range t.columns {
		to, err := t.store.table(c.field.Refers)
		if err != nil || c.form == formUpper {
			continue
		}
		by, _ := to.column(c.refersBy(to))
		from, value, n := t.name()+" t", "t."+quote(c.name), "0"
		if c.field.Kind == schema.References {
			from, value, n = from+", unnest("+value+") WITH ORDINALITY v(value, n)", "v.value", "v.n"
		}
		query := fmt.Sprintf("SELECT t.record, %s FROM %s WHERE %s IS NOT NULL AND NOT EXISTS (SELECT FROM %s o WHERE %s) ORDER BY t.%s, 2",
			n, from, value, to.name(), by.equals("o."+quote(by.name), value), quote(t.identity.name))
		var record []byte
		var i int
		err = each(ctx, l.tx, query, nil, func() error {
			r, err := schema.ParseKeyed(record)
			text := c.in(r)
			if list, _ := decode[[]json.RawMessage](text); i > 0 {
				text = string(list[i-1])
			}
			l.found = append(l.found, catalogue.RecordError{Collection: t.about.Key, Identity: t.identityOf(r), Field: strings.Join(c.path, "__"),
				Err: fmt.Errorf("%w: %s of %s", catalogue.ErrDangling, text, c.field.Refers)})
			return err
		}, &record, &i)
		if err != nil {
			return err
		}
	}
	return nil
}
