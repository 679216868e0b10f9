package client

import (
	"context"
	"iter"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Walk is a whole, verified collection. See the package documentation for what is
// verified.
type Walk struct {
	Collection string   // key
	Records    [][]byte // JSON as received, ordered by id; owned by the caller
	Pages      int      // number of pages read
	From       string   // URL of the list, or the file or HAR entry of its first page
}

// Keys returns the keys of the collections of the service, without those that it does not
// list. O(collections).
func (c *Client) Keys() []string {
	var keys []string
	for _, about := range c.service.all() {
		if about.Actions.Has(schema.List) {
			keys = append(keys, about.Key)
		}
	}
	return keys
}

// serving returns a client of the same service with the collections of a catalogue, or c
// if it has its own.
func (c *Client) serving(house *catalogue.Catalogue) *Client {
	if c.service.collections != nil {
		return c
	}
	other := *c
	other.service.collections = collectionsOf(house)
	return &other
}

// All returns an iterator over the records of a collection, ordered by id, as the JSON
// received. It yields the records of a page after verifying that the page continues
// the one before. On the first error it yields a nil record and the error, and stops.
// The collection is known to be complete only after the iteration has ended without
// an error; [Client.Walk] returns records only in that case.
//
// The errors are those of this package, [catalogue.ErrUnknownCollection], and that of
// ctx, which is observed while waiting and while reading. Each iteration starts again
// from the first record. It requests (n-1)/(page size-1) pages and holds one at a
// time.
func (c *Client) All(ctx context.Context, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for records, err := range c.pages(ctx, key) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range records {
				if !yield(r.json, nil) {
					return
				}
			}
		}
	}
}

// Walk returns a whole collection, or the error of [Client.All]. It holds all records
// in memory.
func (c *Client) Walk(ctx context.Context, key string) (Walk, error) {
	w := Walk{Collection: key}
	for records, err := range c.pages(ctx, key) {
		if err != nil {
			return Walk{}, err
		}
		w.Pages++
		for _, r := range records {
			w.Records = append(w.Records, r.json)
		}
	}
	about, err := c.service.lookup(key)
	w.From = c.list(about)
	return w, err
}

// list returns the URL of a collection.
func (c *Client) list(about schema.Description) string {
	return c.base + c.service.pathOf(about)
}

// pages yields the new records of each page of a walk.
func (c *Client) pages(ctx context.Context, key string) iter.Seq2[[]record, error] {
	return func(yield func([]record, error) bool) {
		about, err := c.service.lookup(key)
		if err != nil {
			yield(nil, err)
			return
		}
		p := proof{limit: c.opts.PageSize, most: c.opts.MaxRecords}
		for more := true; more; more = p.more() {
			url := c.list(about) + p.query()
			records, err := c.page(ctx, url, &p)
			if err != nil {
				err = p.locate(key, url, err)
			}
			if !yield(records, err) || err != nil {
				return
			}
		}
	}
}

// page requests the next page and returns its new records.
func (c *Client) page(ctx context.Context, url string, p *proof) ([]record, error) {
	body, err := c.get(ctx, url)
	if err != nil {
		return nil, err
	}
	got, err := parsePage(body)
	if err != nil {
		return nil, err
	}
	got.name = url
	return p.take(got)
}

// query returns the query of the next page.
func (p *proof) query() string {
	q := "?limit=" + strconv.Itoa(p.limit) // sorted by name, as in links
	if offset := p.offset(); offset > 0 {
		q += "&offset=" + strconv.Itoa(offset)
	}
	return q + "&ordering=id"
}
