package httpapi

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// apiPath is the path of the root; the collections are below it.
const apiPath = "/api/"

// route is a path that is served, with the common parts of its responses. Responses
// share the slices of header values.
type route struct {
	path       string
	key        string                 // of the collection; empty at the root
	about      *resources.Description // nil at the root
	collection Collection             // nil at the root
	lenient    LenientPager           // nil if list must drop unknown terms
	creator    Creator                // nil if POST is not allowed
	revisioned Revisioned             // nil if its pages have no tags
	standard   []ordering.Term        // the default order, ending in an ascending id
	allow      []string
	vary       []string
}

// newRoutes returns the routes of the root and of all collections by their paths.
func newRoutes(collections map[string]Collection, documented []resources.Description) map[string]*route {
	routes := make(map[string]*route, 1+len(documented))
	all := make([]route, 1+len(documented))
	all[0] = route{path: apiPath, allow: []string{allowRead}, vary: []string{"Accept"}}
	for i := range documented {
		d := &documented[i]
		all[1+i] = newRoute(d, collections[d.Key])
	}
	for i := range all {
		routes[all[i].path] = &all[i]
	}
	return routes
}

// Values of Allow.
const (
	allowRead  = "GET, HEAD, OPTIONS"
	allowWrite = "GET, POST, HEAD, OPTIONS"
)

func newRoute(d *resources.Description, c Collection) route {
	r := route{
		path:       collectionPath(*d),
		key:        d.Key,
		about:      d,
		collection: c,
		allow:      []string{allowRead},
		vary:       []string{d.Vary},
		standard:   endInID(slices.Clone(d.Ordering)),
	}
	r.lenient, _ = c.(LenientPager)
	r.revisioned, _ = c.(Revisioned)
	if creator, ok := c.(Creator); ok && d.Actions.Has(resources.Create) {
		r.creator = creator
		r.allow = []string{allowWrite}
	}
	return r
}

// metadata returns the response to OPTIONS if the client may not post.
func (r *route) metadata() []byte {
	if r.collection == nil {
		return rootMetadata()
	}
	return listMetadata(*r.about)
}

func collectionPath(d resources.Description) string {
	return apiPath + d.Segment + "/"
}

// A Served is a path that a [Handler] serves.
type Served struct {
	Path        string                // without the handler's prefix: "/api/", "/api/events/"
	Description resources.Description // zero at the root
	Collection  Collection            // nil at the root
	Creatable   bool                  // whether POST is allowed, if the authorizer permits it
	Tagged      bool                  // whether responses to GET have an ETag
}

// Served returns the paths that h serves: the root, then the collections in the order
// of the service's document. The caller may modify the slice. O(number of collections).
func (h *Handler) Served() []Served {
	list := []Served{{Path: apiPath, Tagged: h.tags}}
	for _, about := range resources.Descriptions() {
		r := h.routes[collectionPath(about)]
		list = append(list, Served{r.path, about, r.collection, r.creator != nil, h.tags && r.revisioned != nil})
	}
	return list
}
