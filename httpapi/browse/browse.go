package browse

import (
	"html/template"
	"net/http"

	"github.com/gobacklist/backlist/resources"
)

// Options changes how pages look. The zero value is ready.
type Options struct {
	// Title is what the pages call the whole. Empty: "Catalogue".
	Title string
}

// New returns a handler that shows browsers the answers of h as pages and lets
// all other requests pass to it. h is a *httpapi.Handler, or one around it that
// leaves paths and JSON alone; it must not be behind http.StripPrefix, which goes
// around the result. A nil h finds nothing. The result serves any number of
// requests at once if h does, and starts no goroutines. O(size of the template).
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

// rootPath is the path of the root as the handler sees it.
const rootPath = "/api/"

// browser is the handler. It never changes.
type browser struct {
	next        http.Handler
	title       string
	template    *template.Template
	policy      string // Content-Security-Policy
	crossOrigin *http.CrossOriginProtection
	collections map[string]resources.Description // by path
}

// ServeHTTP decides who is a browser.
func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !wantsHTML(r.Header["Accept"]) || readQuery(r).get("format") == "json":
		b.next.ServeHTTP(varying(w, r), r)
	case isForm(r):
		b.servePosted(w, r)
	default:
		b.serveAnswer(w, r, b.ask(r))
	}
}

// serveAnswer shows what the handler answered.
func (b *browser) serveAnswer(w http.ResponseWriter, r *http.Request, a *answer) {
	p := b.newPage(r, a)
	switch {
	case a.status != http.StatusOK || !isRead(r.Method):
		p.showAnswer(a)
	case r.URL.Path == rootPath:
		b.showRoot(p, r, a)
	default:
		b.showList(p, r, a)
	}
	b.send(w, r, a, p)
}

// isRead reports whether a method is GET, which "" is to net/http, or HEAD.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == ""
}
