package linearizability_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A collection is a catalogue.Collection whose records are rows. Functions that its
// methods return convert records to rows, so that this can happen after the end of
// the operation was recorded.
type collection interface {
	writer
	batch(f func(writer) error) error
	page(in input) reading
	iterate(by []term) reading
	snapshot() snapshotReader
	since(revision uint64) (changes func() ([]change, error), now uint64, err error)
	follow(ctx context.Context, revision uint64) iter.Seq2[change, error]
	load(rows []row) error
	check() error
}

// A writer has the methods that collections and transactions have in common.
type writer interface {
	insert(row) (id int, err error)
	upsert(row) (id int, err error)
	update(id int, f func(*row)) error
	remove(id int) error
	get(id int) reading
	count() int
	selector
}

// A snapshotReader is a catalogue.Snapshot whose records are rows.
type snapshotReader interface {
	count() int
	revision() uint64
	get(id int) reading
	page(in input) reading
	iterate(by []term) reading
	selector
}

// A reading is the result of a read: records and a count.
type reading struct {
	count    int
	rows     func() ([]row, error)
	err      error
	deferred func() reading // if not nil, returns the reading after the operation has ended
}

// A target is the object of a test: one collection, or two of one catalogue.
type target struct {
	collections []collection
	save        func() (load func() (target, error), err error) // nil for a standalone collection
	clone       func() target
}

// A codec converts rows to records and back.
type codec[T any] struct {
	names  [fields]string // names of the fields
	encode func(row) T
	decode func(*T) (row, error)
	values func(n int) [fields]any // of fields that encode makes of n, as conditions take them
}

func (k *codec[T]) terms(by []term) []ordering.Term {
	var terms []ordering.Term
	for _, t := range by {
		name := "id"
		if t.field != byID {
			name = k.names[t.field]
		}
		terms = append(terms, ordering.Term{Field: name, Desc: t.desc})
	}
	return terms
}

// fields returns the names of fields.
func (k *codec[T]) fields(numbers []int) (names []string) {
	for _, field := range numbers {
		names = append(names, k.names[field])
	}
	return names
}

func (k *codec[T]) rows(records []T) func() ([]row, error) {
	return func() ([]row, error) { return k.collect(slices.Values(records)) }
}

