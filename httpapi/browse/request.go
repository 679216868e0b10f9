package browse

import (
	"bytes"
	"html/template"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// view is the state of one request that is answered with a page.
type view struct {
	*browser
	w       http.ResponseWriter
	r       *http.Request
	handler wire.Operations // that the request has reached, or nil
	header  http.Header     // that middleware has set
	query   query
	c       *collection // that the path names, or nil
	id      string      // its segment of the path if that is the path of a record, or ""
	known   map[referred]*known
	asked   int           // records that were requested for their names
	took    time.Duration // of the response to the request
	row     filterRow     // a filter to add
	ignored []string      // names in the query that nothing reads

	// What the page of a response shows beside it:
	refused string         // why the service does not accept the token, or ""
	form    *form          // that was rejected
	kept    *wire.Recorder // the record that was not deleted
}

func (b *browser) newView(w http.ResponseWriter, r *http.Request) *view {
	v := &view{browser: b, w: w, r: r, known: make(map[referred]*known), header: make(http.Header)}
	v.c, v.id = b.find(r.URL.Path)
	v.query = v.c.parse(r.URL.RawQuery)
	v.row = filterRow{Field: v.query.take(fieldName), Lookup: v.query.take(lookupName), Value: v.query.take(valueName)}
	return v
}

// Parameters of a form for a record. They are in the query so that they cannot be names of
// fields.
const (
	methodName = "_method" // of the request to send: forms can only send GET and POST
	listName   = "_list"   // query of the list that led to the record
	tagName    = "_tag"    // what the page has shown that asks whether to delete the record
)

// Parameters that only the form for filters sends. The request is redirected to one without them.
const (
	filterMarker = "_filter"
	fieldName    = "_field"
	lookupName   = "_lookup"
	valueName    = "_value"
)

// filterRow is the row of the form that adds a filter, with what the visitor has sent if that is wrong.
type filterRow struct {
	Field, Lookup, Value string
	Fields, Lookups      []option
	Values               []string // labels of choices and names of records, of all fields
	Fault                string
}

// isForm reports whether the request is a form of a page, which has the parameter _method.
func (v *view) isForm() bool {
	return v.r.Method == http.MethodPost && v.query.get(methodName) != "" && formdata.Is(v.r.Header.Get("Content-Type"))
}

// isStated reports whether the sender of a request states the page that sent it, as browsers do.
func isStated(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
}

// query is the query of a request, from which links to the same path are made.
type query struct{ values url.Values }

// parseQuery parses a raw query as the handler does. Unlike net/url, it drops nothing.
func parseQuery(raw string) query {
	q := query{make(url.Values)}
	for name, value := range pagination.ParseQuery(raw).All() {
		q.values.Add(name, value)
	}
	return q
}

// parse parses the query of a request for the collection, which may be nil. The names of its filters
// are then in snake_case.
func (c *collection) parse(raw string) query {
	q := parseQuery(raw)
	if c == nil {
		return q
	}
	for name, values := range q.values {
		if to := c.Named(name); to != name && slices.Contains(c.Filters, to) {
			delete(q.values, name)
			q.values[to] = append(q.values[to], values...)
		}
	}
	return q
}

// get returns the last value of a parameter, as the handler does, or "".
func (q query) get(name string) string {
	if values := q.values[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// take returns what get does, and removes the parameter.
func (q query) take(name string) string {
	defer q.values.Del(name)
	return q.get(name)
}

// with returns a link to the same path with changed parameters, given as alternating
// names and values. An empty value removes a parameter. There is no format unless given.
func (q query) with(changes ...string) string {
	values := maps.Clone(q.values)
	values.Del("format")
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" || changes[i] == "" {
			values.Del(changes[i])
		} else {
			values.Set(changes[i], changes[i+1])
		}
	}
	if encoded := values.Encode(); encoded != "" {
		return "?" + encoded
	}
	return "./"
}

// maxRepeated is the number of bytes that the rows of a page may add to it by repeating its
// query, and so may its header, its facets and its filters.
const maxRepeated = 256 << 10

// repeats reports whether a part of a page may have n links with the query.
func (q query) repeats(n int) bool { return n*len(q.values.Encode()) <= maxRepeated }

// step is an element of the breadcrumb. The last has no link.
type step struct{ Name, Link string }

// kept returns the parameters whose names satisfy keep, for a form that sends them too.
func (q query) kept(keep func(name string) bool) (kept []option) {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if name == "format" || !keep(name) {
			continue
		}
		for _, value := range q.values[name] {
			kept = append(kept, option{Label: name, Value: value})
		}
	}
	return kept
}

