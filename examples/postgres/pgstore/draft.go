package pgstore

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// A draft is a catalogue in memory with the records that one write reads. The write is made in it,
// by package catalogue, and what has changed is written to the database in one transaction.
type draft struct {
	store   *Store
	tx      *sql.Tx
	records map[*table]map[string][]byte // what is stored, by the text of the identity
	states  map[*table]*state            // of the collections that are locked
	numbers map[string]int               // of keys, in place of ids
	err     error                        // of a callback of a validation
}

func newDraft(s *Store, tx *sql.Tx) *draft {
	return &draft{store: s, tx: tx, records: map[*table]map[string][]byte{}, states: map[*table]*state{}, numbers: map[string]int{}}
}

// lock locks collections for writing. All transactions lock in the order of the definitions.
func (d *draft) lock(ctx context.Context, tables []*table) error {
	for _, t := range d.store.tables {
		if !slices.Contains(tables, t) {
			continue
		}
		at, err := t.lock(ctx, d.tx)
		if err != nil {
			return err
		}
		d.states[t] = &at
	}
	return nil
}

// add adds a record of a table and returns it. isNew reports whether the draft did not have it.
func (d *draft) add(t *table, stored []byte) (r schema.Record, isNew bool, err error) {
	if r, err = schema.ParseKeyed(stored); err != nil {
		return r, false, err
	}
	id := t.identity.in(r)
	isNew = d.records[t][id] == nil
	if d.records[t] == nil {
		d.records[t] = map[string][]byte{}
	}
	d.records[t][id] = stored
	return r, isNew, nil
}

// read adds the records of a table that a condition on t selects, and returns those that are new.
// tail is what follows the condition.
func (d *draft) read(ctx context.Context, t *table, where, tail string, args ...any) (fresh []schema.Record, err error) {
	var stored []byte
	err = each(ctx, d.tx, "SELECT t.record FROM "+t.name()+" t WHERE "+where+" "+tail, args, func() error {
		r, isNew, err := d.add(t, stored)
		if isNew && err == nil {
			fresh = append(fresh, r)
		}
		return err
	}, &stored)
	return fresh, err
}

// find adds the record of a collection that has a text in a field, and locks it against deletion.
// It returns its id, or another number if records have a key, and the text that it has.
func (d *draft) find(ctx context.Context, collection, field, text string) (id int, stored string, err error) {
	to, err := d.store.table(collection)
	if err != nil {
		return 0, "", nil // it is not stored
	}
	at, ok := to.column(field)
	if !ok {
		return 0, "", nil
	}
	lock := ""
	if len(d.states) > 0 {
		lock = " FOR KEY SHARE"
	}
	record, err := to.findBy(ctx, d.tx, at, text, "record", schema.Filter{}, lock)
	if err != nil || record == nil {
		return 0, "", err
	}
	r, _, err := d.add(to, record)
	if err == nil && at.form != formID {
		stored, err = decode[string](at.in(r))
	}
	return d.number(to, r), stored, err
}

// number returns the id of a record, or a number of its key.
func (d *draft) number(t *table, r schema.Record) int {
	text := t.identity.in(r)
	if id, err := decode[int](text); err == nil {
		return id
	}
	if d.numbers[text] == 0 {
		d.numbers[text] = len(d.numbers) + 1
	}
	return d.numbers[text]
}

// taken adds a record of a table that has the values of some fields, other than the one with an
// identity, and reports whether one exists.
func (d *draft) taken(ctx context.Context, t *table, id string, fields, values []string) (found bool, err error) {
	q := statement{ctx: ctx, tx: d.tx}
	var all []string
	for _, c := range t.columns {
		i := slices.Index(fields, c.field.Name)
		if i < 0 || len(c.path) > 1 || c.form == formUpper {
			continue
		}
		v, err := c.value(values[i])
		if err != nil || v == nil { // decoding the whole record reports it
			return false, nil
		}
		name, param := "t."+quote(c.name), q.param(v, c.form.cast())
		all = append(all, name+" = "+param, c.unique(name)+" = "+c.unique(param)) // which the index needs
	}
	if id != "" {
		v, err := t.identity.value(id)
		if err != nil {
			return false, err
		}
		all = append(all, "t."+quote(t.identity.name)+" <> "+q.param(v, t.identity.form.cast()))
	}
	before := len(d.records[t])
	if _, err = d.read(ctx, t, joined(all, " AND ", "FALSE"), "LIMIT 1", q.args...); err != nil {
		return false, err
	}
	return len(d.records[t]) > before || len(all) == 0, nil
}

