package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A revision is what a request changes: a record, and records that refer to it.
type revision struct {
	ctx     context.Context
	all     []*core // whose writers' mutexes are held
	deleted map[*core]map[int]*store.Entry
	changed map[*core]map[int]*edit
}

// An edit is a change of an entry in two steps: fresh, which is old at first, and members of fresh.
type edit struct {
	old, fresh *store.Entry
	members    schema.Record
}

// revise calls f with the state of the collection, and with an empty revision that may change all
// records that refer to those of the collection. Then it writes the revision at one instant.
func revise(ctx context.Context, c *core, f func(now current, r *revision) error) error {
	all := referrers(c)
	return c.set.refused(store.Batch(storesOf(all), func(txs []*store.Tx) error {
		r := &revision{ctx, all, map[*core]map[int]*store.Entry{}, map[*core]map[int]*edit{}}
		for _, m := range all {
			r.deleted[m], r.changed[m] = map[int]*store.Entry{}, map[int]*edit{}
		}
		if err := f(txs[slices.Index(all, c)], r); err != nil {
			return err
		}
		for i, m := range all {
			if err := r.write(m, txs[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

// referrers returns the collection, and those whose records are read or changed if one of its
// records is deleted, in the order of the catalogue.
func referrers(c *core) []*core {
	read, deleted := map[*core]bool{c: true}, map[*core]bool{c: true}
	for next := []*core{c}; len(next) > 0; next = next[1:] {
		for m, col := range referring(next[0]) {
			read[m] = true
			if col.OnDelete == schema.Cascade && !deleted[m] {
				deleted[m], next = true, append(next, m)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(c.set.all), func(m *core) bool { return !read[m] })
}

// referring returns the fields of all collections that refer to records of this one.
func referring(c *core) iter.Seq2[*core, *field] {
	return func(yield func(*core, *field) bool) {
		for _, m := range c.set.all {
			for _, f := range m.typ.fields {
				if f.Refers == c.key() && !f.inside && !yield(m, f) {
					return
				}
			}
		}
	}
}

// write writes what changes in a collection. Deletions are last, because what is deleted may have
// changed.
func (r *revision) write(c *core, tx *store.Tx) error {
	for _, id := range slices.Sorted(maps.Keys(r.changed[c])) {
		e := r.changed[c][id]
		if e.members.String() != "{}" {
			fresh, err := c.typ.with(e.fresh, e.members)
			if err != nil {
				return c.typ.invalid(e.old, err)
			}
			if err := c.typ.keep(fresh, recordOf(fresh)); err != nil {
				return c.typ.invalid(e.old, err)
			}
			fresh.ID, e.fresh = id, fresh
		}
		tx.Write(store.Change{Old: e.old, New: e.fresh})
	}
	for _, id := range slices.Sorted(maps.Keys(r.deleted[c])) {
		tx.Write(store.Change{Old: r.deleted[c][id]})
	}
	return nil
}

// remove deletes an entry and what refers to it by a reference that is Cascade, and changes what
// refers to these in another way.
func (r *revision) remove(c *core, e *store.Entry) error {
	r.deleted[c][e.ID] = e
	for level := map[*core][]*store.Entry{c: {e}}; len(level) > 0; {
		next := map[*core][]*store.Entry{}
		for _, to := range r.all {
			if level[to] == nil {
				continue
			}
			for m, col := range referring(to) {
				if col.Kind == schema.References || col.OnDelete == schema.SetNull {
					continue
				}
				gone := targetsOf(to, col, slices.Values(level[to]))
				if err := r.find(m, col, gone, func(by *store.Entry) error {
					of := gone[col.key(by)]
					switch {
					case col.OnDelete == schema.Protect && (m != to || of != by): // a record does not protect itself
						return to.typ.errorf("%s: %w", to.typ.identity.name(of), c.set.errors.reference(referenceFault{m.key(), m.typ.identity.of(by), col.Name}))
					case col.OnDelete == schema.Cascade && r.deleted[m][by.ID] == nil:
						r.deleted[m][by.ID], next[m] = by, append(next[m], by)
					}
					return nil
				}); err != nil {
					return err
				}
			}
		}
		level = next
	}
	for _, to := range r.all {
		for m, col := range referring(to) {
			if len(r.deleted[to]) == 0 || col.Kind != schema.References && col.OnDelete != schema.SetNull {
				continue
			}
			gone := targetsOf(to, col, maps.Values(r.deleted[to]))
			if err := r.find(m, col, gone, func(by *store.Entry) error { return r.replace(m, by, col, gone, "") }); err != nil {
				return err
			}
		}
	}
	return nil
}

// Targets are entries by the sort keys of what refers to them.
type targets map[sortkey.Key]*store.Entry

// targetsOf returns entries by what refers to them in a field of another collection.
func targetsOf(c *core, col *field, entries iter.Seq[*store.Entry]) targets {
	to, key := targets{}, by{c, col.By}.key()
	for e := range entries {
		if k := key(e); k != sortkey.Null() {
			to[k] = e
		}
	}
	return to
}

func (to targets) has(_, k sortkey.Key) bool { return to[k] != nil }

// find calls f with the entries, in the order of their ids, whose field refers to one of the
// targets. It asks the index of the field, unless that is a list or has none.
func (r *revision) find(m *core, col *field, to targets, f func(by *store.Entry) error) error {
	q := store.Query{Terms: []ordering.Term{ordering.Asc(m.typ.identity.number)}, Want: store.WantScan}
	if col.indexed && col.Kind == schema.Reference {
		where := store.Condition{Field: col.name, Ranges: make([]ordering.Range, 0, len(to))}
		for k := range to {
			where.Ranges = append(where.Ranges, ordering.Range{From: k, To: k, ToIncluded: true})
		}
		slices.SortFunc(where.Ranges, func(a, b ordering.Range) int { return a.From.Compare(b.From) })
		q.Where = []store.Condition{where}
	}
	found, err := m.store.Answer(r.ctx, q)
	if err != nil {
		return err
	}
	n, has := 0, to.has
	for e := range found.Scan {
		if n++; n%256 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if q.Where != nil || col.refers(e, has) {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace replaces references of an entry to targets by a text in JSON. If it is empty, a list
// loses them, and another reference becomes null.
func (r *revision) replace(m *core, by *store.Entry, col *field, to targets, text string) (err error) {
	e := r.changed[m][by.ID]
	if e == nil {
		e = &edit{old: by, fresh: by}
		r.changed[m][by.ID] = e
	}
	if !col.refers(e.fresh, to.has) {
		return nil
	}
	if text == "null" && (col.Kind == schema.References || !col.Nullable) {
		return errNotNull
	}
	record, err := m.typ.parsed(e.fresh)
	if err != nil {
		return err
	}
	name, value := col.memberOf(record)
	if col.Kind == schema.Reference {
		value = cmp.Or(text, "null")
	} else {
		list := []byte{'['}
		for item := range jsontext.Elements(value) {
			if to[col.sorted(sortkey.JSON(item))] != nil {
				item = text
			}
			if item != "" && len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, item...)
		}
		value = string(append(list, ']'))
	}
	e.members, err = e.members.With(name, json.RawMessage(value))
	return err
}

// errRenamed is the error of a write of one collection that must change others.
var errRenamed = errors.New("a text changes to which other records refer")

// errNotNull is the error of a text that becomes null while a reference to it cannot.
var errNotNull = errors.New("a reference cannot become null")

// rewrite writes the change of a record that prepare returns, and returns its new entry. If a text
// changes to which other records refer, it calls prepare again, in a batch that changes these, too.
func rewrite(ctx context.Context, c *core, prepare func(now current) (store.Change, error)) (*store.Entry, error) {
	entry, err := c.write(nil, func(now current) (store.Change, error) {
		ch, err := prepare(now)
		if err == nil && slices.ContainsFunc(c.typ.targets, func(f *field) bool { return f.value(ch.Old) != f.value(ch.New) }) {
			err = errRenamed
		}
		return ch, err
	})
	if err != errRenamed {
		return entry, err
	}
	own := &edit{}
	err = revise(ctx, c, func(now current, r *revision) error {
		ch, err := prepare(now)
		if err != nil {
			return err
		}
		own.old, own.fresh = ch.Old, ch.New
		r.changed[c][ch.Old.ID] = own
		record, err := c.typ.parsed(ch.New)
		if err != nil {
			return err
		}
		for m, col := range referring(c) {
			if col.By == "" {
				continue
			}
			of := c.typ.column(col.By)
			if of.value(ch.Old) == of.value(ch.New) {
				continue
			}
			_, text := of.memberOf(record)
			before := targetsOf(c, col, slices.Values([]*store.Entry{ch.Old}))
			err := r.find(m, col, before, func(by *store.Entry) error { return r.replace(m, by, col, before, text) })
			if err == nil && m == c { // the record may refer to its former text
				err = r.replace(c, ch.Old, col, before, text)
			}
			if err == errNotNull {
				err = schema.FieldErrors{{Field: of.Name, Messages: []string{"This field may not be null: records of " + m.key() + " refer to it."}}}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return own.fresh, err
}

// refersInside reports whether there are references inside the values of a field.
func refersInside(f schema.Field) bool {
	return slices.ContainsFunc(everyField(partsOf(f)), func(part schema.Field) bool { return part.Refers != "" })
}

// eachInside calls f for each reference inside a value of a field, which is JSON, with the
// collection to which it refers, its path and its value.
func eachInside(of schema.Field, path, value string, f func(to, path, value string)) {
	each := func(part schema.Field, name, value string) {
		name = path + "__" + name
		switch {
		case part.Refers == "":
			eachInside(part, name, value, f)
		case part.Kind == schema.References:
			for item := range jsontext.Elements(value) {
				f(part.Refers, name, item)
			}
		case value != "null":
			f(part.Refers, name, value)
		}
	}
	n := 0
	for item := range jsontext.Elements(value) { // none unless it is an Array
		each(*of.Item, strconv.Itoa(n), item)
		n++
	}
	for name, value := range jsontext.Members(value) {
		if of.Kind == schema.Map {
			each(*of.Item, name, value)
		}
		if i := slices.IndexFunc(of.Fields, func(f schema.Field) bool { return f.Name == name }); i >= 0 {
			each(of.Fields[i], ordering.Snake(name), value)
		}
	}
}

// everyField returns fields and those inside them, at any depth. Elements have the name of their
// list or map.
func everyField(fields []schema.Field) (all []schema.Field) {
	for _, f := range fields {
		all = append(all, f)
		for _, part := range everyField(partsOf(f)) {
			part.Name = cmp.Or(part.Name, f.Name)
			all = append(all, part)
		}
	}
	return all
}

// partsOf returns the fields that are directly inside a field. That of the elements of a list or
// map has no name.
func partsOf(f schema.Field) []schema.Field {
	if f.Item != nil {
		return []schema.Field{*f.Item}
	}
	return f.Fields
}
