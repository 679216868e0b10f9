package etcdstore

import (
	"context"
	"net/url"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A collection implements the interfaces of package httpapi. Reads are those of the
// replica, after it has all earlier writes.
type collection struct {
	store *Store
	key   string
}

// member returns the collection of the current replica.
func (c *collection) member() *member { return c.store.replica.Load().members[c.key] }

// Description does not wait for earlier writes through other stores.
func (c *collection) Description() schema.Description { return c.member().Description() }

// Revision returns the revision of etcd of the last write to the collection.
func (c *collection) Revision(ctx context.Context) (uint64, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, err
	}
	return c.member().revision(), nil
}

func (c *collection) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return catalogue.List{}, err
	}
	return c.member().List(ctx, q)
}

func (c *collection) Get(ctx context.Context, segment string, params url.Values) ([]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return nil, err
	}
	return c.member().Get(ctx, segment, params)
}

func (c *collection) Create(ctx context.Context, body []byte) (record []byte, err error) {
	err = c.store.write(ctx, func(ctx context.Context, d *draft) (err error) {
		record, err = d.create(ctx, c.key, body)
		return err
	})
	return record, err
}

// Update calls condition in each attempt. The transaction of the last one fails if the
// record that condition was called with is no longer the current one.
func (c *collection) Update(ctx context.Context, segment string, params url.Values, body []byte, partial bool, condition func(record []byte) error) (record []byte, err error) {
	err = c.store.write(ctx, func(ctx context.Context, d *draft) (err error) {
		record, err = d.update(ctx, c.key, segment, params, body, partial, condition)
		return err
	})
	return record, err
}

// Delete calls condition as Update does. A deletion in several transactions calls it for
// each: if a later call is the first to return an error, lists may already be shorter.
func (c *collection) Delete(ctx context.Context, segment string, params url.Values, condition func(record []byte) error) error {
	return c.store.write(ctx, func(ctx context.Context, d *draft) error {
		return d.delete(ctx, c.key, segment, params, condition)
	})
}

// Insert adds a record in its JSON form, with its id, to the collection with a key. The
// error wraps [httpapi.ErrConflict] if the id is in use; otherwise it is that of a Create
// through package httpapi, or wraps [catalogue.ErrUnknownCollection]. Only the types of
// the members and unique values are checked. To add many records, use [Store.Load].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	return s.write(ctx, func(_ context.Context, d *draft) error { return d.insert(key, record) })
}