func (k *codec[T]) collect(records iter.Seq[T]) (rows []row, err error) {
	for record := range records {
		r, err := k.decode(&record)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// read returns a reading of one record or an error.
func (k *codec[T]) read(record T, err error) reading {
	return reading{count: 1, rows: k.rows([]T{record}), err: err}
}

// records implements collection with records of type T.
type records[T any] struct {
	*codec[T]
	c    *catalogue.Collection[T]
	cat  *catalogue.Catalogue // nil if c is standalone
	key  string
	base *base
}

func (c *records[T]) insert(r row) (int, error) { return c.c.Insert(c.encode(r)) }
func (c *records[T]) upsert(r row) (int, error) { return c.c.Upsert(c.encode(r)) }
func (c *records[T]) remove(id int) error       { return c.c.Delete(id) }
func (c *records[T]) get(id int) reading        { return c.read(c.c.Get(id)) }
func (c *records[T]) count() int                { return c.c.Count() }
func (c *records[T]) check() error              { return c.c.Check() }

func (c *records[T]) update(id int, f func(*row)) error { return c.c.Update(id, c.updating(f)) }

// updating converts a function that changes a row to one that changes a record.
func (k *codec[T]) updating(f func(*row)) func(*T) error {
	return func(record *T) error {
		r, err := k.decode(record)
		f(&r)
		*record = k.encode(r)
		return err
	}
}

func (c *records[T]) batch(f func(writer) error) error {
	return c.c.Batch(func(tx *catalogue.Tx[T]) error { return f(transaction[T]{c.codec, tx}) })
}

// A transaction implements writer within a batch.
type transaction[T any] struct {
	*codec[T]
	tx *catalogue.Tx[T]
}

func (t transaction[T]) insert(r row) (int, error) { return t.tx.Insert(t.encode(r)) }
func (t transaction[T]) upsert(r row) (int, error) { return t.tx.Upsert(t.encode(r)) }
func (t transaction[T]) remove(id int) error       { return t.tx.Delete(id) }
func (t transaction[T]) get(id int) reading        { return t.read(t.tx.Get(id)) }
func (t transaction[T]) count() int                { return t.tx.Count() }

func (t transaction[T]) update(id int, f func(*row)) error { return t.tx.Update(id, t.updating(f)) }

// A pageReader is a selection.
type pageReader[T any] interface {
	Page(w pagination.Window, terms ...ordering.Term) (catalogue.Page[T], error)
	View(w pagination.Window, terms ...ordering.Term) (catalogue.View[T], error)
	All(terms ...ordering.Term) (iter.Seq[T], error)
}

func (c *records[T]) page(in input) reading     { return c.codec.page(c.c.Where(), in) }
func (c *records[T]) iterate(by []term) reading { return c.codec.iterate(c.c.Where(), by) }

func (k *codec[T]) page(coll pageReader[T], in input) reading {
	w, terms := pagination.Window{Limit: in.limit, Offset: in.offset}, k.terms(in.by)
	switch in.style % 2 {
	case 0:
		p, err := coll.Page(w, terms...)
		return reading{count: p.Count, rows: k.rows(p.Records), err: err}
	default:
		return k.view(coll.View(w, terms...))
	}
}

func (k *codec[T]) view(v catalogue.View[T], err error) reading {
	return reading{count: v.Count(), err: err, rows: func() ([]row, error) {
		rows := make([]row, v.Len())
		for i := range rows {
			r, err := k.decode(v.At(i))
			if err != nil {
				return nil, err
			}
			if len(rows) <= 16 { // checking more takes too long
				if err := k.checkJSON(r, v, i); err != nil {
					return nil, err
				}
			}
			rows[i] = r
		}
		return rows, nil
	}}
}

// checkJSON checks that the JSON form of record i of v is that of r.
func (k *codec[T]) checkJSON(r row, v catalogue.View[T], i int) error {
	data, err := v.JSON(i)
	if err != nil {
		return err
	}
	var record T
	if err := json.Unmarshal(data, &record); err != nil {
		return err
	}
	if again, err := k.decode(&record); err != nil || again != r {
		return fmt.Errorf("record %v has the JSON form %s: %w", r, data, err)
	}
	return nil
}

func (k *codec[T]) iterate(coll pageReader[T], by []term) reading {
	seq, err := coll.All(k.terms(by)...)
	return reading{rows: func() ([]row, error) { return k.collect(seq) }, err: err}
}

func (c *records[T]) snapshot() snapshotReader { return snapshotRecords[T]{c.codec, c.c.Snapshot()} }

// snapshotRecords implements snapshotReader with records of type T.
type snapshotRecords[T any] struct {
	*codec[T]
	s catalogue.Snapshot[T]
}

func (s snapshotRecords[T]) count() int                { return s.s.Count() }
func (s snapshotRecords[T]) revision() uint64          { return s.s.Revision() }
func (s snapshotRecords[T]) get(id int) reading        { return s.read(s.s.Get(id)) }
func (s snapshotRecords[T]) page(in input) reading     { return s.codec.page(s.s.Where(), in) }
func (s snapshotRecords[T]) iterate(by []term) reading { return s.codec.iterate(s.s.Where(), by) }

func (c *records[T]) since(revision uint64) (func() ([]change, error), uint64, error) {
	list, now, err := c.c.Since(revision)
	return func() ([]change, error) { return c.changes(list) }, now, err
}

func (k *codec[T]) changes(list []catalogue.Change[T]) ([]change, error) {
	changes := []change{}
	for _, ch := range list {
		c, err := k.change(ch)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func (k *codec[T]) change(ch catalogue.Change[T]) (c change, err error) {
	c = change{ch.Revision, deleted, ch.Last, row{ID: ch.ID}}
	_, existed := ch.Before()
	if record, exists := ch.After(); exists {
		c.kind = inserted
		if existed {
			c.kind = updated
		}
		c.row, err = k.decode(&record)
	}
	return c, err
}

func (c *records[T]) follow(ctx context.Context, revision uint64) iter.Seq2[change, error] {
	return func(yield func(change, error) bool) {
		for ch, err := range c.c.Changes(ctx, revision) {
			var converted change
			if err == nil {
				converted, err = c.change(ch)
			}
			if !yield(converted, err) {
				return
			}
		}
	}
}

func (c *records[T]) load(rows []row) error {
	var all []T
	for _, r := range slices.Concat(c.base.rows, rows) {
		all = append(all, c.encode(r))
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return c.cat.Load(strings.NewReader(`{"`+c.key+`":`+string(data)+`}`), catalogue.LoadOptions{})
}

// A catalogueCollection is a collection of a catalogue.
type catalogueCollection interface {
	collection
	in(cat *catalogue.Catalogue) (catalogueCollection, error)
}

// in returns the collection of the same key in another catalogue.
func (c *records[T]) in(cat *catalogue.Catalogue) (catalogueCollection, error) {
	typed, err := catalogue.Define[T](c.key, catalogue.Options{}).In(cat)
	return &records[T]{c.codec, typed, cat, c.key, c.base}, err
}

// standaloneTarget returns the target of a standalone collection.
func standaloneTarget[T any](c *records[T]) target {
	return target{collections: []collection{c}, clone: func() target {
		return standaloneTarget(&records[T]{codec: c.codec, c: c.c.Clone(), base: c.base})
	}}
}

// catalogueTarget returns the target of one or two collections of a catalogue. empty
// returns an empty catalogue with the same definitions.
func catalogueTarget(empty func() (*catalogue.Catalogue, error), cat *catalogue.Catalogue, collections ...catalogueCollection) target {
	t := target{
		save: func() (func() (target, error), error) {
			var data bytes.Buffer
			err := cat.Save(&data)
			return func() (target, error) {
				cat, err := empty()
				if err == nil {
					err = cat.Load(&data, catalogue.LoadOptions{})
				}
				if err != nil {
					return target{}, err
				}
				return targetIn(empty, cat, collections), nil
			}, err
		},
		clone: func() target { return targetIn(empty, cat.Clone(), collections) },
	}
	for _, c := range collections {
		t.collections = append(t.collections, c)
	}
	return t
}

// targetIn returns the target of the same collections in another catalogue.
func targetIn(empty func() (*catalogue.Catalogue, error), cat *catalogue.Catalogue, collections []catalogueCollection) target {
	collections = slices.Clone(collections)
	for i, c := range collections {
		var err error
		if collections[i], err = c.in(cat); err != nil {
			panic(err) // it has the same collections
		}
	}
	return catalogueTarget(empty, cat, collections...)
}
