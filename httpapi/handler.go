package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// ErrInvalidConfig is wrapped by the errors that New, NewHandler and Mount return for invalid
// arguments. Their texts name the argument and the reason.
var ErrInvalidConfig = errors.New("httpapi: invalid configuration")

// Options configures a [Handler]. With the zero value, writes are rejected, links begin with the
// host of the request, and pages have 21 records by default and at most 1000.
type Options struct {
	// Root is the path of the root listing, below which the collections are served, such as "/v1/"
	// or "/". It begins and ends with a slash, is clean in the sense of [path.Clean], and consists
	// of printable ASCII without {}?#%, quotes, backslashes and white space. If empty, it is
	// "/api/".
	Root string

	// Authorizer decides which requests may write. If nil, they are rejected with 403
	// and "Authentication credentials were not provided.".
	Authorizer Authorizer

	// AuthorizeReads lets the Authorizer decide about GET, HEAD and OPTIONS too: with
	// [schema.Retrieve] for a record and otherwise with [schema.List]. At the root the key of the
	// collection is empty. If false, all reads are permitted.
	AuthorizeReads bool

	// Permit, if not nil, decides whether a request that the Authorizer permits may change or delete a
	// record, for instance because its user owns that:
	//
	//	func(r *http.Request, _ string, _ schema.Actions, record []byte) error {
	//		var note struct{ Owner string }
	//		err := json.Unmarshal(record, &note)
	//		if err == nil && note.Owner != userOf(r) {
	//			err = httpapi.Forbidden("")
	//		}
	//		return err
	//	}
	//
	// It is called with the key of the collection, one of [schema.Update], [schema.PartialUpdate] and
	// [schema.Destroy], and the JSON of the record as a response to the request would have it, without
	// hidden fields, which it must neither modify nor keep. Permit returns nil or, as an [Authorizer]
	// does, the error that determines the response.
	//
	// It is called after the record has been found, and before preconditions are compared and the body
	// is read; then again with the record at the instant of the write, which may have another owner by
	// then. It must not write to the collection there: it could deadlock. A read of a catalogue has the
	// record as it is before the write, hidden fields included. OPTIONS of a record and pages of
	// package browse call it to decide what they offer, so it should have no side effects. Reads do
	// not call it: [Restrict] decides which records they find. Nor is it asked about records that a
	// deletion deletes or changes because they refer to the deleted one. Permit must be safe for
	// concurrent use.
	Permit func(r *http.Request, collection string, action schema.Actions, record []byte) error

	// Assign, if not nil, returns the values of fields of a new or changed record that the request
	// determines and not its body, such as the owner or the tenant, under their names in JSON, or
	// the zero Record. They replace what the body has, are validated as if they had been sent, and
	// may be of read-only fields.
	//
	// It is called with the key of the collection and one of [schema.Create], [schema.Update] and
	// [schema.PartialUpdate], after the body has been read and before the collection is called. A
	// value that the field rejects results in 400, and a member that is no field of the collection
	// in 500. An error determines the response as in [Handler.WriteError]. Assign must be safe for
	// concurrent use.
	Assign func(r *http.Request, collection string, action schema.Actions) (schema.Record, error)

	// Forms permits forms as bodies, as the default parsers of Django REST framework do:
	// application/x-www-form-urlencoded and multipart/form-data. A list has its name for each
	// element, or tools[0]; an object has names such as address.street. In a POST and a PUT, a
	// boolean without a value is false and a list of references empty. A file is invalid. A form
	// has at most 1000 values.
	//
	// A page of another site can send a form with the visitor's cookies, so a form that comes from
	// one, as [http.CrossOriginProtection] decides, results in 403. If Forms is false, a form
	// results in 415.
	Forms bool

	// Framework is the version of Django REST framework whose responses the handler sends. The zero
	// value is 3.14; [schema.DRF318] returns 3.18. Collections receive it in the context of each
	// request, as package schema expects it.
	Framework schema.Framework

	// BaseURL is the part of links before the root: an absolute http or https URL without user,
	// query or fragment, such as "https://x.example/shop". Trailing slashes are ignored. If BaseURL
	// is empty, links begin with the scheme, host and prefix of the request.
	BaseURL string

	// TrustedProxies are the addresses of proxies that determine the scheme and host of links if
	// there is no BaseURL. If the RemoteAddr of a request is among them, the scheme and the host
	// are the last values of X-Forwarded-Proto and X-Forwarded-Host, which the proxy added, or
	// those of the request without these headers. Schemes other than http and https and invalid
	// hosts are rejected with 400. Forwarded (RFC 7239) is ignored.
	//
	// A trusted proxy must either write or remove these headers. Otherwise its clients can choose
	// the scheme and host of links.
	//
	// A RemoteAddr that is not an IP address with a port, such as a Unix socket's, is never
	// trusted. The zero Prefix and IPv4-mapped IPv6 prefixes (::ffff:0:0/96) are invalid. The slice
	// is copied.
	TrustedProxies []netip.Prefix

	// ForwardedPrefix makes the last value of X-Forwarded-Prefix from a trusted proxy a part of
	// links: the path that the proxy has removed from the beginning of the request's. The prefix of
	// the request, if it has one, follows. It must be a clean path of at most 255 bytes that begins
	// with a slash, as in "/shop", without characters that a URL would escape; one slash at its end
	// is ignored. Any other value is rejected with 400. A trusted proxy must then write or remove
	// the header. If false, the header is ignored.
	ForwardedPrefix bool

	// Pages is the style of the pages of collections whose description has none:
	// [pagination.Limits], [pagination.Numbers] or [pagination.Cursors], each with the default and
	// the maximum size of a page. If nil, it is Limits{}: limit and offset, 21 records and at most
	// 1000. With [pagination.Whole] there are no pages: the body is an array of all records, and a
	// list that is longer than Max results in 400.
	//
	// A page number that does not exist results in 404 and "Invalid page.", and an invalid cursor
	// in 404 and "Invalid cursor". A page of a cursor has no count. Cursors are those of Django
	// REST framework, in which a position is a value of the first field of the order, or a token of
	// [catalogue.Listing] where the records behind such a cursor would not be the ones that follow.
	// A walk reads each record that stays where it is once, in both directions; while others write,
	// a cursor of the framework with an offset among equal values can be off by those that they
	// insert or delete there. A token is valid for one path, order and filter. It is readable,
	// unless the order has a field that records do not show; see ETagKey.
	Pages pagination.Style

	// MaxBody is the maximum length in bytes of a request body, and of the JSON that a form
	// becomes. A longer one is rejected with 413. If zero, it is 1 MiB. If negative, there is no
	// limit.
	MaxBody int64

	// ETags enables strong entity tags for the root, for pages of collections that are a
	// [Revisioner], and for records. If-Match and If-None-Match are then evaluated, as the package
	// documentation describes; for a page that results in 304, the handler calls only Revision. A
	// response with a tag has the Cache-Control "no-cache", so that caches always revalidate,
	// unless middleware has set another before.
	//
	// The tag of a page is valid for one Handler only, unless ETagKey is set. The tag of a record
	// depends only on its JSON. If a field is Hidden, it depends on the revision too, so any write
	// to the collection changes it; responses to POST and PATCH then have none. If ETags is false,
	// there are no tags and preconditions are ignored.
	ETags bool

	// ETagKey, if not empty, makes the tags of pages valid for all handlers with the same key and
	// the same other options. Set it if several processes serve the same collections and their
	// revisions come from a shared database. Change it if the same revision is to have other
	// responses, for instance after a new field.
	//
	// It also encrypts the tokens in cursors of lists whose order has a field that records do not
	// show. If empty, these are valid for one Handler only.
	ETagKey string

	// OnAccess, if not nil, is called once for each request after the response has been written,
	// which may be a page of package browse, by the goroutine that serves the request and with its
	// context. The server does not complete the response until it returns. If it panics, OnError is
	// called. It must be safe for concurrent use. The example logs by log/slog.
	OnAccess func(ctx context.Context, a Access)

	// OnError is called with errors that are not sent to the client: errors of collections that
	// result in 409, 500 or 503, errors of an authorizer that [Unauthorized] and [Forbidden] have
	// not made, panics ([ErrPanic]), and errors of a [Revisioner] if the request has no other
	// error. It is called before the response is written, except for panics of OnAccess and of the
	// ResponseWriter. It must be safe for concurrent use. If nil, errors are discarded.
	OnError func(r *http.Request, err error)
}

