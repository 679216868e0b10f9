package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// record is a record with the JSON that the service sent.
type record struct {
	id   int
	json json.RawMessage
}

// errWalk is wrapped by the error if the pages are inconsistent, because the service was
// written to during the walk or has a fault. Another attempt may succeed.
var errWalk = errors.New("inconsistent pages")

// fetchAll returns all records of a collection in the order of their ids. The collection
// is given by its path segment and the URL of the root listing, which ends in a slash. If
// fetchAll cannot read all records, it returns none and an error.
//
// It requests one page after another, ordered by id, so the id of a repeated record is
// not greater than the id before it. The walk is complete if the number of records read
// equals the count, which must be the same on every page.
func fetchAll(ctx context.Context, client *http.Client, root, collection string) ([]record, error) {
	first, err := url.Parse(root + url.PathEscape(collection) + "/?ordering=id")
	if err != nil {
		return nil, err
	}
	w := walk{list: first}
	client = withoutRedirects(client)
	for at := first; at != nil; {
		p, err := get(ctx, client, at)
		if err == nil {
			at, err = w.add(p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, after %d records: %w", collection, len(w.records), err)
		}
	}
	return w.records, nil
}

// walk is the state of a walk over pages.
type walk struct {
	list    *url.URL
	count   int
	records []record
}

// add appends the records of a page and returns the URL of the following page, or nil at
// the end. Every page except the last must add a record with a greater id, and there are
// at most count records, so every walk ends.
func (w *walk) add(p page) (next *url.URL, err error) {
	if len(w.records) == 0 {
		w.count = *p.Count
	}
	if *p.Count != w.count {
		return nil, fmt.Errorf("%w: the count was %d and is %d", errWalk, w.count, *p.Count)
	}
	for _, raw := range *p.Results {
		if err := w.addRecord(raw); err != nil {
			return nil, err
		}
	}
	switch n := len(w.records); {
	case p.Next == nil && n < w.count:
		return nil, fmt.Errorf("%w: %d of %d records are missing", errWalk, w.count-n, w.count)
	case n > w.count || n == w.count && p.Next != nil:
		return nil, fmt.Errorf("%w: more than %d records", errWalk, w.count)
	case p.Next == nil:
		return nil, nil
	case len(*p.Results) == 0:
		return nil, fmt.Errorf("%w: an empty page before the last", errWalk)
	}
	return w.follow(*p.Next)
}

func (w *walk) addRecord(raw json.RawMessage) error {
	var r struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	if n := len(w.records); n > 0 && w.records[n-1].id >= r.ID {
		return fmt.Errorf("%w: record %d comes after %d", errWalk, r.ID, w.records[n-1].id)
	}
	w.records = append(w.records, record{r.ID, raw})
	return nil
}

// follow parses a link. It returns an error if the link leads to another list, because
// the client might send credentials with the next request.
func (w *walk) follow(link string) (*url.URL, error) {
	next, err := url.Parse(link)
	if err != nil {
		return nil, err
	}
	if next.Scheme != w.list.Scheme || next.Host != w.list.Host || next.Path != w.list.Path {
		return nil, fmt.Errorf("%w: next leads to %s", errWalk, next.Redacted())
	}
	return next, nil
}
