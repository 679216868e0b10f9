package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// A Recording is answers of a service that were kept: [ReadFiles], [ReadHAR]. It
// never changes. The zero Recording is empty.
type Recording struct {
	lists []list // in the order of their first pages
}

// list is what was recorded of one URL, less limit and offset: of a collection in
// one order.
type list struct {
	key, url string // url is "" if the pages have no links, nor are known otherwise
	pages    []page
}

// add puts a page to those of its list.
func (r *Recording) add(key, url string, p page) {
	same := func(l list) bool { return l.key == key && l.url == url }
	i := slices.IndexFunc(r.lists, same)
	if i < 0 {
		i = len(r.lists)
		r.lists = append(r.lists, list{key: key, url: url})
	}
	r.lists[i].pages = append(r.lists[i].pages, p)
}

// Keys are those of the collections of which a page was recorded, in the order of
// the service's document.
func (r *Recording) Keys() []string {
	var keys []string
	for _, about := range resources.Descriptions() {
		if slices.ContainsFunc(r.lists, func(l list) bool { return l.key == about.Key }) {
			keys = append(keys, about.Key)
		}
	}
	return keys
}

// Walk gives a collection, if all its pages were recorded: see the package's
// documentation for what is proven. Of several lists of one collection, such as
// orders, or hosts, the last that is whole counts; if none is, the errors are
// joined. A collection that was not recorded at all is an [ErrGap]. O(n log n).
func (r *Recording) Walk(ctx context.Context, key string) (Walk, error) {
	if err := ctx.Err(); err != nil {
		return Walk{}, err
	}
	if _, ok := resources.Lookup(key); !ok {
		return Walk{}, fmt.Errorf("client: %w: %q", catalogue.ErrUnknownCollection, key)
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
		return Walk{}, fmt.Errorf("%s: %w: no page of it was recorded", key, ErrGap)
	}
	slices.Reverse(failed)
	return Walk{}, errors.Join(failed...)
}

// walk is the list, if it is whole.
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

// join gives the records of a page that are not among those before it.
func (l list) join(before []record, p, first page) ([]record, error) {
	n := len(before)
	switch {
	case p.count != first.count:
		return nil, l.fail(p, p.offset, fmt.Errorf("%w: the count is %d, and %d in %s", ErrChanged, p.count, first.count, first.name))
	case p.offset > n:
		return nil, l.fail(p, n, fmt.Errorf("%w: the next page begins at %d", ErrGap, p.offset))
	case p.offset+len(p.records) > p.count:
		return nil, l.fail(p, p.count, fmt.Errorf("%w: more records than the count, %d", ErrChanged, p.count))
	}
	if end, err := p.full(); err != nil {
		return nil, l.fail(p, end, err)
	}
	again := before[p.offset:min(n, p.offset+len(p.records))]
	for i, r := range again {
		if !bytes.Equal(r.json, p.records[i].json) {
			return nil, l.fail(p, p.offset+i, fmt.Errorf("%w: record %d, and elsewhere record %d, or another form of it", ErrChanged, p.records[i].id, r.id))
		}
	}
	return p.records[len(again):], nil
}

// full wants a page to end where next begins, or the list if there is none, and
// says where it ends.
func (p page) full() (end int, err error) {
	end = p.offset + len(p.records)
	next, err := link(p.next)
	switch {
	case err != nil:
		return end, err
	case next == nil && end < p.count:
		return end, fmt.Errorf("%w: next is null, and %d records are to come", ErrGap, p.count-end)
	case next != nil && end < next.window.Offset:
		return end, fmt.Errorf("%w: %d records on a page of %d", ErrGap, len(p.records), next.window.Limit)
	case next != nil && end > next.window.Offset:
		return end, fmt.Errorf("%w: next is %.200q, behind %d records", ErrLink, p.next, end)
	}
	return end, nil
}

// distinct wants no id twice.
func (l list) distinct(records []record, pages []page) error {
	seen := make(map[int]int, len(records))
	for i, r := range records {
		if at, twice := seen[r.id]; twice {
			on := slices.IndexFunc(pages, func(p page) bool { return i < p.offset+len(p.records) })
			return l.fail(pages[on], i, fmt.Errorf("%w: record %d is at offset %d too", ErrRepeat, r.id, at))
		}
		seen[r.id] = i
	}
	return nil
}

func (l list) fail(p page, offset int, err error) error {
	return &PageError{Collection: l.key, Offset: offset, Page: p.name, Err: err}
}
