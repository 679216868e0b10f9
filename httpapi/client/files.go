package client

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ReadFiles reads saved pages of the documented service. It is Options{}.ReadFiles(fsys).
func ReadFiles(fsys fs.FS) (*Recording, error) { return Options{}.ReadFiles(fsys) }

// ReadFiles reads saved pages, one per file, from all files of fsys whose names end
// in .json, in any directory. A file is named after the key or the path segment of
// its collection, optionally followed by a number: events.json, events-0.json,
// item_variants-21.json. If the whole name is a key or a segment, it has no number.
//
// The numbers and the order of the files do not matter: the count and the links of a
// page determine its place. The pages of a list may differ in size.
//
// ReadFiles returns an error wrapping [ErrInvalidOptions] if the root is invalid, and one
// that names the file and wraps [catalogue.ErrUnknownCollection] if no collection has the name of the file,
// [ErrInvalidPage] if the content is not a page, and [ErrInvalidLink] if the links
// contradict each other or the page, lead to another collection, or have parameters
// other than limit, offset, ordering and format, since those may select part of it.
// It returns errors of fsys unchanged. It does not verify that collections are
// complete; [Recording.Walk] does.
func (o Options) ReadFiles(fsys fs.FS) (*Recording, error) {
	service, err := o.service()
	if err != nil {
		return nil, err
	}
	r := &Recording{service: service}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
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

func (r *Recording) addFile(name string, data []byte) error {
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
func (s service) keyOf(name string) (string, error) {
	stem := strings.TrimSuffix(path.Base(name), ".json")
	about, err := s.named(stem)
	if cut := strings.TrimRight(stem, "0123456789"); err != nil && cut != stem {
		about, err = s.named(strings.TrimSuffix(cut, "-"))
	}
	return about.Key, err
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
	if p.offset < 0 || (p.offset == 0) != (previous == nil) {
		return "", fmt.Errorf("%w: next %.200q implies offset %d, but previous is %.200q", ErrInvalidLink, p.next, p.offset, p.previous)
	}
	return list, p.checkLinks(list, next, previous)
}

// checkLinks checks that the links of a page with a known offset lead to the
// adjacent pages.
func (p *page) checkLinks(list string, next, previous *pageURL) error {
	if next != nil && (next.list != list || next.window.Offset-next.window.Limit != p.offset || next.window.Offset >= p.count) {
		return fmt.Errorf("%w: next is %.200q", ErrInvalidLink, p.next)
	}
	if previous == nil {
		return nil
	}
	if previous.list != list || next != nil && (previous.window.Limit != next.window.Limit || previous.window.Offset != max(p.offset-next.window.Limit, 0)) {
		return fmt.Errorf("%w: previous is %.200q", ErrInvalidLink, p.previous)
	}
	return nil
}
