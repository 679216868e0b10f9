package client

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// ReadFiles reads answers that were saved, a page a file: all whose names end in
// .json, in whatever directory. A file is called by the key or the path segment of
// its collection, with a number behind if need be: events.json, events-0.json,
// item_variants-21.json.
//
// The number does not matter, nor does the order of the files: where a page
// belongs is told by its count and its links. The pages of one list need not be of
// one size.
//
// A name that is no collection's is a [catalogue.ErrUnknownCollection], what is no
// page an [ErrAnswer]. Links that contradict each other or the page are an [ErrLink],
// and so are those to another collection, or with parameters that the service's
// document does not have, since they may show a part. The error names the file.
// Other errors are those of fsys. Nothing is proven yet: [Recording.Walk].
func ReadFiles(fsys fs.FS) (*Recording, error) {
	r := new(Recording)
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

func (r *Recording) addFile(name string, data []byte) error {
	key, err := keyOf(name)
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
	if of, ok := collectionOf(url); url != "" && (!ok || of != key) {
		return fmt.Errorf("%w: to %.200q, which is not all of %s", ErrLink, url, key)
	}
	p.name = name
	r.add(key, url, p)
	return nil
}

// keyOf is the collection that a file is called by. No segment ends in a number.
func keyOf(name string) (string, error) {
	stem := strings.TrimSuffix(path.Base(name), ".json")
	if cut := strings.TrimRight(stem, "0123456789"); cut != stem {
		stem = strings.TrimSuffix(cut, "-")
	}
	all := resources.Descriptions()
	i := slices.IndexFunc(all, func(c resources.Description) bool { return c.Key == stem || c.Segment == stem })
	if i < 0 {
		return "", fmt.Errorf("%w: %q", catalogue.ErrUnknownCollection, stem)
	}
	return all[i].Key, nil
}

// place finds out where a page stands in which list. What it cannot see is seen
// when the pages are joined.
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
	case previous == nil: // all on one page
	case len(p.records) == 0: // behind the end
		list, p.offset = previous.list, p.count
	case previous.window.Offset > 0:
		list, p.offset = previous.list, previous.window.Offset+previous.window.Limit
	default: // the page before is cut off at the front, and does not say where
		list, p.offset = previous.list, p.count-len(p.records)
	}
	if p.offset < 0 || (p.offset == 0) != (previous == nil) {
		return "", fmt.Errorf("%w: by next %.200q it begins at %d, and previous is %.200q", ErrLink, p.next, p.offset, p.previous)
	}
	return list, p.agree(list, next, previous)
}

// agree wants the links of a page that is placed to lead to its neighbours.
func (p *page) agree(list string, next, previous *question) error {
	if next != nil && (next.list != list || next.window.Offset-next.window.Limit != p.offset || next.window.Offset >= p.count) {
		return fmt.Errorf("%w: next is %.200q", ErrLink, p.next)
	}
	if previous == nil {
		return nil
	}
	if previous.list != list || next != nil && (previous.window.Limit != next.window.Limit || previous.window.Offset != max(p.offset-next.window.Limit, 0)) {
		return fmt.Errorf("%w: previous is %.200q", ErrLink, p.previous)
	}
	return nil
}
