package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Set is a set of collections.
type Set struct {
	All      []*Collection // in the order of the definitions
	byKey    map[string]int
	readOnly bool // a snapshot
	cores    store.Cores
	errors   *Errors
}

// NewSet returns a set without collections; [Define] adds them, and Complete ends that.
func NewSet(errors *Errors) *Set {
	return &Set{byKey: map[string]int{}, cores: store.NewCores(), errors: errors}
}

// Lookup returns the collection with a key.
func (c *Set) Lookup(key string) (*Collection, error) {
	i, ok := c.byKey[key]
	if !ok {
		return nil, fmt.Errorf("catalogue: %w", c.unknown(key))
	}
	return c.All[i], nil
}

// unknown returns the error for an unknown key.
func (c *Set) unknown(key string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownCollection, key, layout.Suggest(key, c.All, (*Collection).Key))
}

// Clone returns a set with the current states of the collections, of one instant.
func (c *Set) Clone(readOnly bool) *Set {
	clone := &Set{byKey: c.byKey, All: make([]*Collection, len(c.All)), readOnly: readOnly, errors: c.errors}
	stores := store.Clone(storesOf(c.All)...)
	for i, m := range c.All {
		clone.All[i] = newMember(clone, m.Type, stores[i])
	}
	return clone
}

// Batch calls f with a transaction for each collection, and then makes their changes visible at one
// instant.
func (c *Set) Batch(f func(txs []*store.Tx) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	return c.refused(store.Batch(storesOf(c.All), f))
}

// writable returns an error if the catalogue is a snapshot.
func (c *Set) writable() error {
	if c.readOnly {
		return fmt.Errorf("catalogue: %w: it is a snapshot", ErrReadOnly)
	}
	return nil
}

// refused returns the error of a write that the stores refused. It names the values that two
// records would have.
func (c *Set) refused(err error) error {
	d, ok := err.(*store.Duplicate) // not errors.As: the program's errors may wrap that of another catalogue
	if !ok {
		return err
	}
	s := c.of(d.Store).Type
	return s.Errorf("%w", s.duplicate(d.Entry, d.Fields, s.Identity.Name(d.Other)))
}

// of returns the collection with the given store.
func (c *Set) of(s *store.Store) *Collection {
	return c.All[slices.IndexFunc(c.All, func(m *Collection) bool { return m.Store == s })]
}

// storesOf returns the stores of collections, in the same order for all catalogues: package
// store requires that.
func storesOf(all []*Collection) []*store.Store {
	list := make([]*store.Store, len(all))
	for i, m := range all {
		list[i] = m.Store
	}
	return list
}

// Find returns the id of the record of a collection that has a text in a field, and the text that it
// has. The field is a unique text, or id.
func (c *Set) Find(ctx context.Context, key, field, text string) (id int, stored string, err error) {
	m, err := c.Lookup(key)
	if err != nil {
		return 0, "", ctx.Err()
	}
	var e *store.Entry
	if field == "id" && m.Type.Identity.Key == nil {
		e = m.Store.Get(schema.ParseID(text))
	} else if e = holder(m.Store, m.Type.Text(field), text); e != nil {
		stored, _ = m.Type.Column(field).JSONKey(e).AsText()
	}
	if e == nil {
		return 0, "", ctx.Err()
	}
	return e.ID, stored, ctx.Err()
}
