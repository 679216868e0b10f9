package httpapi

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A Handler serves the documented paths. It must be created by [New] or [NewHandler]. It
// is immutable, and safe for concurrent use if its collections and its authorizer are.
type Handler struct {
	routes     map[string]*route // by path, with its slash
	root       rootBody
	authorizer Authorizer
	onError    func(*http.Request, error)
	onAccess   func(context.Context, Access)
	origins    *origin.Resolver
	limits     pagination.Limits
	bounds     Bounds
	values     fixedValues
	buffers    buffers // of pages

	tags         bool // responses have entity tags
	seed         maphash.Seed
	cacheControl []string
}

// New returns a handler that serves the 39 collections of a catalogue. It returns an
// error wrapping [ErrInvalidConfig] if the catalogue is nil or the options are invalid.
// O(number of collections).
func New(house *catalogue.Catalogue, opts Options) (*Handler, error) {
	if house == nil {
		return nil, fmt.Errorf("%w: nil catalogue", ErrInvalidConfig)
	}
	collections := make(map[string]Collection)
	for key, c := range house.All() {
		collections[key] = c
	}
	return NewHandler(collections, opts)
}

// NewHandler returns a handler that serves the collections. The map has their documented
// keys ("itemVariants", not "item_variants"). NewHandler copies the map and calls no
// method of a collection. It returns an error wrapping [ErrInvalidConfig] if one of the
// 39 keys is missing or its collection is nil, if there is any other key, or if the
// options are invalid. O(number of collections).
func NewHandler(collections map[string]Collection, opts Options) (*Handler, error) {
	documented := resources.Descriptions()
	if err := checkKeys(collections, documented); err != nil {
		return nil, err
	}
	origins, err := origin.NewResolver(opts.BaseURL, opts.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidConfig, err)
	}
	cacheControl, err := checkCacheControl(opts.CacheControl)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		routes:     newRoutes(collections, documented),
		root:       newRootBody(documented),
		authorizer: opts.Authorizer,
		onError:    opts.OnError,
		onAccess:   opts.OnAccess,
		origins:    origins,
		limits:     opts.Limits,
		bounds:     opts.Bounds.effective(),
		values:     newFixedValues(),

		tags:         opts.ETags,
		seed:         maphash.MakeSeed(),
		cacheControl: []string{cacheControl},
	}
	if h.authorizer == nil {
		h.authorizer = denyAll
	}
	return h, nil
}

// checkKeys returns an error that names the missing and the unknown keys.
func checkKeys(collections map[string]Collection, documented []resources.Description) error {
	known := make(map[string]bool, len(documented))
	var missing, unknown []string
	for _, d := range documented {
		known[d.Key] = true
		if collections[d.Key] == nil {
			missing = append(missing, d.Key)
		}
	}
	for key := range collections {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	var faults []string
	if len(missing) > 0 {
		faults = append(faults, "missing "+strings.Join(missing, ", "))
	}
	if len(unknown) > 0 {
		faults = append(faults, fmt.Sprintf("unknown %q", unknown))
	}
	if faults == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrInvalidConfig, strings.Join(faults, "; "))
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
	route, ok := h.routes[r.URL.Path]
	if !ok {
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
	v.serve()
}

// serveNoRoute redirects to the path with a trailing slash if that is served. Otherwise
// it sends a 404.
func (h *Handler) serveNoRoute(w http.ResponseWriter, r *http.Request, o origin.Origin) {
	if path := r.URL.Path + "/"; h.routes[path] != nil {
		h.redirect(w, r, h.origins.Location(o, path, r.URL.RawQuery))
		return
	}
	h.writePlain(w, r, http.StatusNotFound, detailNotFound)
}

// BaseURL returns [Options.BaseURL] without trailing slashes, as it appears in links. It
// is empty if links depend on the request. O(1).
func (h *Handler) BaseURL() string { return h.origins.BaseURL() }

// Limits returns [Options.Limits]. O(1).
func (h *Handler) Limits() pagination.Limits { return h.limits }