// checks returns the checks of a validation that reads what the write itself will look up. id is
// the identity of the record, or "".
func (d *draft) checks(t *table, id string, assigned schema.Record) schema.Checks {
	return schema.Checks{
		Assigned: assigned,
		Find: func(ctx context.Context, key, field, text string) (id int, stored string, err error) {
			id, stored, err = d.find(ctx, key, field, text)
			d.err = errors.Join(d.err, err)
			return id, stored, err
		},
		Taken: func(ctx context.Context, fields, values []string) (found bool, err error) {
			found, err = d.taken(ctx, t, id, fields, values)
			d.err = errors.Join(d.err, err)
			return found, err
		},
	}
}

// Find returns the id, or another number if records have a key, of the record of a collection that
// has a text in a field, and its text.
func (t *table) Find(ctx context.Context, collection, field, text string) (id int, stored string, err error) {
	err = t.read(ctx, false, func(ctx context.Context, tx querier) error {
		d := newDraft(t.store, tx.(*sql.Tx)) // of a snapshot or a write
		id, stored, err = d.find(ctx, collection, field, text)
		return err
	})
	return id, stored, err
}

// readReferrers adds the records that refer to others of a table in a column, of which there are at
// most a number if it is not 0, in the order of their identities. For a write, they are locked.
func (d *draft) readReferrers(ctx context.Context, m *table, c column, to *table, targets []schema.Record, limit int) (fresh []schema.Record, err error) {
	by, _ := to.column(c.refersBy(to))
	q := statement{ctx: ctx, tx: d.tx}
	var some []string
	for _, r := range targets {
		v, err := by.value(by.in(r))
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		name, param := "t."+quote(c.name), q.param(v, by.form.cast())
		if c.field.Kind == schema.References {
			some = append(some, name+" @> ARRAY["+param+"]")
		} else {
			some = append(some, c.equals(name, param))
		}
	}
	tail := "ORDER BY t." + quote(m.identity.name)
	if limit > 0 {
		tail += " LIMIT " + fmt.Sprint(limit)
	}
	if len(d.states) > 0 {
		tail += " FOR UPDATE"
	}
	return d.read(ctx, m, joined(some, " OR ", "FALSE"), tail, q.args...)
}

// readDeletion adds what the deletion of a record reads and changes.
func (d *draft) readDeletion(ctx context.Context, t *table, old schema.Record) error {
	for level := map[*table][]schema.Record{t: {old}}; len(level) > 0; {
		next := map[*table][]schema.Record{}
		for to, gone := range level {
			for m, c := range d.store.referring(to) {
				limit := 0
				if c.field.Kind == schema.Reference && c.field.OnDelete == schema.Protect && len(d.states) > 0 {
					limit = len(gone) + 1 // a record does not protect itself, and the first other one refuses the write
				}
				fresh, err := d.readReferrers(ctx, m, c, to, gone, limit)
				if err != nil {
					return err
				}
				if c.field.Kind == schema.Reference && c.field.OnDelete == schema.Cascade && len(fresh) > 0 {
					next[m] = append(next[m], fresh...)
				}
			}
		}
		level = next
	}
	return nil
}

// catalogue returns a catalogue of the records, whose ids continue those of the collections, and the
// collection of a table.
func (d *draft) catalogue(of *table) (cat *catalogue.Catalogue, c catalogue.AnyCollection, err error) {
	var f file
	for _, t := range d.store.tables {
		if at := cmp.Or(d.states[t], &state{}); at.lastID > 0 || d.records[t] != nil {
			var records [][]byte
			for _, id := range slices.Sorted(maps.Keys(d.records[t])) { // the order of keys in the draft
				records = append(records, d.records[t][id])
			}
			f.add(t, records, at.lastID)
		}
	}
	cat = d.store.empty.Clone()
	if err = cat.Load(f.reader(), catalogue.LoadOptions{}); err == nil {
		c, err = cat.Collection(of.about.Key)
	}
	return cat, c, err
}

