package browse

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
)

// Options configures the pages. The zero value is ready to use.
type Options struct {
	// Title is the name of the site. If empty, it is "Catalogue".
	Title string

	// CrossOrigin rejects requests that pages of other sites send to write. It can trust
	// some of these sites. If nil, only pages of the service itself may write. Its deny
	// handler is not used.
	CrossOrigin *http.CrossOriginProtection
}

// New returns a handler that serves the responses of h to browsers as pages, and passes
// all other requests to h. h is an *httpapi.Handler, or middleware that changes neither
// paths nor JSON and has the methods Origin, Root and Served of the Handler that it wraps,
// such as a struct that embeds it. To use other middleware, wrap the returned handler. To
// strip a prefix, wrap the returned handler too, with http.StripPrefix.
//
// New returns an error wrapping [httpapi.ErrInvalidConfig] if h is nil or does not have
// these methods.
//
// The returned handler has a method Root() string, which [httpapi.Mount] calls. It is safe
// for concurrent use if h is, and starts no goroutines.
// O(size of the template + number of collections).
func New(h http.Handler, opts Options) (http.Handler, error) {
	known, ok := h.(served)
	if !ok {
		return nil, fmt.Errorf("%w: browse: %T does not have the methods Origin, Root and Served of an *httpapi.Handler: wrap the handler that New returns instead", httpapi.ErrInvalidConfig, h)
	}
	root, collections := known.Root(), collectionsOf(known)
	style := styleFor(collections)
	b := &browser{
		next:        known,
		root:        root,
		title:       cmp.Or(opts.Title, "Catalogue"),
		template:    template.Must(template.New("page").Parse(pageHTML)),
		style:       template.CSS(style),
		policy:      contentPolicy(style),
		escapes:     strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD"),
		crossOrigin: cmp.Or(opts.CrossOrigin, http.NewCrossOriginProtection()),
		collections: make(map[string]*collection),
		records:     make(map[string]*collection),
	}
	for _, c := range collections {
		b.collections[root+c.Segment+"/"] = &c
		b.records[c.Key] = &c
	}
	return b, nil
}

// browser is the handler returned by New. It is immutable.
type browser struct {
	next        served
	root        string // path of the root
	title       string
	template    *template.Template
	style       template.CSS
	policy      string // Content-Security-Policy
	escapes     *strings.Replacer
	crossOrigin *http.CrossOriginProtection
	collections map[string]*collection // by path
	records     map[string]*collection // by key
}

// Root returns the path of the root.
func (b *browser) Root() string { return b.root }

func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isPage := negotiation.PrefersHTML(r.Header["Accept"]) && readQuery(r).get("format") != "json"
	switch {
	case b.isForeign(r) && isPage:
		b.serveResponse(w, r, refusal(http.StatusForbidden, detailForeign))
	case b.isForeign(r):
		refusal(http.StatusForbidden, detailForeign).sendJSON(w)
	case !isPage:
		b.next.ServeHTTP(varying(w, r), r)
	case isForm(r):
		b.servePosted(w, r)
	case b.isFilterForm(r):
		b.serveFilterForm(w, r)
	case isRead(r.Method) && readQuery(r).get(pageParam) != "":
		b.servePageJump(w, r)
	case isRead(r.Method) && readQuery(r).get(recordParam) != "":
		b.serveRecordJump(w, r)
	default:
		b.serveResponse(w, r, b.forward(r))
	}
}

// serveResponse serves a response of the handler as a page.
func (b *browser) serveResponse(w http.ResponseWriter, r *http.Request, resp *response) {
	p := b.newPage(r, resp)
	c, id := b.find(r.URL.Path)
	switch {
	case resp.status == http.StatusBadRequest && isRead(r.Method) && c != nil && id == "":
		p.showResponse(resp)
		p.showFilterFaults(c, readQuery(r), resp)
	case resp.status != http.StatusOK || !isRead(r.Method):
		p.showResponse(resp)
	case r.URL.Path == b.root:
		b.showRoot(p, r, resp)
	case id != "":
		b.showRecord(p, r, resp)
	default:
		b.showList(p, r, resp)
	}
	b.sendPage(w, r, resp, p)
}

// isRead reports whether a method is GET or HEAD. In net/http an empty method is GET.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == ""
}
