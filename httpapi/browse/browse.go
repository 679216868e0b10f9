package browse

import (
	"html/template"
	"net/http"

	"github.com/gobacklist/backlist/resources"
)

// Options configures the pages. The zero value is ready to use.
type Options struct {
	// Title is the name of the site. If empty, it is "Catalogue".
	Title string
}

// New returns a handler that serves the responses of h to browsers as pages, and passes
// all other requests to h. h is an *httpapi.Handler or middleware around one that
// changes neither paths nor JSON. To strip a prefix, wrap the returned handler, not h,
// with http.StripPrefix. If h is nil, it responds to all requests with 404.
//
// The returned handler is safe for concurrent use if h is, and starts no goroutines.
// O(size of the template).
func New(h http.Handler, opts Options) http.Handler {
	if h == nil {
		h = http.NotFoundHandler()
	}
	if opts.Title == "" {
		opts.Title = "Catalogue"
	}
	b := &browser{
		next:        h,
		title:       opts.Title,
		template:    template.Must(template.New("page").Parse(pageHTML)),
		policy:      contentPolicy(styleCSS),
		crossOrigin: http.NewCrossOriginProtection(),
		collections: make(map[string]resources.Description),
	}
	for _, c := range resources.Descriptions() {
		b.collections[rootPath+c.Segment+"/"] = c
	}
	return b
}

// rootPath is the path of the root.
const rootPath = "/api/"

// browser is the handler returned by New. It is immutable.
type browser struct {
	next        http.Handler
	title       string
	template    *template.Template
	policy      string // Content-Security-Policy
	crossOrigin *http.CrossOriginProtection
	collections map[string]resources.Description // by path
}

func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !wantsHTML(r.Header["Accept"]) || readQuery(r).get("format") == "json":
		b.next.ServeHTTP(varying(w, r), r)
	case isForm(r):
		b.servePosted(w, r)
	default:
		b.serveResponse(w, r, b.forward(r))
	}
}

// serveResponse serves a response of the handler as a page.
func (b *browser) serveResponse(w http.ResponseWriter, r *http.Request, resp *response) {
	p := b.newPage(r, resp)
	switch {
	case resp.status != http.StatusOK || !isRead(r.Method):
		p.showResponse(resp)
	case r.URL.Path == rootPath:
		b.showRoot(p, r, resp)
	default:
		b.showList(p, r, resp)
	}
	b.send(w, r, resp, p)
}

// isRead reports whether a method is GET or HEAD. In net/http an empty method is GET.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == ""
}