// A Handler serves the paths of collections. [New] and [NewHandler] make it. It is immutable, and
// safe for concurrent use if its collections and its authorizer are.
type Handler struct {
	opts        Options           // with their defaults
	collections []*route          // in the order of the root listing
	routes      map[string]*route // by path, with its slash
	restricts   bool              // some collection is restricted
	origins     *origin.Resolver
	writers     sync.Pool // of *bufio.Writer, for pages
}

// Header values that never change. All responses share them, because allocating them is a large
// part of the cost of a response. They must not be modified.
var (
	valueJSON     = []string{"application/json"}
	valueDeny     = []string{"DENY"}
	valueNosniff  = []string{"nosniff"}
	valueReferrer = []string{"same-origin"}
	valueNoCache  = []string{"no-cache"}
	valuePrivate  = []string{"private, no-cache"}
)

// New returns a handler that serves the collections of a catalogue. The error wraps
// [ErrInvalidConfig] if the catalogue is nil or the options are invalid. O(number of collections).
func New(c *catalogue.Catalogue, opts Options) (*Handler, error) {
	if c == nil {
		return nil, fmt.Errorf("%w: nil catalogue", ErrInvalidConfig)
	}
	var list []Collection
	for _, coll := range c.All() {
		list = append(list, coll)
	}
	return NewHandler(list, opts)
}

