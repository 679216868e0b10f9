package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// record is one of a collection, as the service wrote it.
type record struct {
	id   int
	json json.RawMessage
}

// errWalk is what all errors match that say that the pages do not fit together:
// the service was written to meanwhile, or is wrong. To begin anew may help.
var errWalk = errors.New("the pages do not make a whole")

// fetchAll gives all records of a collection in order of their ids, or an error;
// never some of them. It asks for a page at a time, and ends when ctx does.
//
// It asks in order of id, so that a record which comes twice is seen from the one
// before it. And it believes that all have come only if as many have come as each
// page said there are.
func fetchAll(ctx context.Context, client *http.Client, base, collection string) ([]record, error) {
	first, err := url.Parse(strings.TrimRight(base, "/") + "/api/" + url.PathEscape(collection) + "/?ordering=id")
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
			return nil, fmt.Errorf("%s, behind %d records: %w", collection, len(w.records), err)
		}
	}
	return w.records, nil
}

// walk is what has come so far.
type walk struct {
	list    *url.URL
	count   int
	records []record
}

// add takes a page's records, if they can be the next, and says where to go on;
// nil at the end. Each page that is taken has a record with a greater id, and there
// are no more of them than count: so the walk ends, whatever links there are.
func (w *walk) add(p page) (next *url.URL, err error) {
	if len(w.records) == 0 {
		w.count = *p.Count
	}
	if *p.Count != w.count {
		return nil, fmt.Errorf("%w: there were %d records, and are %d", errWalk, w.count, *p.Count)
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
		return nil, fmt.Errorf("%w: there is more behind %d records", errWalk, w.count)
	case p.Next == nil:
		return nil, nil
	case len(*p.Results) == 0:
		return nil, fmt.Errorf("%w: an empty page in the middle", errWalk)
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
		return fmt.Errorf("%w: record %d comes behind %d", errWalk, r.ID, w.records[n-1].id)
	}
	w.records = append(w.records, record{r.ID, raw})
	return nil
}

// follow reads a link, which must lead to the same list: who follows any sends
// what the service may know to whoever it names.
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
