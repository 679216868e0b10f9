package etcdstore

import (
	"context"
	"net/url"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A collection implements the interfaces of package httpapi. Reads are those of the
// replica, after it has all earlier writes.
type collection struct {
	store *Store
	key   string
}

// member returns the collection of the current replica.
func (c *collection) member() *member { return c.store.replica.Load().members[c.key] }

func (c *collection) Description() schema.Description { return c.member().Description() }

func (c *collection) Fields(ctx context.Context) ([]string, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return nil, err
	}
	return c.member().Fields(ctx)
}

// Revision returns the revision of etcd of the last write to the collection.
func (c *collection) Revision(ctx context.Context) (uint64, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, err
	}
	return c.member().revision(), nil
}

func (c *collection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, nil, err
	}
	return c.member().Page(ctx, w, terms)
}

func (c *collection) PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, nil, err
	}
	return c.member().Encoded.(httpapi.LenientPager).PageLenient(ctx, w, terms)
}

func (c *collection) PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, nil, err
	}
	return c.member().PageWhere(ctx, params, w, terms)
}

func (c *collection) Get(ctx context.Context, id int, params url.Values) ([]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return nil, err
	}
	return c.member().Get(ctx, id, params)
}

func (c *collection) Create(ctx context.Context, body []byte) (record []byte, err error) {
	err = c.store.write(ctx, func(ctx context.Context, d *draft) (err error) {
		record, err = d.create(ctx, c.key, body)
		return err
	})
	return record, err
}

func (c *collection) Update(ctx context.Context, id int, params url.Values, body []byte, partial bool) (record []byte, err error) {
	err = c.store.write(ctx, func(ctx context.Context, d *draft) (err error) {
		record, err = d.update(ctx, c.key, id, params, body, partial)
		return err
	})
	return record, err
}

func (c *collection) Delete(ctx context.Context, id int, params url.Values) error {
	return c.store.write(ctx, func(ctx context.Context, d *draft) error {
		return d.delete(ctx, c.key, id, params)
	})
}

// Insert adds a record in its JSON form, with its id, to the collection with a key. The
// error wraps [httpapi.ErrConflict] if the id is in use; otherwise it is that of a Create
// through package httpapi, or wraps [catalogue.ErrUnknownCollection]. Only the types of
// the members and unique values are checked. To add many records, use [Store.Load].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	return s.write(ctx, func(_ context.Context, d *draft) error { return d.insert(key, record) })
}
