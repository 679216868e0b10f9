package etcdstore

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// create creates a record from the body of a request.
func (d *draft) create(ctx context.Context, key string, body []byte) ([]byte, error) {
	c, err := d.house.Collection(key)
	if err != nil {
		return nil, err
	}
	d.read(c)
	record, err := c.Create(ctx, bytes.Clone(body)) // which may be modified
	if err != nil {
		return nil, err
	}
	r, err := schema.ParseRecord(record)
	if err != nil {
		return nil, err
	}
	d.stage(key, r.ID, record)
	return record, nil
}

// update changes a record as the body of a request specifies.
func (d *draft) update(ctx context.Context, key, segment string, params url.Values, body []byte, partial bool, condition func(record []byte) error) ([]byte, error) {
	c, err := d.house.Collection(key)
	if err != nil {
		return nil, err
	}
	d.read(c)
	record, err := c.Update(ctx, segment, params, bytes.Clone(body), partial, condition)
	if err == nil {
		d.stage(key, schema.ParseID(segment), record)
	}
	return record, err
}

// insert adds a record with an id.
func (d *draft) insert(key string, record []byte) error {
	c, err := d.house.Collection(key)
	if err != nil {
		return err
	}
	r, err := schema.ParseRecord(record)
	if err != nil {
		return err
	}
	if r.ID < 1 {
		return fmt.Errorf("%s: %w: %d", key, catalogue.ErrInvalidID, r.ID)
	}
	ctx, segment := context.Background(), strconv.Itoa(r.ID)
	if _, err := c.Get(ctx, segment, nil); err == nil {
		return fmt.Errorf("%s: id %d: %w", key, r.ID, httpapi.ErrConflict)
	}
	d.read(c)
	apply := d.store.replica.Load().members[key].apply
	if err := apply(d.house, []change{{r.ID, record}}); err != nil {
		return err
	}
	stored, err := c.Get(ctx, segment, nil)
	if err == nil {
		d.stage(key, r.ID, stored)
	}
	return err
}
