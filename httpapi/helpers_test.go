package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
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

// documented returns the descriptions of the documented collections, in the order of the
// document.
var documented = sync.OnceValue(func() (list []schema.Description) {
	for _, c := range mustNew().All() {
		list = append(list, c.Description())
	}
	return list
})

// A keyed fake has the description of the collection as which it is served.
type keyed struct{ about schema.Description }

func (k *keyed) Description() schema.Description   { return k.about }
func (k *keyed) describe(about schema.Description) { k.about = about }

// fake is a collection with a keyed.
type fake interface {
	Collection
	describe(schema.Description)
}

// sliceCollection is a collection in a slice, ordered by id.
type sliceCollection struct {
	keyed
	records [][]byte
	err     error
	onList  func(catalogue.Query) // called with each query, if not nil
}

func newCollection(n int) *sliceCollection {
	s := new(sliceCollection)
	for i := range n {
		s.records = append(s.records, fmt.Appendf(nil, `{"id":%d,"name":"<é> & co","tags":[]}`, i+1))
	}
	return s
}

// List knows the fields id, name and start_date. A leading term that descends reverses
// the records.
func (c *sliceCollection) List(_ context.Context, q catalogue.Query) (catalogue.List, error) {
	if c.onList != nil {
		c.onList(q)
	}
	terms := slices.DeleteFunc(slices.Clone(q.Terms), func(t ordering.Term) bool {
		return !slices.Contains([]string{"id", "name", "start_date"}, t.Field)
	})
	records := slices.Clone(c.records)
	if len(terms) > 0 && terms[0].Desc {
		slices.Reverse(records)
	}
	start, end := q.Window.Bounds(len(records))
	return catalogue.List{Records: records[start:end], Count: len(records), Terms: terms}, c.err
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
func allCollections(with map[string]Collection) (all []Collection) {
	for _, about := range documented() {
		c := with[about.Key]
		if c == nil && about.Actions.Has(schema.Create) {
			c = creatableCollection{newCollection(0), echo}
		} else if c == nil {
			c = newCollection(0)
		}
		if c, ok := c.(fake); ok {
			c.describe(about)
		}
		all = append(all, c)
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
type fixedCollection struct {
	keyed
	page [][]byte
}

func (c *fixedCollection) List(context.Context, catalogue.Query) (catalogue.List, error) {
	return catalogue.List{Records: c.page, Count: 1000}, nil
}

// revisionedCollection is a Revisioner that counts the calls of List.
type revisionedCollection struct {
	fake
	revision atomic.Uint64
	lists    atomic.Int64
}

func (c *revisionedCollection) Revision(ctx context.Context) (uint64, error) {
	return c.revision.Load(), ctx.Err()
}

func (c *revisionedCollection) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	c.lists.Add(1)
	return c.fake.List(ctx, q)
}

const recordMethods = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"

// filmDescription describes a collection with all actions.
func filmDescription() schema.Description {
	zero := 0
	return schema.Description{
		Key: "films", Segment: "films", Name: "film", Vary: "Accept", Actions: schema.AllActions,
		Ordering: []ordering.Term{{Field: "id"}},
		Fields: []schema.Field{
			{Name: "id", Kind: schema.Integer, ReadOnly: true},
			{Name: "minutes", Kind: schema.Integer, Required: true, Min: &zero},
			{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "in_post"}, Default: `"announced"`},
			{Name: "director", Kind: schema.Reference, Refers: "directors", Required: true},
		},
		Filters: []string{"status", "minutes__gte", "director"},
		Search:  []string{"director__name"},
	}
}

// filmCollection is a collection of films 1 and 2 that records the calls of its methods.
// A filter for the status "bogus" is invalid, one for "hidden" selects nothing, and
// another film refers to film 2.
type filmCollection struct {
	*sliceCollection
	revision    uint64
	description schema.Description
	calls       []string
	err         error
}

func newFilms() *filmCollection {
	return &filmCollection{sliceCollection: newCollection(2), description: filmDescription()}
}

func (c *filmCollection) called(format string, args ...any) {
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
}

func (c *filmCollection) Description() schema.Description { return c.description }

func (c *filmCollection) Revision(context.Context) (uint64, error) { return c.revision, nil }

func (c *filmCollection) Create(_ context.Context, body []byte) ([]byte, error) {
	c.called("Create %s", body)
	return echo(body)
}

func (c *filmCollection) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	c.called("List %s %d %s", q.Params.Encode(), q.Window.Limit, ordering.Format(q.Terms))
	if err := c.find("1", q.Params); err != nil {
		return catalogue.List{}, err
	}
	return c.sliceCollection.List(ctx, q)
}

func (c *filmCollection) Get(_ context.Context, segment string, params url.Values) ([]byte, error) {
	c.called("Get %s %s", segment, params.Encode())
	return fmt.Appendf(nil, `{"id":%d}`, schema.ParseID(segment)), c.find(segment, params)
}

