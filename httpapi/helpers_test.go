package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

const (
	notFound      = `{"detail":"Not found."}`
	noCredentials = `{"detail":"Authentication credentials were not provided."}`
	internalError = `{"detail":"Internal server error."}`
	readMethods   = "GET, HEAD, OPTIONS"
	listMethods   = "GET, POST, HEAD, OPTIONS"
	recordMethods = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"
)

// stub is a collection of films whose methods can fail. It has all methods that a Handler uses.
type stub struct {
	about    schema.Description
	records  [][]byte // of every page
	count    int
	revision uint64

	// on, if not nil, is called by each method of this name first, and returns its error.
	on func(ctx context.Context, method string) error
}

// newStub returns a stub with n records, the first of which has the id 1.
func newStub(n int) *stub {
	c := &stub{about: schema.Description{
		Key: "films", Segment: "films", Name: "film", Vary: "Accept", Actions: schema.AllActions,
		Ordering: []ordering.Term{{Field: "id"}},
		Fields: []schema.Field{
			{Name: "id", Kind: schema.Integer, ReadOnly: true},
			{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "released"}, Required: true},
		},
		Filters: []string{"status"},
		Search:  []string{"status"},
	}}
	for i := range n {
		c.records = append(c.records, fmt.Appendf(nil, `{"id":%d}`, i+1))
	}
	c.count = n
	return c
}

// failing returns a stub with one record whose methods of this name return an error.
func failing(method string, err error) *stub {
	c := newStub(1)
	c.on = func(_ context.Context, m string) error {
		if m == method {
			return err
		}
		return nil
	}
	return c
}

func (c *stub) call(ctx context.Context, method string) error {
	if c.on == nil {
		return nil
	}
	return c.on(ctx, method)
}

func (c *stub) Description() schema.Description { return c.about }

func (c *stub) Revision(ctx context.Context) (uint64, error) {
	err := c.call(ctx, "Revision")
	return c.revision, err
}

// List returns the records from the offset on, and all terms.
func (c *stub) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	err := c.call(ctx, "List")
	start, end := q.Window.Bounds(len(c.records))
	return catalogue.Listing{Records: c.records[start:end], Count: c.count}, err
}

func (c *stub) Get(ctx context.Context, segment string, _ schema.Filter) ([]byte, error) {
	return fmt.Appendf(nil, `{"id":%d}`, schema.ParseID(segment)), c.call(ctx, "Get")
}

func (c *stub) Create(ctx context.Context, body []byte, _ schema.Record) ([]byte, error) {
	return body, c.call(ctx, "Create")
}

func (c *stub) Update(ctx context.Context, _ string, u catalogue.Edit) ([]byte, error) {
	return u.Body, c.call(ctx, "Update")
}

func (c *stub) Delete(ctx context.Context, _ string, _ schema.Filter, _ func([]byte) error) error {
	return c.call(ctx, "Delete")
}

// listOnly hides all methods of a collection except those of Collection.
type listOnly struct{ Collection }

func newStubHandler(t testing.TB, opts Options, collections ...Collection) *Handler {
	t.Helper()
	h, err := NewHandler(collections, reportingPanics(t, opts))
	must(t, err)
	return h
}

// call describes a request to host.example. The default method is GET.
type call struct {
	method, target string
	header         http.Header
	body           string // application/json, unless the header has another type
}

func (c call) request() *http.Request {
	r := httptest.NewRequest("GET", c.target, strings.NewReader(c.body))
	if c.method != "" {
		r.Method = c.method
	}
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Host = "host.example"
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

func (c call) do(h http.Handler) answer { return serve(h, c.request()) }

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

// send sends a request with a JSON body and returns the status and the body of the response.
func send(h http.Handler, method, target, body string) (status int, text string) {
	got := call{method: method, target: target, body: body}.do(h)
	return got.Status, got.Body
}

func accept(values ...string) http.Header { return http.Header{"Accept": values} }

func ifNoneMatch(tag string) http.Header { return http.Header{"If-None-Match": {tag}} }

// viewHeader returns the complete header of the response of a route.
func viewHeader(allow string, length int) map[string]string {
	return map[string]string{
		"Content-Type":           "application/json",
		"Vary":                   "Accept",
		"Allow":                  allow,
		"X-Frame-Options":        "DENY",
		"Content-Length":         fmt.Sprint(length),
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "same-origin",
	}
}

// discard is a ResponseWriter that keeps the status and the size of the body.
type discard struct {
	header       http.Header
	status, size int
}

func newDiscard() *discard { return &discard{header: http.Header{}} }

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.size += len(p)
	return len(p), nil
}

// panicValue returns the value that f panics with, or nil.
func panicValue(f func()) (reason any) {
	defer func() { reason = recover() }()
	f()
	return nil
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}

