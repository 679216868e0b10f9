package httpapi

import (
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// Served is one of the paths that a [Handler] serves, for those who describe it.
type Served struct {
	Path       string               // from the handler's root on: "/api/", "/api/events/"
	About      resources.Collection // without a key at the root
	Collection Collection           // nil at the root
	Creatable  bool                 // whether POST is allowed, to whom the authorizer lets
	Tagged     bool                 // whether answers to GET have an ETag
}

// Served lists all paths: the root, then the collections in the order of the
// service's document. The slice is the caller's. O(number of collections).
func (h *Handler) Served() []Served {
	list := []Served{{Path: apiPath, Tagged: h.tags}}
	for _, about := range resources.Collections() {
		r := h.routes[collectionPath(about)]
		list = append(list, Served{r.path, about, r.collection, r.creator != nil, h.tags && r.revisioned != nil})
	}
	return list
}

// BaseURL is what links begin with, [Options.BaseURL] without slashes at its
// end; empty if that depends on the request. O(1).
func (h *Handler) BaseURL() string { return h.base }

// Limits are the bounds of pages, as they stand in [Options]. O(1).
func (h *Handler) Limits() pagination.Limits { return h.limits }
