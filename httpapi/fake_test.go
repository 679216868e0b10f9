package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// documentKeys are the 39 keys of the service's document.
const documentKeys = `attribute-types attributes authors collaborators direct-sales books
	bookshop-sales carts commissions compensations collaborator-invoices contributions
	credit-notes crowdfundings direct-debit-payments credit-note-lines restockings
	direct-debits events expenses inventories items itemVariants labels products projects
	proposals reshipments services shipments social-links tieins vouchers variants wires
	publishers suppliers news faqs`

const (
	emptyPage      = `{"count":0,"next":null,"previous":null,"results":[]}`
	notFound       = `{"detail":"Not found."}`
	notAcceptable  = `{"detail":"Could not satisfy the request Accept header."}`
	noCredentials  = `{"detail":"Authentication credentials were not provided."}`
	readMethods    = "GET, HEAD, OPTIONS"
	createMethods  = "GET, POST, HEAD, OPTIONS"
	authorizedVary = "Authorization, Accept"
)

// sliceCollection is a collection in a slice, ordered by id.
type sliceCollection struct {
	records [][]byte
	err     error
	onPage  func([]ordering.Term) // called with the terms of each page, if not nil
}

func newCollection(n int) *sliceCollection {
	s := new(sliceCollection)
	for i := range n {
		s.records = append(s.records, fmt.Appendf(nil, `{"id":%d,"name":"<é> & co","tags":[]}`, i+1))
	}
	return s
}

func (c *sliceCollection) Fields(context.Context) ([]string, error) {
	return []string{"id", "name", "start_date"}, c.err
}

func (c *sliceCollection) Page(_ context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if c.onPage != nil {
		c.onPage(terms)
	}
	records := slices.Clone(c.records)
	if len(terms) > 0 && terms[0].Desc {
		slices.Reverse(records)
	}
	return len(records), pagination.Slice(records, w), c.err
}

// creatableCollection is a sliceCollection that is a Creator.
type creatableCollection struct {
	*sliceCollection
	create func(body []byte) ([]byte, error)
}

func (c creatableCollection) Create(_ context.Context, body []byte) ([]byte, error) {
	return c.create(body)
}

// echo returns a record that contains the body.
func echo(body []byte) ([]byte, error) {
	return fmt.Appendf(nil, `{"id":1,"body":%s}`, quote(string(body))), nil
}

// allCollections returns empty collections for all keys, except for those in with.
func allCollections(with map[string]Collection) map[string]Collection {
	all := make(map[string]Collection)
	for key := range strings.FieldsSeq(documentKeys) {
		all[key] = newCollection(0)
	}
	all["events"] = creatableCollection{newCollection(0), echo}
	all["social-links"] = creatableCollection{newCollection(0), echo}
	for key, c := range with {
		all[key] = c
	}
	return all
}

func newTestHandler(t testing.TB, opts Options, with map[string]Collection) *Handler {
	t.Helper()
	h, err := NewHandler(allCollections(with), opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// call describes a request to host.example. The default method is GET.
type call struct {
	method, target string
	header         http.Header
	body           string
	host           string
	remote         string // address and port
}

func (c call) request() *http.Request {
	method := c.method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r := httptest.NewRequest(method, c.target, body)
	r.Host = "host.example"
	if c.host != "" {
		r.Host = c.host
	}
	r.RemoteAddr = c.remote
	for name, values := range c.header {
		r.Header[name] = values
	}
	return r
}

// answer is a complete response.
type answer struct {
	Status int
	Header map[string]string
	Body   string
}

func (c call) do(h http.Handler) answer {
	return serve(h, c.request())
}

func serve(h http.Handler, r *http.Request) answer {
	rec := httptest.NewRecorder()
	rec.Body = new(bytes.Buffer)
	h.ServeHTTP(rec, r)
	a := answer{Status: rec.Code, Header: map[string]string{}, Body: rec.Body.String()}
	for name, values := range rec.Header() {
		a.Header[name] = strings.Join(values, " | ")
	}
	return a
}

func get(h http.Handler, target string) answer { return call{target: target}.do(h) }

// viewHeader returns the complete header of the response of a route.
func viewHeader(vary, allow string, length int) map[string]string {
	return map[string]string{
		"Content-Type":           "application/json",
		"Vary":                   vary,
		"Allow":                  allow,
		"X-Frame-Options":        "DENY",
		"Content-Length":         fmt.Sprint(length),
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "same-origin",
	}
}

func accept(values ...string) http.Header { return http.Header{"Accept": values} }

// fixedCollection returns the same page to every call.
type fixedCollection struct{ page [][]byte }

func (c *fixedCollection) Fields(context.Context) ([]string, error) {
	return []string{"id", "name"}, nil
}

func (c *fixedCollection) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return 1000, c.page, nil
}

// revisionedCollection is a Revisioned that counts the calls of Page.
type revisionedCollection struct {
	Collection
	revision atomic.Uint64
	pages    atomic.Int64
}

func (c *revisionedCollection) Revision(ctx context.Context) (uint64, error) {
	return c.revision.Load(), ctx.Err()
}

func (c *revisionedCollection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	c.pages.Add(1)
	return c.Collection.Page(ctx, w, terms)
}