// The collections of the second recorded service.
type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	genre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int32  `json:"position" backlist:"default=0"`
	}

	film struct {
		ID         int        `json:"id"`
		Title      string     `json:"title"`
		Slug       string     `json:"slug" backlist:"slug,unique"`
		Synopsis   string     `json:"synopsis" backlist:"blank"`
		Released   *string    `json:"released" backlist:"date"`
		PremiereAt *time.Time `json:"premiereAt"`
		Minutes    int32      `json:"minutes" backlist:"min=0"`
		Rating     *float64   `json:"rating"`
		Price      string     `json:"price" backlist:"decimal=8.2"`
		Status     string     `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool       `json:"published"`
		Director   int        `json:"director" backlist:"refers=directors"`
		Genres     []int      `json:"genres" backlist:"refers=genres"`
		CreatedAt  time.Time  `json:"createdAt" backlist:"created"`
	}
)

var ownNow = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// filmDefinitions returns the definitions of directors, genres and films.
func filmDefinitions() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[genre]("genres", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{
			Now: func() time.Time { return ownNow },
			Description: &schema.Description{
				Search: []string{"title", "synopsis", "director__name"},
				Filters: []string{
					"status", "status__in", "published", "director", "director__in", "genres",
					"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
					"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
					"title", "title__iexact", "title__contains", "title__icontains", "title__startswith",
					"title__istartswith", "title__regex", "premiere_at__gte", "premiere_at__lte", "premiere_at__year",
				},
			},
		}),
	}
}

// mustCatalogue returns an empty catalogue, which is checked when the test ends.
func mustCatalogue(t testing.TB, definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(definitions...)
	must(t, err)
	t.Cleanup(func() {
		if err := c.Check(); err != nil && !errors.Is(err, catalogue.ErrDangling) {
			t.Error(err)
		}
	})
	return c
}

// mustHandler returns the handler of a catalogue.
func mustHandler(t testing.TB, c *catalogue.Catalogue, opts Options) *Handler {
	t.Helper()
	h, err := New(c, reportingPanics(t, opts))
	must(t, err)
	return h
}

// reportingPanics returns options in which a panic fails the test, unless they have an OnError.
func reportingPanics(t testing.TB, opts Options) Options {
	if opts.OnError == nil {
		opts.OnError = func(r *http.Request, err error) {
			if errors.Is(err, ErrPanic) {
				t.Errorf("%s %s: %v", r.Method, r.URL, err)
			}
		}
	}
	return opts
}

// mustDescribe returns the description of the collection with the key, whose records have type T.
func mustDescribe[T any](t testing.TB, key string) schema.Description {
	t.Helper()
	about, err := schema.DescriptionOf[T](key)
	must(t, err)
	return about
}

// collectionOf returns the collection with the key.
func collectionOf(t testing.TB, c *catalogue.Catalogue, key string) catalogue.AnyCollection {
	t.Helper()
	coll, err := c.Collection(key)
	must(t, err)
	return coll
}

// newFilmCatalogue returns an empty catalogue of directors, genres and films.
func newFilmCatalogue(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	return mustCatalogue(t, filmDefinitions()...)
}

func newRecordedFilms(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := newFilmCatalogue(t)
	loadFile(t, c, "testdata/own/dataset.json")
	return c
}

// newRecordedPublisher returns a catalogue of the recorded data of the publishing house.
func newRecordedPublisher(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c, err := resources.New()
	must(t, err)
	loadFile(t, c, "testdata/dataset.json")
	return c
}

// loadFile loads a file.
func loadFile(t testing.TB, c *catalogue.Catalogue, file string) {
	t.Helper()
	data, err := os.Open(file)
	must(t, err)
	defer data.Close()
	must(t, c.Load(data, catalogue.LoadOptions{}))
}

// note is a record with kinds of fields that films do not have.
type note struct {
	ID    int      `json:"id"`
	Tags  []string `json:"tags"`
	Count int      `json:"count" backlist:"default=0"`
	Label string   `json:"label" backlist:"unique,blank"`
	Size  struct {
		W int `json:"w"`
	} `json:"size"`
	Data any     `json:"data,omitempty"`
	Pair *[2]int `json:"pair,omitempty"`
}

type poster struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// newSmallCatalogue returns a catalogue of the records in testdata/films.json. Its papers are
// open records, of which only the list is served.
func newSmallCatalogue(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t, append(filmDefinitions(),
		catalogue.Define[note]("notes", catalogue.Options{}),
		catalogue.Define[schema.Record]("papers", catalogue.Options{
			Description: &schema.Description{Actions: schema.List},
		}),
		catalogue.Define[poster]("posters", catalogue.Options{}),
	)...)
	loadFile(t, c, "testdata/films.json")
	return c
}

func serveFilms(t testing.TB, cat *catalogue.Catalogue) http.Handler {
	t.Helper()
	h := mustHandler(t, cat, Options{Authorizer: AllowAll, OnError: func(r *http.Request, err error) {
		t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}})
	return h
}

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
