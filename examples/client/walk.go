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
// It requests one page after another, ordered by id. Each page begins with the last record
// of the page before it. If that record is still there, the number of records before it
// has not changed, and those after it are the next ones. So the result has every record
// that existed throughout, even if others are inserted or deleted meanwhile. It follows no
// links: they might lead back, or to another host.
func fetchAll(ctx context.Context, client *http.Client, root, collection string) ([]record, error) {
	list := root + url.PathEscape(collection) + "/?ordering=id"
	client = withoutRedirects(client)
	var w walk
	for done := false; !done; {
		p, err := get(ctx, client, fmt.Sprintf("%s&offset=%d", list, max(len(w.records)-1, 0)))
		if err == nil {
			done, err = w.add(p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, after %d records: %w", collection, len(w.records), err)
		}
	}
	return w.records, nil
}

// walk is the state of a walk over pages.
type walk struct {
	count   int
	records []record
}

// add appends the records of a page, and reports whether it is the last one. Every page
// except the last must add a record with a greater id, and there are at most count
// records, so every walk ends.
func (w *walk) add(p page) (last bool, err error) {
	before := len(w.records)
	if before == 0 {
		w.count = *p.Count
	}
	if *p.Count != w.count {
		return false, fmt.Errorf("%w: the count was %d and is %d", errWalk, w.count, *p.Count)
	}
	for i, raw := range *p.Results {
		if err := w.addRecord(raw, i == 0 && before > 0); err != nil {
			return false, err
		}
	}
	switch n := len(w.records); {
	case p.Next == nil && n < w.count:
		return false, fmt.Errorf("%w: %d of %d records are missing", errWalk, w.count-n, w.count)
	case n > w.count || n == w.count && p.Next != nil:
		return false, fmt.Errorf("%w: more than %d records", errWalk, w.count)
	case p.Next != nil && n == before:
		return false, fmt.Errorf("%w: a page without further records before the last", errWalk)
	}
	return p.Next == nil, nil
}

// addRecord appends a record, or checks that it is the last one if it has been read before.
func (w *walk) addRecord(raw json.RawMessage, known bool) error {
	var r struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	n := len(w.records)
	switch {
	case known && w.records[n-1].id == r.ID:
		return nil
	case known:
		return fmt.Errorf("%w: record %d in place of %d", errWalk, r.ID, w.records[n-1].id)
	case n > 0 && w.records[n-1].id >= r.ID:
		return fmt.Errorf("%w: record %d comes after %d", errWalk, r.ID, w.records[n-1].id)
	}
	w.records = append(w.records, record{r.ID, raw})
	return nil
}