// NewHandler returns a handler that serves collections, in the order of the slice. It copies the
// slice and calls Description of each collection once. The error wraps [ErrInvalidConfig] if there
// are no collections, if one is nil or has an invalid description, if two have the same key or
// segment, or if the options are invalid. O(number of collections).
func NewHandler(collections []Collection, opts Options) (*Handler, error) {
	opts.Root = cmp.Or(opts.Root, defaultRoot)
	if !wire.IsRoot(opts.Root) {
		return nil, fmt.Errorf("%w: Root %q is not a clean path in ASCII that ends in a slash, like /v1/", ErrInvalidConfig, opts.Root)
	}
	list := make([]*route, len(collections))
	for i, c := range collections {
		if isNil(c) {
			return nil, fmt.Errorf("%w: collection %d is nil", ErrInvalidConfig, i)
		}
		list[i] = newRoute(opts.Root, c, opts.Pages, opts.Framework)
	}
	if err := checkRoutes(list); err != nil {
		return nil, err
	}
	origins, err := origin.NewResolver(opts.BaseURL, opts.TrustedProxies, opts.ForwardedPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidConfig, err)
	}
	opts.BaseURL = origins.BaseURL()
	if opts.Authorizer == nil {
		opts.Authorizer = func(*http.Request, string, schema.Actions) error { return Forbidden(detailNoCredentials) }
	}
	if opts.OnError == nil {
		opts.OnError = func(*http.Request, error) {}
	}
	if opts.MaxBody = cmp.Or(opts.MaxBody, 1<<20); opts.MaxBody < 0 {
		opts.MaxBody = math.MaxInt64
	}
	opts.ETagKey = cmp.Or(opts.ETagKey, rand.Text())
	h := &Handler{opts: opts, collections: list, origins: origins}
	h.routes = map[string]*route{opts.Root: {actions: schema.List, allow: allowed(schema.List), vary: []string{"Accept"}}}
	for _, r := range list {
		h.routes[r.path], h.restricts = r, h.restricts || r.rows != nil
	}
	return h, nil
}

// checkRoutes returns an error if there are no collections, a description is invalid or
// two have the same key or segment.
func checkRoutes(list []*route) error {
	if len(list) == 0 {
		return fmt.Errorf("%w: there are no collections", ErrInvalidConfig)
	}
	keys, segments := map[string]bool{}, map[string]string{}
	for _, r := range list {
		d := r.about
		if err := d.Check(); err != nil {
			return fmt.Errorf("%w: collection %q: %w", ErrInvalidConfig, d.Key, err)
		}
		if err := r.checkPages(); err != nil {
			return fmt.Errorf("%w: collection %q: %w", ErrInvalidConfig, d.Key, err)
		}
		if other, twice := segments[d.Segment]; twice || keys[d.Key] {
			return fmt.Errorf("%w: collections %q and %q have the same segment or key", ErrInvalidConfig, other, d.Key)
		}
		keys[d.Key], segments[d.Segment] = true, d.Key
	}
	return nil
}