// A file is what a catalogue loads.
type file struct{ parts, lastIDs []string }

// add adds the texts of records of a table, and the highest id ever used if it is not 0.
func (f *file) add(t *table, records [][]byte, lastID int) {
	f.parts = append(f.parts, fmt.Sprintf(",%q:[%s]", t.about.Key, bytes.Join(records, []byte(","))))
	if lastID > 0 && t.identity.form == formID {
		f.lastIDs = append(f.lastIDs, fmt.Sprintf(`{"collection":%q,"id":%d}`, t.about.Key, lastID))
	}
}

func (f *file) reader() io.Reader {
	return strings.NewReader(fmt.Sprintf("{%q:[%s]%s}", lastIDsKey, strings.Join(f.lastIDs, ","), strings.Join(f.parts, "")))
}

// make makes a write in the catalogue of the draft, and writes what it changes.
func (d *draft) make(ctx context.Context, t *table, write func(catalogue.AnyCollection) error) error {
	cat, c, err := d.catalogue(t)
	if err != nil {
		return err
	}
	batch, err := d.store.changesOf(cat, func() error { return write(c) })
	if err != nil {
		return err
	}
	for _, some := range batch {
		if err := d.apply(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// changes are those of a write to one collection.
type changes struct {
	of     *table
	lastID int   // the highest id ever used
	rows   []row // without texts, if they are deleted
}

// changesOf returns what f changes in a catalogue.
func (s *Store) changesOf(cat *catalogue.Catalogue, f func() error) (all []changes, err error) {
	var batch []catalogue.Commit
	err = cat.Journal(func(commits []catalogue.Commit) error {
		batch = commits
		return nil
	})
	if err == nil {
		err = f()
	}
	for _, commit := range batch {
		t, failed := s.table(commit.Collection)
		if failed != nil {
			return nil, failed
		}
		served, failed := t.servedBy(cat)
		err = cmp.Or(err, failed)
		some := changes{of: t, lastID: commit.LastID}
		for id, stored := range commit.Changes {
			some.rows = append(some.rows, row{id, stored, served[identityText(id)]})
		}
		all = append(all, some)
	}
	return all, err
}

// apply writes the changes of one collection.
func (d *draft) apply(ctx context.Context, some changes) error {
	t, at := some.of, d.states[some.of]
	before := at.lastID
	at.lastID = max(at.lastID, some.lastID)
	for _, fresh := range some.rows {
		if fresh.stored != nil {
			at.count++
			at.usedID = max(at.usedID, fresh.id.ID)
		}
		if d.records[t][identityText(fresh.id)] != nil {
			at.count--
		}
	}
	state := at // is written with the first row
	for _, fresh := range some.rows {
		old := d.records[t][identityText(fresh.id)]
		if old == nil && fresh.stored == nil {
			continue
		}
		err := t.put(ctx, d.tx, old, fresh, state)
		if fresh.id.ID > before && violated(err) == t.plainName+"_pkey" { // not a conflict that the client caused
			err = fmt.Errorf("%w: id %d exists, but is greater than last_id: %v", ErrCount, fresh.id.ID, err)
		}
		if err != nil {
			return err
		}
		state = nil
	}
	if state == nil {
		return nil
	}
	return t.advance(ctx, d.tx, *at)
}

// identityText returns the JSON of an identity.
func identityText(id schema.Identity) string {
	text, _ := id.MarshalJSON()
	return string(text)
}

// servedBy returns what a catalogue serves of a collection, by identity, if that differs from what
// is stored.
func (t *table) servedBy(cat *catalogue.Catalogue) (map[string][]byte, error) {
	if !t.served {
		return nil, nil
	}
	c, err := cat.Collection(t.about.Key)
	if err != nil {
		return nil, err
	}
	list, err := c.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: math.MaxInt}})
	if err != nil {
		return nil, err
	}
	served := map[string][]byte{}
	for _, record := range list.Records {
		r, _ := schema.ParseKeyed(record) // it is valid
		served[t.identity.in(r)] = record
	}
	return served, nil
}
