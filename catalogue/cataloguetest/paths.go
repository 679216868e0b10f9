package cataloguetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// paths are the paths of the collections of a service. The zero paths are those of the
// documented service.
type paths struct {
	root        string               // empty: /api/
	collections []schema.Description // nil: the documented ones
}

// pathsOf returns the paths of a catalogue that is served at root.
func pathsOf(house *catalogue.Catalogue, root string) paths {
	p := paths{root, []schema.Description{}}
	for _, c := range house.All() {
		p.collections = append(p.collections, c.Description())
	}
	return p
}

// all returns the collections in the order of the service.
func (p paths) all() []schema.Description {
	if p.collections == nil {
		return schema.Descriptions()
	}
	return p.collections
}

// named returns the collection with the given key or path segment.
func (p paths) named(name string) (schema.Description, error) {
	return p.find(name, func(c schema.Description) bool { return c.Key == name || c.Segment == name })
}

// lookup returns the collection with the given key.
func (p paths) lookup(key string) (schema.Description, error) {
	return p.find(key, func(c schema.Description) bool { return c.Key == key })
}

// find returns the collection for which f returns true. The error contains name and
// suggests a key.
func (p paths) find(name string, f func(schema.Description) bool) (schema.Description, error) {
	all := p.all()
	if i := slices.IndexFunc(all, f); i >= 0 {
		return all[i], nil
	}
	var known []string
	for _, c := range all {
		known = append(known, c.Key)
	}
	return schema.Description{}, fmt.Errorf("%w: %q: %s", catalogue.ErrUnknownCollection, name, ordering.Suggest(name, known))
}

// listing returns the path of the root listing.
func (p paths) listing() string { return cmp.Or(p.root, "/api/") }

// of returns the path at which a collection is served.
func (p paths) of(c schema.Description) string {
	return p.listing() + c.Segment + "/"
}

// isCollection reports whether a path is that of a collection.
func (p paths) isCollection(path string) bool {
	return slices.ContainsFunc(p.all(), func(c schema.Description) bool { return p.of(c) == path })
}

// isServed reports whether a path is that of the root listing, of a collection or of a
// record.
func (p paths) isServed(path string) bool {
	return path == p.listing() || slices.ContainsFunc(p.all(), func(c schema.Description) bool { return p.belongs(path, c) })
}

// recordActions are those of the path of a record.
const recordActions = schema.AllActions &^ (schema.List | schema.Create)

// belongs reports whether a path is that of a collection or, if its records have paths, of
// one of them.
func (p paths) belongs(path string, c schema.Description) bool {
	rest, ok := strings.CutPrefix(path, p.of(c))
	if !ok || rest == "" {
		return ok
	}
	id, slash := strings.CutSuffix(rest, "/")
	return slash && id != "" && !strings.ContainsAny(id, "/.") && c.Actions&recordActions != 0
}
