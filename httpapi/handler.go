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

// A Handler serves the documented paths. It is created by [New] or [NewHandler], does
// not change afterwards, and is safe for concurrent use.
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

	tags         bool // answers have entity tags
	seed         maphash.Seed
	cacheControl []string
}

// New returns a handler that serves the 39 collections of a catalogue. It is
// [NewHandler] with the catalogue's collections. It returns an error wrapping
// [ErrInvalidConfig] if the catalogue is nil or the options are invalid.
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

// NewHandler returns a handler that serves the collections, which are named by their
// documented keys ("itemVariants", not "item_variants"). The map is copied, and no
// collection is called. It returns an error wrapping [ErrInvalidConfig] if one of the 39
// keys has no collection, if there is any other key, or if the options are invalid.
// O(number of collections).
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

// ServeHTTP answers one request. The package documentation lists its checks in their
// order. The path is r.URL.Path, decoded. ServeHTTP does not rely on the checks of a
// server of net/http, so it may be called with any request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.onAccess != nil {
		h.serveObserved(w, r)
		return
	}
	h.serve(w, r, nil)
}

// serve answers, and records in seen what it did unless that is nil.
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

// serveNoRoute redirects to the path with a slash if there is one, and answers with
// 404 otherwise.
func (h *Handler) serveNoRoute(w http.ResponseWriter, r *http.Request, o origin.Origin) {
	if path := r.URL.Path + "/"; h.routes[path] != nil {
		h.redirect(w, r, h.origins.Location(o, path, r.URL.RawQuery))
		return
	}
	h.writePlain(w, r, http.StatusNotFound, detailNotFound)
}

// BaseURL returns [Options.BaseURL] without slashes at its end, which is what links
// begin with. It is empty if that depends on the request. O(1).
func (h *Handler) BaseURL() string { return h.origins.BaseURL() }

// Limits returns [Options.Limits]. O(1).
func (h *Handler) Limits() pagination.Limits { return h.limits }
