package catalogue

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

func (e *encoded[T]) Delete(ctx context.Context, id int, params url.Values) error {
	return e.DeleteIf(ctx, id, params, nil)
}

// DeleteIf is like Delete, but calls check with the JSON of the record and returns its
// error: once before it removes any reference, and again at the instant of the deletion.
// Calls of Update do not come in between, only other writes can. If the second call is the
// first to return an error, ids may have been removed from lists. check must satisfy the
// rules of UpdateIf. Like that, DeleteIf is not part of [Encoded].
func (e *encoded[T]) DeleteIf(ctx context.Context, id int, params url.Values, check func(record []byte) error) error {
	if err := e.permits(schema.Destroy); err != nil {
		return err
	}
	f, err := e.filter(ctx, params)
	if err != nil {
		return err
	}
	referrers := e.house.referrers(e.Key())
	if len(referrers) > 0 {
		e.house.references.Lock()
		defer e.house.references.Unlock()
	}
	old := e.store.Get(id)
	if old == nil || !f.holds(old) {
		return e.notFound(id)
	}
	lists := make([][]int, len(referrers))
	for i, m := range referrers {
		var by *ReferenceError
		if lists[i], by, err = m.referring(ctx, e.Key(), id); err != nil {
			return err
		}
		if by != nil {
			return e.typ.errorf("id %d: %w", id, by)
		}
	}
	if err := e.passes(old, check); err != nil {
		return err
	}
	var own []int
	for i, m := range referrers {
		if m == anyCollection(e) {
			own = lists[i]
		} else if err := m.removeReferences(e.Key(), id, lists[i]); err != nil {
			return err
		}
	}
	return e.remove(id, own, f, check)
}

// remove deletes a record that passes a check, and at the same instant the references to it in the lists of
// other records of the collection.
func (e *encoded[T]) remove(id int, own []int, f filter, check func(record []byte) error) error {
	return e.typ.refused(e.store.Batch(func(tx *store.Tx) error {
		old := tx.Get(id)
		if old == nil || !f.holds(old) {
			return e.notFound(id)
		}
		if err := e.passes(old, check); err != nil {
			return err
		}
		tx.Write(store.Change{Old: old})
		return e.removeIn(tx, e.Key(), id, own)
	}))
}

// referrers returns the collections with fields that refer to the one with the key.
func (c *Catalogue) referrers(key string) (list []anyCollection) {
	for _, m := range c.all {
		if slices.ContainsFunc(m.Description().Fields, func(f schema.Field) bool { return f.Refers == key }) {
			list = append(list, m)
		}
	}
	return list
}

// referring returns the ids of the records with lists that contain a reference to the
// record of the collection with the key, and the first record whose reference it is. That
// record itself is not among them.
func (e *encoded[T]) referring(ctx context.Context, key string, id int) (lists []int, by *ReferenceError, err error) {
	is := func(to int) bool { return to == id }
	all, err := e.store.Scan(ctx, store.Query{Terms: []ordering.Term{ordering.Asc(e.typ.idName)}})
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for entry := range all {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if entry.ID == id && e.Key() == key {
			continue
		}
		for i := range e.columns {
			c := &e.columns[i]
			switch {
			case c.Refers != key || !c.refers(entry, is):
			case c.Kind != schema.References:
				return nil, &ReferenceError{e.Key(), entry.ID, c.Name}, nil
			case len(lists) == 0 || lists[len(lists)-1] != entry.ID:
				lists = append(lists, entry.ID)
			}
		}
	}
	return lists, nil, nil
}

// removeReferences removes the id of a record of the collection with the key from the
// lists of other records.
func (e *encoded[T]) removeReferences(key string, id int, from []int) error {
	return e.typ.refused(e.store.Batch(func(tx *store.Tx) error { return e.removeIn(tx, key, id, from) }))
}

func (e *encoded[T]) removeIn(tx *store.Tx, key string, id int, from []int) error {
	for _, other := range from {
		old := tx.Get(other)
		if old == nil {
			continue
		}
		members, err := e.without(old, key, id)
		if err != nil {
			return err
		}
		record, err := e.typ.decode(members.AppendJSON(nil), nil)
		if err != nil {
			return e.typ.errorf("%w: id %d: %w", ErrInvalid, old.ID, err)
		}
		fresh, err := e.typ.replaced(old, record)
		if err != nil {
			return err
		}
		tx.Write(store.Change{Old: old, New: fresh})
	}
	return nil
}

// without returns the members of an entry, without references to a record in its lists.
func (e *encoded[T]) without(entry *store.Entry, key string, id int) (schema.Record, error) {
	members, err := e.typ.parsed(entry)
	if err != nil {
		return members, err
	}
	for i := range e.columns {
		c := &e.columns[i]
		if c.Kind != schema.References || c.Refers != key {
			continue
		}
		name, value := memberOf(members, c.wire, c.name)
		var list []json.RawMessage
		if json.Unmarshal([]byte(value), &list) != nil || list == nil {
			continue
		}
		list = slices.DeleteFunc(list, func(item json.RawMessage) bool {
			to, ok := referenceIn(string(item))
			return ok && to == id
		})
		if members, err = members.With(name, list); err != nil {
			return members, e.typ.errorf("%w: id %d: %w", ErrInvalid, entry.ID, err)
		}
	}
	return members, nil
}
