// Package walk reads whole collections of a running service. It uses only the standard library and
// passes every check of clienttest.VerifyClient.
package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
)

// A Record is a record with the JSON that the service sent.
type Record struct {
	ID   int
	JSON json.RawMessage
}

// ErrInconsistent is wrapped by the error if the pages are inconsistent, because the service was
// written to during the walk or has a fault. Another attempt may succeed.
var ErrInconsistent = errors.New("inconsistent pages")

// All returns all records of the collection with a path segment, in the order of their ids. If it
// cannot read all records, it returns none and an error.
//
// It requests one page after another, ordered by id. Each page begins with the last record
// of the page before it. If that record is still there, the number of records before it
// has not changed, and those after it are the next ones. So the result has every record
// that existed throughout, even if others are inserted or deleted meanwhile. It follows no
// links: they might lead back, or to another host.
func (s *Service) All(ctx context.Context, segment string) ([]Record, error) {
	list := s.Root + url.PathEscape(segment) + "/?ordering=id"
	if s.Size > 0 {
		list += fmt.Sprintf("&limit=%d", s.Size)
	}
	var w walk
	for done := false; !done; {
		var p page
		err := s.get(ctx, fmt.Sprintf("%s&offset=%d", list, max(len(w.records)-1, 0)), &p)
		if err == nil {
			done, err = w.add(p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, after %d records: %w", segment, len(w.records), err)
		}
	}
	return w.records, nil
}

// walk is the state of a walk over pages.
type walk struct {
	count   int
	records []Record
}

// add appends the records of a page, and reports whether it is the last one. Every page
// except the last must add a record with a greater id, and there are at most count
// records, so every walk ends.
func (w *walk) add(p page) (last bool, err error) {
	if p.Count == nil || p.Results == nil {
		return false, errors.New("not a page")
	}
	before := len(w.records)
	if before == 0 {
		w.count = *p.Count
	}
	if *p.Count != w.count {
		return false, fmt.Errorf("%w: the count was %d and is %d", ErrInconsistent, w.count, *p.Count)
	}
	for i, raw := range *p.Results {
		if err := w.addRecord(raw, i == 0 && before > 0); err != nil {
			return false, err
		}
	}
	switch n := len(w.records); {
	case p.Next == nil && n < w.count:
		return false, fmt.Errorf("%w: %d of %d records are missing", ErrInconsistent, w.count-n, w.count)
	case n > w.count || n == w.count && p.Next != nil:
		return false, fmt.Errorf("%w: more than %d records", ErrInconsistent, w.count)
	case p.Next != nil && n == before:
		return false, fmt.Errorf("%w: a page without further records before the last", ErrInconsistent)
	}
	return p.Next == nil, nil
}

// addRecord appends a record, or checks that it is the last one if it has been read before.
func (w *walk) addRecord(raw json.RawMessage, known bool) error {
	var r struct {
		ID *int `json:"id"`
	}
	if json.Unmarshal(raw, &r) != nil || r.ID == nil {
		return fmt.Errorf("a record without a number as its id: %.200s", raw)
	}
	n, id := len(w.records), *r.ID
	switch {
	case known && w.records[n-1].ID == id:
		return nil
	case known:
		return fmt.Errorf("%w: record %d in place of %d", ErrInconsistent, id, w.records[n-1].ID)
	case n > 0 && w.records[n-1].ID >= id:
		return fmt.Errorf("%w: record %d comes after %d", ErrInconsistent, id, w.records[n-1].ID)
	}
	w.records = append(w.records, Record{id, raw})
	return nil
}
