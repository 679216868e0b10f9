package cataloguetest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// paths are the paths of the collections of a service.
type paths struct {
	root        string               // of the root listing
	collections []schema.Description // with the style of their pages
}

// pathsOf returns the paths of a catalogue that is served at root. An empty root is /api/.
// Collections without a style of their own have the given one.
func pathsOf(c *catalogue.Catalogue, root string, style pagination.Style) paths {
	p := paths{root: cmp.Or(root, "/api/")}
	for _, collection := range c.All() {
		about := collection.Description()
		about.Pages = cmp.Or(about.Pages, style)
		p.collections = append(p.collections, about)
	}
	return p
}

// named returns the collection with the given key or path segment. The error suggests a key.
func (p paths) named(name string) (schema.Description, error) {
	var known []string
	for _, c := range p.collections {
		if c.Key == name || c.Segment == name {
			return c, nil
		}
		known = append(known, c.Key)
	}
	return schema.Description{}, fmt.Errorf("%w: %q: %s", catalogue.ErrUnknownCollection, name, ordering.Suggest(name, known))
}

// of returns the path at which a collection is served.
func (p paths) of(c schema.Description) string {
	return p.root + c.Segment + "/"
}

// at returns the collection that a path names, or one of whose records it names, or the zero Description.
func (p paths) at(path string) (about schema.Description) {
	if i := slices.IndexFunc(p.collections, func(c schema.Description) bool { return p.belongs(path, c) }); i >= 0 {
		about = p.collections[i]
	}
	return about
}

// belongs reports whether a path names a collection or, if its records have paths, one of
// them.
func (p paths) belongs(path string, c schema.Description) bool {
	if path == p.of(c) {
		return true
	}
	collection, id, ok := wire.SplitRecord(path)
	return ok && collection == p.of(c) && (c.Lookup != "" || !wire.HasFormat(id)) && c.Actions&wire.RecordActions != 0
}

// requestsPage reports whether a request is a GET or HEAD of a page.
func requestsPage(r *http.Request, p paths) bool {
	about := p.at(r.URL.Path)
	return reads(r) && about.Key != "" && p.of(about) == r.URL.Path
}

// style returns the traits of the pages at the path of a request.
func (p paths) style(r *http.Request) pagination.Traits {
	return pagination.TraitsOf(p.at(r.URL.Path).Pages)
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }
