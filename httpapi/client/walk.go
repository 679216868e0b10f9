package client

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// A Walk is a whole collection, proven: see the package's documentation.
type Walk struct {
	Collection string   // key
	Records    [][]byte // wire form as it came, by id; the caller's
	Pages      int      // how many it was read from
	From       string   // URL of the list, or where it was recorded
}

// Keys are those of all 39 collections. O(1).
func (c *Client) Keys() []string {
	var keys []string
	for _, about := range resources.Descriptions() {
		keys = append(keys, about.Key)
	}
	return keys
}

// All yields the records of a collection, by id, in wire form as they came: each
// when its page was read and joined the one before. At the first error it yields
// that, with a nil record, and ends. Only who has seen all, without an error, has
// the proof; [Client.Walk] gives nothing without.
//
// The errors are those of this package, [catalogue.ErrUnknownCollection], and the
// context's, which it obeys while it waits and while it reads. It asks when it is
// ranged over, from the beginning each time, for (n-1)/(page size-1) pages, of which
// it holds one.
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

// Walk gives a whole collection, or the error of [Client.All]. It holds all of it.
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
	about, _ := resources.Lookup(key)
	w.From = c.list(about)
	return w, nil
}

// list is the URL of a collection.
func (c *Client) list(about resources.Description) string {
	return c.base + "/api/" + about.Segment + "/"
}

// pages yields what is new on each page of a walk.
func (c *Client) pages(ctx context.Context, key string) iter.Seq2[[]record, error] {
	return func(yield func([]record, error) bool) {
		about, ok := resources.Lookup(key)
		if !ok {
			yield(nil, fmt.Errorf("client: %w: %q", catalogue.ErrUnknownCollection, key))
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

// page asks for a page and gives what is new on it.
func (c *Client) page(ctx context.Context, url string, p *proof) ([]record, error) {
	body, err := c.get(ctx, url)
	if err != nil {
		return nil, err
	}
	answer, err := parsePage(body)
	if err != nil {
		return nil, err
	}
	answer.name = url
	return p.take(answer)
}

// query is what the next page of the walk is asked for with.
func (p *proof) query() string {
	q := "?limit=" + strconv.Itoa(p.limit) // as links write it: sorted by name
	if offset := p.offset(); offset > 0 {
		q += "&offset=" + strconv.Itoa(offset)
	}
	return q + "&ordering=id"
}
