package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Recording holds the recorded pages of a service, as read by [ReadFiles] or
// [ReadHAR]. It is immutable and safe for concurrent use. The zero Recording is
// empty.
type Recording struct {
	service service
	lists   []list // in the order of their first pages
}

// list holds the pages recorded of one URL, ignoring limit and offset.
type list struct {
	key, url string // url is empty if it is unknown and the pages have no links
	pages    []page
}

// add adds a page to its list.
func (r *Recording) add(key, url string, p page) {
	same := func(l list) bool { return l.key == key && l.url == url }
	i := slices.IndexFunc(r.lists, same)
	if i < 0 {
		i = len(r.lists)
		r.lists = append(r.lists, list{key: key, url: url})
	}
	r.lists[i].pages = append(r.lists[i].pages, p)
}

// Keys returns the keys of the collections with recorded pages, in the order of the
// service.
func (r *Recording) Keys() []string {
	var keys []string
	for _, about := range r.service.all() {
		if slices.ContainsFunc(r.lists, func(l list) bool { return l.key == about.Key }) {
			keys = append(keys, about.Key)
		}
	}
	return keys
}

// Walk returns a collection if all its pages were recorded. See the package
// documentation for what is verified.
//
// If several lists of the collection were recorded, in different orders or from
// different hosts, Walk returns the last one that is complete. If none is, it returns
// the errors of all of them, joined. It returns an error wrapping [ErrGap] if no page
// was recorded, [catalogue.ErrUnknownCollection] if there is no such collection, and
// the error of ctx if it is done. O(n log n).
func (r *Recording) Walk(ctx context.Context, key string) (Walk, error) {
	if err := ctx.Err(); err != nil {
		return Walk{}, err
	}
	if _, err := r.service.lookup(key); err != nil {
		return Walk{}, err
	}
	var failed []error
	for _, l := range slices.Backward(r.lists) {
		if l.key != key {
			continue
		}
		walk, err := l.walk()
		if err == nil {
			return walk, nil
		}
		failed = append(failed, err)
	}
	if failed == nil {
		return Walk{}, fmt.Errorf("%s: %w: no page was recorded", key, ErrGap)
	}
	slices.Reverse(failed)
	return Walk{}, errors.Join(failed...)
}

// walk returns the list if it is complete.
func (l list) walk() (Walk, error) {
	pages := slices.Clone(l.pages)
	slices.SortStableFunc(pages, func(a, b page) int { return cmp.Compare(a.offset, b.offset) })
	var records []record
	for _, p := range pages {
		fresh, err := l.join(records, p, pages[0])
		if err != nil {
			return Walk{}, err
		}
		records = append(records, fresh...)
	}
	last := pages[len(pages)-1]
	if n := pages[0].count - len(records); n > 0 {
		return Walk{}, l.fail(last, len(records), fmt.Errorf("%w: %d records are to come", ErrGap, n))
	}
	if err := l.distinct(records, pages); err != nil {
		return Walk{}, err
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.id, b.id) })
	w := Walk{Collection: l.key, Pages: len(pages), From: pages[0].name}
	for _, r := range records {
		w.Records = append(w.Records, bytes.Clone(r.json))
	}
	return w, nil
}

// join returns the records of p that follow those in before. The pages may overlap.
func (l list) join(before []record, p, first page) ([]record, error) {
	n := len(before)
	switch {
	case p.count != first.count:
		return nil, l.fail(p, p.offset, fmt.Errorf("%w: the count is %d, but %d in %s", ErrChanged, p.count, first.count, first.name))
	case p.offset > n:
		return nil, l.fail(p, n, fmt.Errorf("%w: the next page starts at %d", ErrGap, p.offset))
	case p.offset+len(p.records) > p.count:
		return nil, l.fail(p, p.count, fmt.Errorf("%w: more records than the count of %d", ErrChanged, p.count))
	}
	if end, err := p.full(); err != nil {
		return nil, l.fail(p, end, err)
	}
	overlap := before[p.offset:min(n, p.offset+len(p.records))]
	for i, r := range overlap {
		if !bytes.Equal(r.json, p.records[i].json) {
			return nil, l.fail(p, p.offset+i, fmt.Errorf("%w: record %d differs from record %d at the same offset of another page", ErrChanged, p.records[i].id, r.id))
		}
	}
	return p.records[len(overlap):], nil
}

// full checks that the page ends where next starts, or at the end of the list if
// there is no next. It returns the offset of its end.
func (p page) full() (end int, err error) {
	end = p.offset + len(p.records)
	next, err := link(p.next)
	switch {
	case err != nil:
		return end, err
	case next == nil && end < p.count:
		return end, fmt.Errorf("%w: next is null, but %d records are to come", ErrGap, p.count-end)
	case next != nil && end < next.window.Offset:
		return end, fmt.Errorf("%w: %d records on a page of %d", ErrGap, len(p.records), next.window.Limit)
	case next != nil && end > next.window.Offset:
		return end, fmt.Errorf("%w: next is %.200q, but the page ends at %d", ErrInvalidLink, p.next, end)
	}
	return end, nil
}

// distinct checks that no id appears twice.
func (l list) distinct(records []record, pages []page) error {
	seen := make(map[int]int, len(records))
	for i, r := range records {
		if at, twice := seen[r.id]; twice {
			on := slices.IndexFunc(pages, func(p page) bool { return i < p.offset+len(p.records) })
			return l.fail(pages[on], i, fmt.Errorf("%w: record %d is also at offset %d", ErrDuplicate, r.id, at))
		}
		seen[r.id] = i
	}
	return nil
}

func (l list) fail(p page, offset int, err error) error {
	return &PageError{Collection: l.key, Offset: offset, Page: p.name, Err: err}
}