func (c *filmCollection) Update(_ context.Context, segment string, params url.Values, body []byte, partial bool, _ func([]byte) error) ([]byte, error) {
	c.called("Update %s %s %s %t", segment, params.Encode(), body, partial)
	if strings.Contains(string(body), "bad") {
		return nil, schema.FieldErrors{{Field: "minutes", Messages: []string{"Bad <value>."}}}
	}
	return echo(body)
}

func (c *filmCollection) Delete(_ context.Context, segment string, params url.Values, _ func([]byte) error) error {
	c.called("Delete %s %s", segment, params.Encode())
	if err := c.find(segment, params); err != nil || segment != "2" {
		return err
	}
	return fmt.Errorf("films: %w", &catalogue.ReferenceError{Collection: "sequels", ID: 7, Field: "film"})
}

// find returns the error of a request for a record.
func (c *filmCollection) find(segment string, params url.Values) error {
	switch id := schema.ParseID(segment); {
	case c.err != nil:
		return c.err
	case slices.Contains(params["status"], "bogus"):
		return schema.FieldErrors{{Field: "status", Messages: []string{"Select a valid choice."}}}
	case id < 1 || id > 2, slices.Contains(params["status"], "hidden"):
		return fmt.Errorf("films: %w: id %d", catalogue.ErrNotFound, id)
	}
	return nil
}

// newFilmsHandler returns a handler that serves only films.
func newFilmsHandler(t testing.TB, opts Options) (*Handler, *filmCollection) {
	t.Helper()
	films := newFilms()
	h, err := NewHandler([]Collection{films}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h, films
}

// taggedFilms is a filmCollection with stored records. It is not safe for concurrent use.
type taggedFilms struct {
	*filmCollection
	records map[int]string
}

// newTaggedFilms returns a handler of films 1 and 2.
func newTaggedFilms(t *testing.T, opts Options) *Handler {
	t.Helper()
	opts.Authorizer = AllowAll
	films := &taggedFilms{newFilms(), map[int]string{1: `{"id":1,"minutes":90}`, 2: `{"id":2,"minutes":80}`}}
	h, err := NewHandler([]Collection{films}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (c *taggedFilms) Get(_ context.Context, segment string, params url.Values) ([]byte, error) {
	if err := c.find("1", params); err != nil {
		return nil, err
	}
	record := c.records[schema.ParseID(segment)]
	if record == "" {
		return nil, fmt.Errorf("films: %w: %s", catalogue.ErrNotFound, segment)
	}
	return []byte(record), nil
}

// passing returns an error unless the record of a path passes a condition.
func (c *taggedFilms) passing(ctx context.Context, segment string, params url.Values, condition func([]byte) error) error {
	record, err := c.Get(ctx, segment, params)
	if err == nil && condition != nil {
		err = condition(record)
	}
	return err
}

func (c *taggedFilms) Create(_ context.Context, body []byte) ([]byte, error) {
	return c.store(len(c.records)+1, body)
}

func (c *taggedFilms) Update(ctx context.Context, segment string, params url.Values, body []byte, _ bool, condition func([]byte) error) ([]byte, error) {
	if err := c.passing(ctx, segment, params, condition); err != nil {
		return nil, err
	}
	return c.store(schema.ParseID(segment), body)
}

func (c *taggedFilms) Delete(ctx context.Context, segment string, params url.Values, condition func([]byte) error) error {
	err := c.passing(ctx, segment, params, condition)
	if err == nil {
		delete(c.records, schema.ParseID(segment))
	}
	return err
}

func (c *taggedFilms) store(id int, body []byte) ([]byte, error) {
	var film struct{ Minutes int }
	if json.Unmarshal(body, &film) != nil || film.Minutes < 0 {
		return nil, schema.FieldErrors{{Field: "minutes", Messages: []string{"A valid integer is required."}}}
	}
	c.records[id] = fmt.Sprintf(`{"id":%d,"minutes":%d}`, id, film.Minutes)
	return []byte(c.records[id]), nil
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
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
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *json.Number     `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

var ownNow = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// newFilmHouse returns an empty catalogue of directors, genres and films.
func newFilmHouse(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	house, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Search: []string{"^name", "=slug"}}}),
		catalogue.Define[genre]("genres", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{
			Now: func() time.Time { return ownNow },
			Description: &schema.Description{
				Search:  []string{"title", "synopsis", "director__name"},
				Filters: []string{"status", "director", "genres", "minutes", "minutes__gte", "minutes__lt", "released__isnull", "title__icontains"},
			},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return house
}

// recordedFilms returns a handler of the recorded films. It permits all writes.
func recordedFilms(t testing.TB) http.Handler {
	t.Helper()
	house := newFilmHouse(t)
	data, err := os.Open("testdata/own/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := house.Load(data, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return serveFilms(t, house)
}

func serveFilms(t testing.TB, house *catalogue.Catalogue) http.Handler {
	t.Helper()
	h, err := New(house, Options{Authorizer: AllowAll, OnError: func(r *http.Request, err error) {
		t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// send sends a request with a JSON body and returns the status and the body of the
// response.
func send(h http.Handler, method, target, body string) (status int, text string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}