// forward passes the browser's request to the handler and returns its JSON response. It
// sends HEAD as GET, since the page is made from the body.
func (v *view) forward() *wire.Recorder {
	in := v.r.Clone(v.r.Context())
	if in.Method == http.MethodHead {
		in.Method = http.MethodGet
	}
	begin := time.Now()
	resp := v.newResponse()
	v.handler.Unread(resp, in, v.ignore)
	resp.WriteHeader(http.StatusOK) // no effect if it has been called
	v.took = time.Since(begin)
	return resp
}

// maxIgnored is the number of names that a page says are ignored.
const maxIgnored = 10

// ignore makes the page say that nothing reads a name in the query, unless the page itself does. Links
// leave out the names that it does not say.
func (v *view) ignore(name string, known []string) {
	switch {
	case strings.HasPrefix(name, "_"):
		return
	case len(v.ignored) == maxIgnored:
		if !wire.Selects(v.c.Description, name) { // otherwise it is a term of an ordering, too
			delete(v.query.values, name)
		}
		return
	}
	name = cut(name)
	if hint := ordering.Suggest(name, known); strings.HasPrefix(hint, "did you mean") {
		name += "; " + hint
	}
	if !slices.Contains(v.ignored, name) {
		v.ignored = append(v.ignored, name)
	}
}

// get requests JSON from the handler.
func (v *view) get(path string) *wire.Recorder {
	return v.ask(v.request(http.MethodGet, path, "", nil))
}

// request returns an additional request to the handler, with the headers of the browser's. The body,
// unless it is nil, is JSON.
func (v *view) request(method, path, query string, body []byte) *http.Request {
	in := v.r.Clone(v.r.Context())
	in.Method = method
	in.URL = &url.URL{Path: path, RawQuery: query}
	in.RequestURI = in.URL.RequestURI()
	in.Body, in.ContentLength, in.TransferEncoding = http.NoBody, int64(len(body)), nil
	for _, name := range []string{"Content-Length", "Content-Type", "Expect"} {
		in.Header.Del(name)
	}
	if body != nil {
		in.Body = io.NopCloser(bytes.NewReader(body))
		in.Header.Set("Content-Type", "application/json")
	}
	return in
}

// write sends a request that writes to the path of the page, if the record passes a check or that is
// nil.
func (v *view) write(method, query string, body []byte, check func(record []byte) bool) *wire.Recorder {
	in := v.request(method, v.r.URL.Path, query, body)
	return v.ask(in.WithContext(wire.WithCheck(in.Context(), check)))
}

// counts returns the numbers of records that a query and each selection select. They are negative if
// that fails.
func (v *view) counts(path, query string, selections []url.Values) []int {
	counts := slices.Repeat([]int{-1}, len(selections))
	v.sel(path, query, func(s wire.Selection) error {
		all, err := s.Counts(selections)
		copy(counts, all)
		return err
	})
	return counts
}

// list returns the first records that a query selects, and the number of all, which is negative if
// that fails.
func (v *view) list(path, query string, first int) (records []schema.Record, count int) {
	var texts [][]byte
	ok := v.sel(path, query, func(s wire.Selection) (err error) {
		texts, count, err = s.First(first)
		return err
	})
	if records, valid := recordsOf(texts); ok && valid {
		return records, count
	}
	return nil, -1
}

// sel calls a function with what a query selects, and reports whether it succeeds.
func (v *view) sel(path, query string, use func(wire.Selection) error) bool {
	return v.r.Context().Err() == nil && v.admit(v.request(http.MethodGet, path, query, nil), use) == nil
}

