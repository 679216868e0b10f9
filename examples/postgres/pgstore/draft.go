package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	d.put(t, id, stored)
	return r, isNew, nil
}

func (d *draft) put(t *table, id string, stored []byte) {
	if d.records[t] == nil {
		d.records[t] = map[string][]byte{}
	}
	d.records[t][id] = stored
}

// read adds the records of a table that a condition on t selects, and returns those that are new.
// tail is what follows the condition.
func (d *draft) read(ctx context.Context, t *table, where, tail string, args ...any) (fresh []schema.Record, err error) {
	rows, err := d.tx.QueryContext(ctx, "SELECT t.record FROM "+t.name()+" t WHERE "+where+" "+tail, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var stored []byte
		if err := rows.Scan(&stored); err != nil {
			return nil, err
		}
		r, isNew, err := d.add(t, stored)
		if err != nil {
			return nil, err
		}
		if isNew {
			fresh = append(fresh, r)
		}
	}
	return fresh, rows.Err()
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
	for _, value := range to.spellings(at, text) {
		q := statement{ctx: ctx, tx: d.tx}
		var record []byte
		query := "SELECT t.record FROM " + to.name() + " t WHERE " + q.compare(at, "t", "=", value) + lock
		err := d.tx.QueryRowContext(ctx, query, q.args...).Scan(&record)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return 0, "", err
		}
		r, _, err := d.add(to, record)
		if err != nil {
			return 0, "", err
		}
		if at.form != formID {
			stored, err = decode[string](at.in(r))
		}
		return d.number(to, r), stored, err
	}
	return 0, "", nil
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

// readReferrers adds the records that refer to others of a table in a column, of which there are at
// most a number if it is not 0, in the order of their identities. They are locked.
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
		if c.field.Kind == schema.References {
			some = append(some, "t."+quote(c.name)+" @> ARRAY["+q.param(v, by.form.cast())+"]")
			continue
		}
		sql := "t." + quote(c.name) + " = " + q.param(v, by.form.cast())
		if prefix := c.prefix("t." + quote(c.name)); prefix != "" {
			sql += " AND " + prefix + " = " + c.prefix(q.param(v, by.form.cast()))
		}
		some = append(some, "("+sql+")")
	}
	tail := "ORDER BY t." + quote(m.identity.name)
	if limit > 0 {
		tail += " LIMIT " + fmt.Sprint(limit)
	}
	return d.read(ctx, m, joined(some, " OR ", "FALSE"), tail+" FOR UPDATE", q.args...)
}

// readDeletion adds what the deletion of a record reads and changes.
func (d *draft) readDeletion(ctx context.Context, t *table, old schema.Record) error {
	for level := map[*table][]schema.Record{t: {old}}; len(level) > 0; {
		next := map[*table][]schema.Record{}
		for to, gone := range level {
			for m, c := range d.store.referring(to) {
				limit := 0
				if c.field.Kind == schema.Reference && c.field.OnDelete == schema.Protect {
					limit = len(gone) + 1 // a record does not protect itself
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

// catalogue returns a catalogue of the records, whose ids continue those of the collections.
func (d *draft) catalogue() (*catalogue.Catalogue, error) {
	file := map[string]any{}
	var last []map[string]any
	for t, at := range d.states {
		file[t.about.Key] = []json.RawMessage{}
		if at.lastID > 0 && t.identity.form == formID {
			last = append(last, map[string]any{"collection": t.about.Key, "id": at.lastID})
		}
	}
	for t, records := range d.records {
		list := []json.RawMessage{}
		for _, stored := range records {
			list = append(list, stored)
		}
		file[t.about.Key] = list
	}
	if last != nil {
		file["$lastIds"] = last
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(file); err != nil {
		return nil, err
	}
	cat := d.store.empty.Clone()
	return cat, cat.Load(&text, catalogue.LoadOptions{})
}

// make makes a write in the catalogue of the draft, and writes what it changes.
func (d *draft) make(ctx context.Context, t *table, write func(catalogue.AnyCollection) error) error {
	cat, err := d.catalogue()
	if err != nil {
		return err
	}
	c, err := cat.Collection(t.about.Key)
	if err != nil {
		return err
	}
	batch, err := changesOf(cat, func() error { return write(c) })
	if err != nil {
		return err
	}
	for _, commit := range batch {
		if err := d.apply(ctx, cat, commit); err != nil {
			return err
		}
	}
	return nil
}

// changesOf returns what f changes in a catalogue.
func changesOf(cat *catalogue.Catalogue, f func() error) (batch []catalogue.Commit, err error) {
	err = cat.Journal(func(changes []catalogue.Commit) error {
		batch = changes
		return nil
	})
	if err == nil {
		err = f()
	}
	return batch, err
}

// apply writes the changes of one collection.
func (d *draft) apply(ctx context.Context, cat *catalogue.Catalogue, commit catalogue.Commit) error {
	t, err := d.store.table(commit.Collection)
	if err != nil {
		return err
	}
	served, err := t.servedBy(cat)
	if err != nil {
		return err
	}
	at := d.states[t]
	before := at.lastID
	at.lastID = max(at.lastID, commit.LastID)
	for identity, stored := range commit.Changes {
		old := d.records[t][identityText(identity)]
		switch {
		case old == nil && stored != nil:
			at.count++
		case old != nil && stored == nil:
			at.count--
		}
		if stored != nil {
			at.usedID = max(at.usedID, identity.ID)
		}
	}
	state := at // is written with the first row
	for identity, stored := range commit.Changes {
		id := identityText(identity)
		old := d.records[t][id]
		if stored != nil {
			d.put(t, id, stored)
		} else {
			delete(d.records[t], id)
		}
		if old == nil && stored == nil {
			continue
		}
		err := t.put(ctx, d.tx, identity, old, row{stored, served[id]}, state)
		switch {
		case identity.ID > before && t.ofID(err): // not a conflict that the client caused
			return fmt.Errorf("%w: id %d exists, but is greater than last_id: %v", ErrCount, identity.ID, err)
		case err != nil:
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
	if id.Key == "" {
		return fmt.Sprint(id.ID)
	}
	text, _ := schema.Record{}.With("key", id.Key) // it is valid UTF-8
	key, _ := text.Get("key")
	return key
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
	list, err := c.List(context.Background(), everything)
	if err != nil {
		return nil, err
	}
	served := map[string][]byte{}
	for _, record := range list.Records {
		r, err := schema.ParseKeyed(record)
		if err != nil {
			return nil, err
		}
		served[t.identity.in(r)] = record
	}
	return served, nil
}
