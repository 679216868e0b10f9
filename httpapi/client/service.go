package client

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// service describes where a service has its collections. The zero service is the
// documented one.
type service struct {
	root        string               // empty: /api/
	collections []schema.Description // nil: the documented ones
}

// service returns the service of the options. The error wraps [ErrInvalidOptions].
func (o Options) service() (service, error) {
	if o.Root != "" && !validRoot(o.Root) {
		return service{}, fmt.Errorf("%w: Root %q: want a clean path that ends in a slash, like /v1/", ErrInvalidOptions, o.Root)
	}
	return service{o.Root, collectionsOf(o.Catalogue)}, nil
}

// validRoot reports whether package httpapi accepts the root.
func validRoot(root string) bool {
	clean, ok := strings.CutSuffix(root, "/")
	return root == "/" || ok && len(clean) > 1 && clean[0] == '/' && path.Clean(clean) == clean && !strings.ContainsFunc(clean, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("{}?#%\"\\", r) })
}

// collectionsOf returns the descriptions of the collections of a catalogue, or nil if it is
// nil.
func collectionsOf(house *catalogue.Catalogue) []schema.Description {
	if house == nil {
		return nil
	}
	list := []schema.Description{}
	for _, c := range house.All() {
		list = append(list, c.Description())
	}
	return list
}

// all returns the collections in the order of the service.
func (s service) all() []schema.Description {
	if s.collections == nil {
		return schema.Descriptions()
	}
	return s.collections
}

// find returns the collection for which f returns true. The error wraps
// [catalogue.ErrUnknownCollection] and contains name.
func (s service) find(name string, f func(schema.Description) bool) (schema.Description, error) {
	all := s.all()
	i := slices.IndexFunc(all, f)
	if i < 0 {
		return schema.Description{}, fmt.Errorf("%w: %q", catalogue.ErrUnknownCollection, name)
	}
	return all[i], nil
}

// lookup returns the collection with the given key.
func (s service) lookup(key string) (schema.Description, error) {
	about, err := s.find(key, func(c schema.Description) bool { return c.Key == key })
	if err != nil {
		return about, fmt.Errorf("client: %w", err)
	}
	return about, nil
}

// named returns the collection with the given key or path segment.
func (s service) named(name string) (schema.Description, error) {
	return s.find(name, func(c schema.Description) bool { return c.Key == name || c.Segment == name })
}

// pathOf returns the path of a collection, after the part that is the base URL.
func (s service) pathOf(about schema.Description) string {
	return cmp.Or(s.root, "/api/") + about.Segment + "/"
}

// collectionOf returns the key of the collection that a list URL shows. It returns
// false if the URL has parameters other than ordering, which may be filters.
func (s service) collectionOf(list string) (key string, ok bool) {
	u, err := url.Parse(list)
	if err != nil {
		return "", false
	}
	for name := range pagination.ParseQuery(u.RawQuery).All() {
		if name != "ordering" {
			return "", false
		}
	}
	about, err := s.find(list, func(c schema.Description) bool { return strings.HasSuffix(u.Path, s.pathOf(c)) })
	return about.Key, err == nil
}