// ask sends the handler a request.
func (v *view) ask(in *http.Request) *wire.Recorder {
	resp := v.newResponse()
	v.handler.ServeHTTP(resp, in)
	resp.WriteHeader(http.StatusOK) // no effect if it has been called
	return resp
}

// denied returns the response of the handler if the sender of the request may not send a method to a
// path, and nil otherwise.
func (v *view) denied(method, path string) *wire.Recorder {
	return v.admit(v.request(method, path, "", nil), nil)
}

// admit calls a function, unless it is nil, with what a request selects. It returns the response of the
// handler if that does not permit the request or the function fails, and nil otherwise.
func (v *view) admit(in *http.Request, use func(wire.Selection) error) *wire.Recorder {
	resp := v.newResponse()
	if v.handler.Admit(resp, in, use) {
		return nil
	}
	return resp
}

func (v *view) newResponse() *wire.Recorder { return wire.NewRecorder(v.header.Clone()) }

// refusal returns a response to a request that the handler is not sent.
func (v *view) refusal(status int, body []byte) *wire.Recorder {
	return &wire.Recorder{Status: status, Sent: v.header.Clone(), Body: body}
}

// recordOf returns the record that is the body of a response of 200. It returns false if that fails.
func recordOf(resp *wire.Recorder) (schema.Record, bool) {
	if resp.Status != http.StatusOK {
		return schema.Record{}, false
	}
	record, err := schema.ParseKeyed(resp.Body)
	return record, err == nil
}

// recordsOf parses records. It returns false if that fails.
func recordsOf[T ~[]byte](texts []T) (records []schema.Record, ok bool) {
	for _, text := range texts {
		record, err := schema.ParseKeyed(text)
		if err != nil {
			return nil, false
		}
		records = append(records, record)
	}
	return records, true
}

// redirect redirects to a relative link.
func (v *view) redirect(location string) {
	wire.AddVary(v.w.Header(), []string{"Accept"})
	v.w.Header().Set("Location", location)
	v.w.WriteHeader(http.StatusSeeOther)
}

// listLink returns the link from a record to its list, with the order and the place from which
// the visitor has come.
func (v *view) listLink() string {
	return "../" + strings.TrimPrefix(parseQuery(v.query.get(listName)).with(), "./")
}

// cleanLink returns a link to the page without the parameters of its forms.
func (v *view) cleanLink(changes ...string) string {
	return v.query.with(append(changes, methodName, "", tagName, "")...)
}

// rootLink returns a relative link from the path of r to the root, so that it is valid
// under any prefix.
func (b *browser) rootLink(r *http.Request) string {
	path, root := r.URL.EscapedPath(), (&url.URL{Path: b.served.Root}).EscapedPath()
	up, down := 0, strings.TrimPrefix(root, "/")
	if rest, ok := strings.CutPrefix(path, root); ok {
		up, down = strings.Count(rest, "/"), ""
	} else if slashes := strings.Count(path, "/"); slashes > 0 {
		up = slashes - 1
	}
	return "./" + strings.Repeat("../", up) + down
}

// handler is an [httpapi.Handler], or a type that embeds one.
type handler interface {
	http.Handler
	Base(r *http.Request) string
	Served() httpapi.Served
}

// browser is the handler returned by New. It is immutable.
type browser struct {
	title, scheme, openAPI string
	crossOrigin            *http.CrossOriginProtection

	served        httpapi.Served
	next          handler
	style, hash   string // the stylesheet
	template      *template.Template
	collections   []*collection
	sorted        []*collection // by their names on pages
	byPath, byKey map[string]*collection
}

// find returns the collection that a path names, or nil, and the segment with the id if
// it is the path of a record.
func (b *browser) find(path string) (c *collection, id string) {
	if c := b.byPath[path]; c != nil {
		return c, ""
	}
	of, id, ok := wire.SplitRecord(path)
	c = b.byPath[of]
	if !ok || c == nil || wire.HasFormat(id) && c.Lookup == "" || c.Actions&wire.RecordActions == 0 {
		return nil, ""
	}
	return c, id
}
