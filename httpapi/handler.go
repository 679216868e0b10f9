package httpapi

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// Handler serves the documented paths. It is made by [NewHandler], does not change
// afterwards, and is safe for concurrent use.
type Handler struct {
	routes     map[string]*route // by path, with its slash
	root       rootBody
	authorizer Authorizer
	onError    func(*http.Request, error)
	onAccess   func(context.Context, Access)
	base       string // "" if it comes from the request
	proxies    proxies
	limits     pagination.Limits
	bounds     Bounds
	values     fixedValues
	buffers    buffers // of pages

	tags         bool // answers have entity tags
	seed         maphash.Seed
	cacheControl []string
}

// NewHandler returns a handler of the collections, by their documented keys
// ("itemVariants", not "item_variants"). The map is copied. It returns
// [ErrInvalidConfig] unless each of the 39 keys has a collection and no other
// key is there, and [ErrInvalidConfig] for options that cannot be used. O(number of
// collections); no collection is called.
func NewHandler(collections map[string]Collection, opts Options) (*Handler, error) {
	documented := resources.Descriptions()
	if err := checkKeys(collections, documented); err != nil {
		return nil, err
	}
	base, err := parseBaseURL(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	proxies, err := newProxies(opts.TrustedProxies)
	if err != nil {
		return nil, err
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
		base:       base,
		proxies:    proxies,
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

// checkKeys compares the keys that are there with those that are documented.
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

// ServeHTTP answers one request; the package's documentation has the order of
// its checks. The path is r.URL.Path, decoded. It does not look at how the
// request came in, so it can be called with requests that no server has read.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.onAccess != nil {
		h.serveObserved(w, r)
		return
	}
	h.serve(w, r, nil)
}

// serve answers, and notes what it did if that is seen.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, seen *Access) {
	origin, fault := h.originOf(r)
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
		h.serveNoRoute(w, r)
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

// serveNoRoute redirects to the path with a slash if there is one, else it is 404.
func (h *Handler) serveNoRoute(w http.ResponseWriter, r *http.Request) {
	if path := r.URL.Path + "/"; h.routes[path] != nil {
		h.redirect(w, r, path)
		return
	}
	h.writePlain(w, r, http.StatusNotFound, detailNotFound)
}

// BaseURL is what links begin with, [Options.BaseURL] without slashes at its
// end; empty if that depends on the request. O(1).
func (h *Handler) BaseURL() string { return h.base }

// Limits are the bounds of pages, as they stand in [Options]. O(1).
func (h *Handler) Limits() pagination.Limits { return h.limits }
