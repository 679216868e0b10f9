package client

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Imported is the result of [Client.Import] for one collection.
type Imported struct {
	Collection string // key
	Records    int    // number of records read
	Err        error  // nil if the collection was loaded
}

// Import returns an iterator that replaces collections of a catalogue with the service's, and
// yields the result for each. If no keys are given, it imports all collections of the
// service, in the order of [Client.Keys], but those that the catalogue does not list.
//
// A collection is loaded once all of it has been read and verified. Its records are
// replaced in one step: concurrent readers see either the old or the new records. If a
// collection cannot be read or loaded, it keeps its records and the import continues,
// because a service may deny access to some collections. The iteration ends after an error
// that wraps [ErrUnavailable], and after the first error when ctx is done.
//
// The error is one that [Client.All] yields, wraps [catalogue.ErrUnknownCollection] if the
// catalogue does not have the collection, or is a [catalogue.RecordError] if it rejects a
// record. If Keys fails, there is one result, with its error and no collection.
func (c *Client) Import(ctx context.Context, into *catalogue.Catalogue, keys ...string) iter.Seq[Imported] {
	return func(yield func(Imported) bool) {
		if len(keys) == 0 {
			all, err := c.Keys(ctx)
			if err != nil {
				yield(Imported{Err: err})
				return
			}
			keys = slices.DeleteFunc(all, func(key string) bool {
				c, err := into.Collection(key)
				return err == nil && !c.Description().Actions.Has(schema.List)
			})
		}
		for _, key := range keys {
			result := c.importOne(ctx, into, key)
			if !yield(result) || errors.Is(result.Err, ErrUnavailable) || result.Err != nil && ctx.Err() != nil {
				return
			}
		}
	}
}

// importOne replaces the records of a collection.
func (c *Client) importOne(ctx context.Context, into *catalogue.Catalogue, key string) Imported {
	collection, err := into.Collection(key)
	if err != nil {
		return Imported{Collection: key, Err: err}
	}
	result, list := Imported{Collection: key}, []byte{'['}
	for records, err := range c.pages(ctx, key, keyOf(collection.Description())) {
		if err != nil {
			return Imported{Collection: key, Err: err}
		}
		for _, r := range records {
			if result.Records > 0 {
				list = append(list, ',')
			}
			list = append(list, r.json...)
			result.Records++
		}
	}
	result.Err = collection.Load(bytes.NewReader(append(list, ']')), catalogue.LoadOptions{})
	return result
}