// named returns the route of the collection with a key, or nil.
func (h *Handler) named(key string) *route {
	for _, r := range h.collections {
		if r.key == key {
			return r
		}
	}
	return nil
}

// Base returns the part of the links in the response to r that is before the root, such as
// "https://shop.example/our": [Options.BaseURL], or the scheme, the host and the prefix of the
// request and of the headers of trusted proxies. It returns "" if these are invalid.
// O(length of these headers).
func (h *Handler) Base(r *http.Request) string {
	o, fault := h.origins.Resolve(r)
	if fault != "" {
		return ""
	}
	return string(o.AppendURL(nil, ""))
}

// A Served describes what a [Handler] serves.
type Served struct {
	Options                        // with the default Root and BaseURL as it appears in links, without ETagKey and functions; must not be modified
	Collections []ServedCollection // in the order of the root listing
}

// A ServedCollection is a collection that a [Handler] serves.
type ServedCollection struct {
	Path        string             // without a prefix, such as "/api/films/"
	Description schema.Description // with the Pages and the Actions that are served, if the authorizer permits these, and without defaults of hidden fields
	Collection  Collection
	Tagged      bool // pages have an ETag
}

// Served returns a description of what h serves. The caller may modify its slice of
// collections. O(number of collections).
func (h *Handler) Served() Served {
	s := Served{h.opts, make([]ServedCollection, len(h.collections))}
	s.ETagKey, s.Authorizer, s.Permit, s.Assign, s.OnAccess, s.OnError = "", nil, nil, nil, nil, nil
	for i, r := range h.collections {
		about := *r.about
		about.Fields = withoutSecrets(about.Fields, false)
		s.Collections[i] = ServedCollection{r.path, about, r.collection, h.opts.ETags && r.revisioner != nil}
	}
	return s
}

// withoutSecrets returns fields without the defaults of those that are hidden, or of all.
func withoutSecrets(fields []schema.Field, all bool) []schema.Field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if all || f.Hidden {
			fields[i].Default, fields[i].Fields = "", withoutSecrets(f.Fields, true)
			if f.Item != nil {
				fields[i].Item = &withoutSecrets([]schema.Field{*f.Item}, true)[0]
			}
		}
	}
	return fields
}

// Mount registers h on mux for prefix+"/api/" and prefix+"/api", or for another root if h has a
// method Served() [Served], as a Handler has. If prefix is not empty, Mount wraps h in
// [http.StripPrefix]. The links of a Handler contain the prefix unless it has a BaseURL.
//
// The prefix is empty or a decoded path such as "/shop". It must begin with a slash and not end
// with one, be clean in the sense of [path.Clean], and contain neither white space nor any of the
// characters {}?#%.
//
// The error wraps [ErrInvalidConfig] if mux or h is nil, the prefix is invalid, or a pattern
// conflicts with one that is already registered, as "GET /" does; register "/" or "GET /{$}" in its
// place. In the last case the first of the two patterns may have been registered. An OpenAPI
// document of package openapi needs the prefix in its option Server.
func Mount(mux *http.ServeMux, prefix string, h http.Handler) error {
	switch {
	case mux == nil:
		return fmt.Errorf("%w: nil mux", ErrInvalidConfig)
	case h == nil:
		return fmt.Errorf("%w: nil handler", ErrInvalidConfig)
	case prefix != "" && !wire.IsPrefix(prefix):
		return fmt.Errorf("%w: prefix %q is not a clean path like /shop", ErrInvalidConfig, prefix)
	}
	root := defaultRoot
	if serving, ok := h.(interface{ Served() Served }); ok {
		root = serving.Served().Root
	}
	if prefix != "" {
		h = http.StripPrefix(prefix, h)
	}
	if root != "/" {
		if err := register(mux, prefix+strings.TrimSuffix(root, "/"), h); err != nil {
			return err
		}
	}
	return register(mux, prefix+root, h)
}

// defaultRoot is the path of the root listing if Options.Root is empty.
const defaultRoot = "/api/"

// register registers a pattern. It returns an error if [http.ServeMux.Handle] panics.
func register(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v; in place of \"GET /\", register \"/\" or \"GET /{$}\"", ErrInvalidConfig, reason)
		}
	}()
	mux.Handle(pattern, h)
	return nil
}
