package etcdstore

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// delete deletes a record and removes its id from lists of references. If there are too
// many of these for a transaction, it only shortens some of them, and the write is to be
// performed again.
func (d *draft) delete(ctx context.Context, key, segment string, params url.Values, condition func(record []byte) error) error {
	c, err := d.house.Collection(key)
	if err != nil {
		return err
	}
	d.read(c)
	referrers := d.referrers(key)
	before := make([]map[int][]byte, len(referrers))
	for i, other := range referrers {
		d.read(other)
		if before[i], err = all(ctx, other); err != nil {
			return err
		}
	}
	if err := c.Delete(ctx, segment, params, condition); err != nil {
		// After other errors, lists in the clone may have changed.
		d.full = len(referrers) > 0 && !errors.Is(err, catalogue.ErrNotFound) && !errors.Is(err, catalogue.ErrReferenced)
		return err
	}
	d.stage(key, schema.ParseID(segment), nil)
	for i, other := range referrers {
		after, err := all(ctx, other)
		if err != nil {
			d.full = true
			return err
		}
		for id, record := range after {
			if !bytes.Equal(record, before[i][id]) {
				d.stage(other.Key(), id, record)
			}
		}
	}
	d.shorten()
	return nil
}

// shorten leaves only some lists of a deletion that is too large for a transaction.
func (d *draft) shorten() {
	size := 0
	for i, s := range d.staged {
		if size += len(s.record); i >= maxOps || size > maxBytes {
			d.staged = slices.Clone(d.staged[1:max(i, 2)]) // without the deletion
			d.again, d.full = true, true
			return
		}
	}
}

// referrers returns the collections with lists of references to a collection.
func (d *draft) referrers(key string) (list []catalogue.AnyCollection) {
	for _, c := range d.house.All() {
		if slices.ContainsFunc(c.Description().Fields, func(f schema.Field) bool { return f.Refers == key }) {
			list = append(list, c)
		}
	}
	return list
}

// all returns all records of a collection by id.
func all(ctx context.Context, c catalogue.AnyCollection) (map[int][]byte, error) {
	list, err := c.List(ctx, catalogue.Query{Window: pagination.Window{Limit: -1}})
	if err != nil {
		return nil, err
	}
	byID := make(map[int][]byte, len(list.Records))
	for _, record := range list.Records {
		r, err := schema.ParseRecord(record)
		if err != nil {
			return nil, err
		}
		byID[r.ID] = record
	}
	return byID, nil
}
