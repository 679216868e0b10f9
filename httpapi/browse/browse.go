package browse

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
)

// Options configures the pages. The zero value is ready to use.
type Options struct {
	// Title is the name of the site. If empty, it is "Catalogue".
	Title string
}

// New returns a handler that serves the responses of h to browsers as pages, and passes
// all other requests to h. h is an *httpapi.Handler, or middleware around one that changes
// neither paths nor JSON. The pages show the collections that the methods Root and Served
// of the Handler return. If h does not have these methods, they show the documented
// collections at /api/. To use middleware that does not have them with other collections,
// wrap the returned handler. To strip a prefix, wrap the returned handler too, with
// http.StripPrefix. If h is nil, it responds to all requests with 404.
//
// The returned handler has a method Root() string, which [httpapi.Mount] calls. It is safe
// for concurrent use if h is, and starts no goroutines.
// O(size of the template + number of collections).
func New(h http.Handler, opts Options) http.Handler {
	if h == nil {
		h = http.NotFoundHandler()
	}
	if opts.Title == "" {
		opts.Title = "Catalogue"
	}
	root, collections := served(h)
	style := styleFor(collections)
	b := &browser{
		next:        h,
		root:        root,
		title:       opts.Title,
		template:    template.Must(template.New("page").Parse(pageHTML)),
		style:       template.CSS(style),
		policy:      contentPolicy(style),
		escapes:     strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD"),
		crossOrigin: http.NewCrossOriginProtection(),
		collections: make(map[string]*collection),
		records:     make(map[string]*collection),
	}
	for _, c := range collections {
		b.collections[root+c.Segment+"/"] = &c
		b.records[c.Key] = &c
	}
	return b
}

// browser is the handler returned by New. It is immutable.
type browser struct {
	next        http.Handler
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
	switch {
	case !negotiation.PrefersHTML(r.Header["Accept"]) || readQuery(r).get("format") == "json":
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
