package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/pagination"
)

// A Handler serves the paths of collections. It must be created by [New] or [NewHandler]. It
// is immutable, and safe for concurrent use if its collections and its authorizer are.
type Handler struct {
	collections []served
	rootPath    string
	routes      map[string]*route   // by path, with its slash
	root        map[string]rootBody // by the query of its links
	authorizer  Authorizer
	reads       bool // the authorizer is asked about reads too
	onError     func(*http.Request, error)
	onAccess    func(context.Context, Access)
	origins     *origin.Resolver
	limits      pagination.Limits
	bounds      Bounds
	values      fixedValues
	buffers     buffers // of pages

	tags         bool // responses have entity tags
	seed         fnv  // of the tags
	cacheControl []string
}

// New returns a handler that serves the collections of a catalogue. It returns an error
// wrapping [ErrInvalidConfig] if the catalogue is nil or the options are invalid.
// O(number of collections).
func New(house *catalogue.Catalogue, opts Options) (*Handler, error) {
	if house == nil {
		return nil, fmt.Errorf("%w: nil catalogue", ErrInvalidConfig)
	}
	return newHandler(servedFrom(house), opts)
}

// NewHandler returns a handler that serves the collections, which the map has by key. The
// description of a collection is that of its method Description if it is a [Describer],
// and otherwise the documented one ("itemVariants", not "item_variants"). The documented
// collections come first in the root listing, in the order of the document; the others
// follow, sorted by key. [Options.Order] can change this order. NewHandler copies the map
// and calls no other method of a collection.
//
// It returns an error wrapping [ErrInvalidConfig] if the map is empty, a collection is
// nil, has no description or an invalid one, or if the options are invalid.
// O(number of collections).
func NewHandler(collections map[string]Collection, opts Options) (*Handler, error) {
	list, err := servedBy(collections)
	if err != nil {
		return nil, err
	}
	return newHandler(list, opts)
}

func newHandler(collections []served, opts Options) (*Handler, error) {
	if err := checkServed(collections); err != nil {
		return nil, err
	}
	if err := inOrder(collections, opts.Order); err != nil {
		return nil, err
	}
	root, err := checkRoot(opts.Root)
	if err != nil {
		return nil, err
	}
	origins, err := origin.NewResolver(opts.BaseURL, opts.TrustedProxies, opts.ForwardedPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidConfig, err)
	}
	cacheControl, err := checkCacheControl(opts.CacheControl)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		collections: collections,
		rootPath:    root,
		routes:      newRoutes(root, collections),
		root:        newRootBodies(root, collections),
		authorizer:  opts.Authorizer,
		reads:       opts.AuthorizeReads,
		onError:     opts.OnError,
		onAccess:    opts.OnAccess,
		origins:     origins,
		limits:      opts.Limits,
		bounds:      opts.Bounds.effective(),
		values:      newFixedValues(),

		tags:         opts.ETags,
		seed:         newFNV(cmp.Or(opts.ETagKey, rand.Text())),
		cacheControl: []string{cacheControl},
	}
	if h.authorizer == nil {
		h.authorizer = denyAll
	}
	return h, nil
}

// ServeHTTP serves one request. The package documentation lists its checks in order. The
// path is r.URL.Path. ServeHTTP does not rely on the checks of an [http.Server], so it
// may be called with any request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.onAccess != nil {
		h.serveObserved(w, r)
		return
	}
	h.serve(w, r, nil)
}

// serve serves the request. If seen is not nil, serve records the request there.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, seen *Access) {
	origin, fault := h.origins.Resolve(r)
	if fault != "" {
		h.writePlain(w, r, http.StatusBadRequest, fault)
		return
	}
	if fault := h.bounds.targetFault(r); fault != "" {
		h.writePlain(w, r, http.StatusRequestURITooLong, fault)
		return
	}
	route, id := h.find(r.URL.Path)
	if route == nil {
		h.serveNoRoute(w, r, origin)
		return
	}
	if seen != nil {
		seen.Collection = route.key
	}
	if fault := h.bounds.paramsFault(r.URL.RawQuery); fault != "" {
		h.writePlain(w, r, http.StatusBadRequest, fault)
		return
	}
	v := view{handler: h, route: route, w: w, r: r, origin: origin, seen: seen}
	if route.isRecord {
		v.id, v.suffixed = parseID(id), strings.Contains(id, ".")
	}
	v.serve()
}

// serveNoRoute redirects to the path with a trailing slash if that is served. Otherwise
// it sends a 404.
func (h *Handler) serveNoRoute(w http.ResponseWriter, r *http.Request, o origin.Origin) {
	path := r.URL.Path + "/"
	if route, id := h.find(path); route != nil && !strings.Contains(id, ".") {
		h.redirect(w, r, h.origins.Location(o, path, r.URL.RawQuery))
		return
	}
	h.writePlain(w, r, http.StatusNotFound, detailNotFound)
}

// BaseURL returns [Options.BaseURL] without trailing slashes, as it appears in links. It
// is empty if links depend on the request. O(1).
func (h *Handler) BaseURL() string { return h.origins.BaseURL() }

// Origin returns the scheme and the host of the links in the response to r, such as
// "https://shop.example": those of [Options.BaseURL], or of the request and of the headers
// of trusted proxies. It returns "" if these are invalid. O(length of these headers).
func (h *Handler) Origin(r *http.Request) string {
	o, fault := h.origins.Resolve(r)
	if fault != "" {
		return ""
	}
	return o.Scheme + "://" + o.Host
}

// Root returns the path of the root listing, such as "/api/": [Options.Root] or its
// default. O(1).
func (h *Handler) Root() string { return h.rootPath }

// AuthorizesReads reports whether [Options.AuthorizeReads] is set. O(1).
func (h *Handler) AuthorizesReads() bool { return h.reads }

// Limits returns [Options.Limits]. O(1).
func (h *Handler) Limits() pagination.Limits { return h.limits }
