package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// ReadFiles returns the collections in saved pages, one per file, from all files of fsys
// whose names end in .json, in any directory. A file is named after the key or the path
// segment of its collection, optionally followed by a number: films.json, films-0.json,
// short_films-21.json. If the whole name is a key or a segment, it has no number. The numbers
// and the order of the files do not matter: the count and the links of a page determine its
// place. The pages of a list may differ in size. Of opts, only Root and Catalogue are used,
// which are those of the service; Catalogue must not be nil.
//
// ReadFiles does not verify that collections are complete; the method Walk of the source
// does. See the package documentation for what is verified. If several lists of a
// collection were recorded, in different orders or from different hosts, Walk returns the
// last one that is complete. If none is, it returns the errors of all of them, joined. It
// returns an error wrapping [ErrInconsistent] if no page was recorded,
// [catalogue.ErrUnknownCollection] if there is no such collection, and the error of its
// context if that is done. O(n log n). The keys of the source are those of the collections
// with recorded pages, in the order of the catalogue.
//
// ReadFiles returns an error wrapping [ErrInvalidOptions] if the root is invalid or there is
// no catalogue, and one that names the file and wraps [catalogue.ErrUnknownCollection] if no
// collection has the name of the file, [ErrInvalidPage] if the content is not a page, and
// [ErrInvalidLink] if the links contradict each other or the page, lead to another
// collection, or have parameters other than limit, offset, ordering and format, since those
// may select part of it. It returns errors of fsys unchanged.
func ReadFiles(fsys fs.FS, opts Options) (Source, error) {
	if err := opts.checkRoot(); err != nil {
		return nil, err
	}
	if opts.Catalogue == nil {
		return nil, fmt.Errorf("%w: Catalogue is nil", ErrInvalidOptions)
	}
	r := &recording{service: serviceOf(opts.Catalogue, cmp.Or(opts.Root, "/api/"))}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if err := r.addFile(name, data); err != nil {
			return fmt.Errorf("client: %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// recording holds the recorded pages of a service.
type recording struct {
	service *service
	lists   []list // in the order of their first pages
}

// list holds the pages recorded of one URL, ignoring limit and offset.
type list struct {
	key, url string // url is empty if it is unknown and the pages have no links
	pages    []page
}

// add adds a page to its list.
func (r *recording) add(key, url string, p page) {
	same := func(l list) bool { return l.key == key && l.url == url }
	i := slices.IndexFunc(r.lists, same)
	if i < 0 {
		i = len(r.lists)
		r.lists = append(r.lists, list{key: key, url: url})
	}
	r.lists[i].pages = append(r.lists[i].pages, p)
}

func (r *recording) Keys(context.Context) (keys []string, err error) {
	for _, c := range r.service.collections {
		if slices.ContainsFunc(r.lists, func(l list) bool { return l.key == c.key }) {
			keys = append(keys, c.key)
		}
	}
	return keys, nil
}

func (r *recording) Walk(ctx context.Context, key string) (Walk, error) {
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
		return Walk{}, fmt.Errorf("%s: %w: gap: no page was recorded", key, ErrInconsistent)
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
		return Walk{}, l.fail(last, len(records), fmt.Errorf("%w: gap: %d records are to come", ErrInconsistent, n))
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
		return nil, l.fail(p, p.offset, fmt.Errorf("%w: changed: the count is %d, but %d in %s", ErrInconsistent, p.count, first.count, first.name))
	case p.offset > n:
		return nil, l.fail(p, n, fmt.Errorf("%w: gap: the next page starts at %d", ErrInconsistent, p.offset))
	case p.offset+len(p.records) > p.count:
		return nil, l.fail(p, p.count, fmt.Errorf("%w: changed: more records than the count of %d", ErrInconsistent, p.count))
	}
	if end, err := p.full(); err != nil {
		return nil, l.fail(p, end, err)
	}
	overlap := before[p.offset:min(n, p.offset+len(p.records))]
	for i, r := range overlap {
		if !bytes.Equal(r.json, p.records[i].json) {
			return nil, l.fail(p, p.offset+i, fmt.Errorf("%w: changed: record %d differs from record %d at the same offset of another page", ErrInconsistent, p.records[i].id, r.id))
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
		return end, fmt.Errorf("%w: gap: next is null, but %d records are to come", ErrInconsistent, p.count-end)
	case next != nil && end < next.window.Offset:
		return end, fmt.Errorf("%w: gap: %d records on a page of %d", ErrInconsistent, len(p.records), next.window.Limit)
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
			return l.fail(pages[on], i, fmt.Errorf("%w: duplicate: record %d is also at offset %d", ErrInconsistent, r.id, at))
		}
		seen[r.id] = i
	}
	return nil
}

func (l list) fail(p page, offset int, err error) error {
	return &PageError{Collection: l.key, Offset: offset, Page: p.name, Err: err}
}

func (r *recording) addFile(name string, data []byte) error {
	key, err := r.service.keyOf(name)
	if err != nil {
		return err
	}
	p, err := parsePage(data)
	if err != nil {
		return err
	}
	url, err := p.place()
	if err != nil {
		return err
	}
	if of, ok := r.service.collectionOf(url); url != "" && (!ok || of != key) {
		return fmt.Errorf("%w: %.200q is not the whole list of %s", ErrInvalidLink, url, key)
	}
	p.name = name
	r.add(key, url, p)
	return nil
}

// keyOf returns the key of the collection that a file is named after.
func (s *service) keyOf(name string) (string, error) {
	named := func(name string) (collection, error) {
		return s.find(name, func(c collection) bool { return c.key == name || c.segment == name })
	}
	stem := strings.TrimSuffix(path.Base(name), ".json")
	about, err := named(stem)
	if cut := strings.TrimRight(stem, "0123456789"); err != nil && cut != stem {
		about, err = named(strings.TrimSuffix(cut, "-"))
	}
	return about.key, err
}

// collectionOf returns the key of the collection that a list URL shows. It returns
// false if the URL has parameters other than ordering, which may be filters.
func (s *service) collectionOf(list string) (key string, ok bool) {
	u, err := url.Parse(list)
	if err != nil {
		return "", false
	}
	for name := range pagination.ParseQuery(u.RawQuery).All() {
		if name != "ordering" {
			return "", false
		}
	}
	about, err := s.find(list, func(c collection) bool { return strings.HasSuffix(u.Path, s.pathOf(c)) })
	return about.key, err == nil
}

// place determines the list and the offset of a page from its links. Some errors
// are only detected when the pages are joined.
func (p *page) place() (list string, err error) {
	next, err := link(p.next)
	if err != nil {
		return "", err
	}
	previous, err := link(p.previous)
	if err != nil {
		return "", err
	}
	switch {
	case next != nil:
		list, p.offset = next.list, next.window.Offset-next.window.Limit
	case previous == nil: // the only page
	case len(p.records) == 0: // past the end
		list, p.offset = previous.list, p.count
	case previous.window.Offset > 0:
		list, p.offset = previous.list, previous.window.Offset+previous.window.Limit
	default: // the page before starts at 0 and may be shorter than its limit
		list, p.offset = previous.list, p.count-len(p.records)
	}
	switch {
	case p.offset < 0 || (p.offset == 0) != (previous == nil):
		return "", fmt.Errorf("%w: next %.200q implies offset %d, but previous is %.200q", ErrInvalidLink, p.next, p.offset, p.previous)
	case next != nil && next.window.Offset >= p.count:
		return "", fmt.Errorf("%w: next is %.200q", ErrInvalidLink, p.next)
	case next != nil && previous != nil && *previous != (pageURL{list, pagination.Window{Limit: next.window.Limit, Offset: max(p.offset-next.window.Limit, 0)}}):
		return "", fmt.Errorf("%w: previous is %.200q", ErrInvalidLink, p.previous)
	}
	return list, nil
}
