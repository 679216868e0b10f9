package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A revision is what a request changes: a record, and records that refer to it.
type revision struct {
	ctx     context.Context
	txs     map[*Collection]*store.Tx
	changed map[*Collection]map[int]*edit // by the ids of entries
}

// An edit is a change of an entry in two steps: fresh, which may be the entry, and members of fresh.
type edit struct {
	fresh   *store.Entry
	members schema.Record
}

// revise calls f with the state of the collection, and with an empty revision that may change all
// records that refer to those of the collection. Then it writes the revision at one instant.
func revise(ctx context.Context, c *Collection, f func(now layout.Current, r *revision) error) error {
	all := referrers(c)
	return c.Set.refused(store.Batch(storesOf(all), func(txs []*store.Tx) error {
		r := &revision{ctx, map[*Collection]*store.Tx{}, map[*Collection]map[int]*edit{}}
		for i, m := range all {
			r.txs[m], r.changed[m] = txs[i], map[int]*edit{}
		}
		if err := f(r.txs[c], r); err != nil {
			return err
		}
		for _, m := range all {
			if err := r.write(m); err != nil {
				return err
			}
		}
		return nil
	}))
}

// referrers returns the collection, and those whose records are read or changed if one of its
// records is deleted, in the order of the catalogue.
func referrers(c *Collection) []*Collection {
	read, deleted := map[*Collection]bool{c: true}, map[*Collection]bool{c: true}
	for next := []*Collection{c}; len(next) > 0; next = next[1:] {
		for m, col := range referring(next[0]) {
			read[m] = true
			if col.OnDelete == schema.Cascade && !deleted[m] {
				deleted[m], next = true, append(next, m)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(c.Set.All), func(m *Collection) bool { return !read[m] })
}

// write writes the edits of a collection.
func (r *revision) write(c *Collection) error {
	for _, id := range slices.Sorted(maps.Keys(r.changed[c])) {
		e, old := r.changed[c][id], r.txs[c].Get(id)
		if e.members.String() != "{}" {
			fresh, err := c.Type.With(e.fresh, e.members)
			if err == nil {
				err = c.Type.Keep(fresh, layout.RecordOf(fresh))
			}
			if err != nil {
				return c.Type.Invalid(old, err)
			}
			fresh.ID, e.fresh = id, fresh
		}
		r.txs[c].Write(store.Change{Old: old, New: e.fresh})
	}
	return nil
}

// remove deletes an entry and what refers to it by a reference that is Cascade, and changes what
// refers to these in another way.
func (r *revision) remove(c *Collection, e *store.Entry) error {
	r.txs[c].Write(store.Change{Old: e})
	return dependents(r.ctx, c, e, func(d dependent) error {
		switch d.does {
		case schema.Protect:
			of := d.to[d.col.Engine.Key(d.entry)]
			left := RecordError{Collection: d.of.Key(), Identity: d.of.Type.Identity.Of(d.entry), Field: d.col.Name, Err: d.on.dangling(d.on.Type.Identity.Of(of))}
			return d.on.Type.Errorf("%s: %w: %w", d.on.Type.Identity.Name(of), ErrReferenced, c.Set.errors.Violations([]RecordError{left}))
		case schema.Cascade:
			r.txs[d.of].Write(store.Change{Old: d.entry})
			return nil
		}
		return r.replace(d.of, d.entry, d.col, d.to, "")
	})
}

// A dependent is an entry that refers to entries that a deletion deletes, and what happens to it:
// lists lose items as other references become null.
type dependent struct {
	of    *Collection
	entry *store.Entry
	col   *layout.Field
	on    *Collection // of the targets
	to    targets
	does  schema.OnDelete
}

// dependents calls f with what the deletion of an entry does to others, level by level: first with
// those that prevent it or are deleted, and then with those that stay and lose references. An entry
// that refers in several fields is deleted once, but can prevent or lose more than once.
func dependents(ctx context.Context, c *Collection, e *store.Entry, f func(d dependent) error) error {
	// each calls f with the entries that refer to some others, and either stay or do not.
	each := func(others map[*Collection][]*store.Entry, stay bool, f func(d dependent) error) error {
		for _, to := range c.Set.All {
			for m, col := range referring(to) {
				if others[to] == nil || stay != (col.Kind == schema.References || col.OnDelete == schema.SetNull) {
					continue
				}
				gone := targetsOf(to, col, others[to]...)
				if err := find(ctx, m, col, gone, func(by *store.Entry) error {
					return f(dependent{m, by, col, to, gone, col.OnDelete})
				}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	deleted, all := map[*store.Entry]bool{e: true}, map[*Collection][]*store.Entry{c: {e}}
	for level := map[*Collection][]*store.Entry{c: {e}}; len(level) > 0; {
		next := map[*Collection][]*store.Entry{}
		if err := each(level, false, func(d dependent) error {
			switch {
			case d.does == schema.Cascade && deleted[d.entry]:
				return nil
			case d.does == schema.Cascade:
				deleted[d.entry] = true
				next[d.of], all[d.of] = append(next[d.of], d.entry), append(all[d.of], d.entry)
			case d.of == d.on && d.to[d.col.Engine.Key(d.entry)] == d.entry: // a record does not protect itself
				return nil
			}
			return f(d)
		}); err != nil {
			return err
		}
		level = next
	}
	return each(all, true, func(d dependent) error {
		if deleted[d.entry] {
			return nil
		}
		d.does = schema.SetNull
		return f(d)
	})
}

// Targets are entries by the sort keys of what refers to them.
type targets map[sortkey.Key]*store.Entry

// targetsOf returns entries by what refers to them in a field of another collection.
func targetsOf(c *Collection, col *layout.Field, entries ...*store.Entry) targets {
	to, key := targets{}, by{c, col.By}.key()
	for _, e := range entries {
		if k := key(e); k != sortkey.Null() {
			to[k] = e
		}
	}
	return to
}

func (to targets) has(_, k sortkey.Key) bool { return to[k] != nil }

// find calls f with the entries, in the order of their ids, whose field refers to one of the
// targets. It asks the index of the field, unless that is a list or has none.
func find(ctx context.Context, m *Collection, col *layout.Field, to targets, f func(by *store.Entry) error) error {
	q := store.Query{Terms: []ordering.Term{ordering.Asc(m.Type.Identity.Number)}, Want: store.WantScan}
	if col.Indexed && col.Kind == schema.Reference {
		where := store.Condition{Field: col.Snake, Ranges: make([]ordering.Range, 0, len(to))}
		for k := range to {
			where.Ranges = append(where.Ranges, ordering.Range{From: k, To: k, ToIncluded: true})
		}
		slices.SortFunc(where.Ranges, func(a, b ordering.Range) int { return a.From.Compare(b.From) })
		q.Where = []store.Condition{where}
	}
	found, err := m.Store.Answer(ctx, q)
	if err != nil {
		return err
	}
	n, has := 0, to.has
	for e := range found.Scan {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if q.Where != nil || col.AnyReference(e, has) {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace replaces references of an entry to targets by a text in JSON. If the text is empty, a
// list loses them, and another reference becomes null.
func (r *revision) replace(m *Collection, by *store.Entry, col *layout.Field, to targets, text string) (err error) {
	e := cmp.Or(r.changed[m][by.ID], &edit{fresh: by})
	if !col.AnyReference(e.fresh, to.has) {
		return nil
	}
	r.changed[m][by.ID] = e
	if text == "null" && (col.Kind == schema.References || !col.Nullable) {
		return errNotNull
	}
	record, err := m.Type.Parsed(e.fresh)
	if err != nil {
		return err
	}
	name, value := col.MemberOf(record)
	if col.Kind == schema.Reference {
		value = cmp.Or(text, "null")
	} else {
		list := []byte{'['}
		for item := range jsontext.Elements(value) {
			if to[col.Sorted(sortkey.JSON(item))] != nil {
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

// errNotNull is the error of a text that becomes null while a reference to it cannot.
var errNotNull = errors.New("a reference cannot become null")
