package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/rows"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// bareCollection is a collection without a ShownTypes or Create method.
type bareCollection struct{ about schema.Description }

func (c bareCollection) Description() schema.Description { return c.about }

func (c bareCollection) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	return catalogue.Listing{}, nil
}

// typedCollection is one whose record type is known, but not its fields.
type typedCollection struct{ bareCollection }

func (typedCollection) ShownTypes() (record, listed reflect.Type) {
	record = reflect.TypeFor[struct{ Warm bool }]()
	return record, record
}

func TestOptions(t *testing.T) {
	const base = "https://books.example/base"
	byDefault := map[string]string{"title": "Catalogue", "version": "1", "description": "Collections of records, which are read in pages."}
	tests := []struct {
		reason  string
		base    string
		opts    Options
		info    map[string]string
		server  string
		openapi string
	}{
		{"zero options", "", Options{}, byDefault, "/", "3.1.0"}, // "/" is the specification's default
		{"base URL of the handler", base + "/", Options{}, byDefault, base, "3.1.0"},
		{"all options", base, Options{Title: "<T>", Version: "2.0", Description: "*D*", Server: "/shop/"},
			map[string]string{"title": "<T>", "version": "2.0", "description": "*D*"}, "/shop", "3.1.0"},
		{"URL as server", "", Options{Server: "http://x.example:8080"}, byDefault, "http://x.example:8080", "3.1.0"},
		{"root path as server", base, Options{Server: "/"}, byDefault, "/", "3.1.0"},
	}
	for _, tt := range tests {
		d := documentOf(t, mustNew(), httpapi.Options{BaseURL: tt.base}, tt.opts)
		if d.OpenAPI != tt.openapi {
			t.Errorf("%s: OpenAPI %q, want %q", tt.reason, d.OpenAPI, tt.openapi)
		}
		servers := []map[string]string{{"url": tt.server}}
		if diff := cmp.Diff(tt.info, d.Info) + cmp.Diff(servers, d.Servers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	h, err := httpapi.New(mustNew(), httpapi.Options{})
	must(t, err)
	for reason, opts := range map[string]Options{
		"invalid URL":           {Server: "http://[::1"},
		"relative path":         {Server: "shop"},
		"host without a scheme": {Server: "//x.example/shop"},
		"unsupported scheme":    {Server: "ftp://x.example"},
		"no host":               {Server: "https:///shop"},
		"query":                 {Server: "/shop?x=1"},
		"empty query":           {Server: "/shop?"},
		"fragment":              {Server: "/shop#x"},
		"template variable":     {Server: "https://{host}/"},
		"white space in Scheme": {Scheme: "Bearer s3cret"},
	} {
		if d, err := New(h, opts); !errors.Is(err, httpapi.ErrInvalidConfig) || d != nil {
			t.Errorf("%s: New = %v, %v, want ErrInvalidConfig", reason, d, err)
		}
	}
	if _, err := New(nil, Options{}); !errors.Is(err, httpapi.ErrInvalidConfig) {
		t.Errorf("New with a nil handler: error %v, want ErrInvalidConfig", err)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		reason string
		limits pagination.Limits
		want   string
	}{
		{"default limits", pagination.Limits{}, `{"type":"integer","minimum":1,"maximum":1000,"default":21}`},
		{"custom limits", pagination.Limits{Default: 50, Max: 100}, `{"type":"integer","minimum":1,"maximum":100,"default":50}`},
		{"maximum below the default", pagination.Limits{Max: 5}, `{"type":"integer","minimum":1,"maximum":5,"default":5}`},
		{"no maximum", pagination.Limits{Max: -1}, `{"type":"integer","minimum":1,"default":21}`},
	} {
		d := documentOf(t, mustNew(), httpapi.Options{Pages: tt.limits}, Options{})
		equal(t, tt.reason, tt.want, compactJSON(t, d.parameterSchema(t, "limit")))
	}
}

func compactJSON(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	must(t, json.Compact(&b, text))
	return b.String()
}

// A collection without a ShownTypes method is described as a plain object, unless the
// service's document describes its records.
func TestUnknownTypes(t *testing.T) {
	own, err := catalogue.New(catalogue.Define[schema.Record]("notes", catalogue.Options{}), catalogue.Define[director]("directors", catalogue.Options{}))
	must(t, err)
	var served []httpapi.Collection
	for _, c := range own.All() {
		served = append(served, c)
	}
	h, err := httpapi.NewHandler(append(served,
		bareCollection{schema.Description{Key: "items", Segment: "items", Name: "item", Actions: schema.List}},
		typedCollection{bareCollection{schema.Description{Key: "hats", Segment: "hats", Name: "hat", Actions: schema.List}}},
		bareCollection{schema.Description{Key: "events", Segment: "events", Name: "event", Actions: schema.List,
			Fields: []schema.Field{{Name: "id", Kind: schema.Integer}, {Name: "name", Kind: schema.Text}}, Sortable: []string{"name", "name"}}},
	), httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	d := documentOfHandler(t, h, Options{})
	for name, want := range map[string]string{
		"Object":            `{"type":"object"}`,
		"Hat":               ``,
		"EventOrderingTerm": `{"type":"string","enum":["name","-name"]}`,
		"Record":            `{"type":"object","properties":{"id":{"type":"integer","format":"int64"}},"required":["id"],"additionalProperties":{}}`,
		"Item":              ``,
		"NewEvent":          ``, // the collection is read-only
	} {
		var got string
		if text := d.Components.Schemas[name]; text != nil {
			got = compactJSON(t, text)
		}
		equal(t, name, want, got)
	}
	if got := string(d.operation(t, "/api/items/", "get").Responses["200"]); !strings.Contains(got, "schemas/ObjectPage") {
		t.Errorf("GET /api/items/ returns %s, want an ObjectPage", got)
	}
	if _, ok := d.Paths["/api/events/"]["post"]; ok || d.Paths["/api/directors/"]["post"] == nil {
		t.Error("POST is described for events, or not for directors")
	}
}

// The document does not depend on the stored records.
func TestDocumentIsDeterministic(t *testing.T) {
	cat := mustNew()
	document := func() *Document { return newDocument(t, cat, Options{Title: "a < b & c"}) }
	d := document()
	text := string(d.JSON())
	clear(d.JSON()) // JSON returns a copy
	must(t, cat.Load(strings.NewReader(`{"books":[{"id":1,"new":1}]}`), catalogue.LoadOptions{}))
	if diff := cmp.Diff(text, string(d.JSON())) + cmp.Diff(text, string(document().JSON())); diff != "" {
		t.Errorf("the document and another one of the same catalogue (-want +got):\n%s", diff)
	}
	if !strings.Contains(text, `"title": "a < b & c"`) || !strings.HasSuffix(text, "}\n") {
		t.Error("the document escapes HTML or has no trailing newline")
	}
}

func TestServeHTTP(t *testing.T) {
	d := newDocument(t, mustNew(), Options{})
	do := func(method, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/anywhere", nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	etag := do("GET", "").Header().Get("Etag")
	if len(etag) < 10 {
		t.Errorf("ETag %q", etag)
	}
	for _, tt := range []struct {
		reason, method, etag string
		status               int
		body                 string
	}{
		{"GET", "GET", "", http.StatusOK, string(d.JSON())},
		{"HEAD", "HEAD", "", http.StatusOK, ""},
		{"matching tag", "GET", etag, http.StatusNotModified, ""},
		{"different tag", "GET", `"other"`, http.StatusOK, string(d.JSON())},
		{"other method", "POST", "", http.StatusMethodNotAllowed, `{"detail":"Method \"POST\" not allowed."}`},
		{"method of clients that explore", "OPTIONS", "", http.StatusMethodNotAllowed, `{"detail":"Method \"OPTIONS\" not allowed."}`},
	} {
		w := do(tt.method, tt.etag)
		if diff := cmp.Diff(tt.body, w.Body.String()); w.Code != tt.status || diff != "" {
			t.Errorf("%s: status %d, want %d; body (-want +got):\n%s", tt.reason, w.Code, tt.status, diff)
		}
		if sniff := w.Header().Get("X-Content-Type-Options"); sniff != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", tt.reason, sniff)
		}
		if kind := w.Header().Get("Content-Type"); tt.status != http.StatusNotModified && kind != "application/json" {
			t.Errorf("%s: Content-Type %q", tt.reason, kind)
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (tt.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s: Allow %q", tt.reason, allow)
		}
	}
}

type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	film struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *float64         `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

// filmCatalogue returns a catalogue of directors, genres and films. The genres are open
// records with a description.
func filmCatalogue(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[schema.Record]("genres", catalogue.Options{
			Description: &schema.Description{
				Name:    "genre",
				Actions: schema.AllActions,
				Fields: []schema.Field{
					{Name: "id", Kind: schema.Integer, ReadOnly: true},
					{Name: "name", Kind: schema.Text, Required: true, Unique: true, Check: func(string) error { return nil }},
					{Name: "position", Kind: schema.Integer, Default: "0", Min: "-10"},
				},
			},
		}),
		catalogue.Define[film]("films", catalogue.Options{
			Description: &schema.Description{
				Search: []string{"title", "synopsis", "director__name"},
				Filters: []string{
					"status", "status__in", "published", "director", "director__in", "genres",
					"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
					"released", "released__isnull", "price__gte", "rating__lte", "premiere_at__gte",
					"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
				},
			},
		}),
	)
	must(t, err)
	return cat
}

// parsedDocument holds the parts of a document that the tests check.
type parsedDocument struct {
	OpenAPI    string
	Info       map[string]string
	Servers    []map[string]string
	Security   []map[string][]string
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas         map[string]json.RawMessage
		Parameters      map[string]json.RawMessage
		SecuritySchemes map[string]map[string]string
	}
}

// operationParts are the parts of an operation that tests check.
type operationParts struct {
	OperationID, Description string
	Parameters               []struct {
		Ref string `json:"$ref"`
	}
	RequestBody json.RawMessage
	Responses   map[string]json.RawMessage
	Security    []map[string][]string
}

// newDocument returns the document of a catalogue that is served without options.
func newDocument(t *testing.T, cat *catalogue.Catalogue, opts Options) *Document {
	t.Helper()
	h, err := httpapi.New(cat, httpapi.Options{})
	must(t, err)
	d, err := New(h, opts)
	must(t, err)
	return d
}

func documentOf(t *testing.T, cat *catalogue.Catalogue, handler httpapi.Options, opts Options) (d parsedDocument) {
	t.Helper()
	h, err := httpapi.New(cat, handler)
	must(t, err)
	return documentOfHandler(t, h, opts)
}

func documentOfHandler(t *testing.T, h *httpapi.Handler, opts Options) (d parsedDocument) {
	t.Helper()
	document, err := New(h, opts)
	must(t, err)
	must(t, json.Unmarshal(document.JSON(), &d))
	return d
}

func (d parsedDocument) parameterSchema(t *testing.T, name string) json.RawMessage {
	t.Helper()
	var p struct{ Schema json.RawMessage }
	must(t, json.Unmarshal(d.Components.Parameters[name], &p))
	return p.Schema
}

// operation returns an operation of a path, or the zero value if none exists.
func (d parsedDocument) operation(t *testing.T, path, method string) (op operationParts) {
	t.Helper()
	if text := d.Paths[path][method]; text != nil {
		must(t, json.Unmarshal(text, &op))
	}
	return op
}

// parameters returns the names of the parameters of an operation without those of its
// path.
func (op operationParts) parameters() (list []string) {
	for _, p := range op.Parameters {
		list = append(list, strings.TrimPrefix(p.Ref, "#/components/parameters/"))
	}
	return list
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// TestFilms compares parts of the document of filmCatalogue with those in testdata. The name
// of a section is a JSON pointer (RFC 6901). A part that is empty does not exist.
func TestFilms(t *testing.T) {
	document := newDocument(t, filmCatalogue(t), Options{})
	_, parts := rows.Texts(t, "films.txtar")
	filters := 0
	for _, p := range parts {
		part := json.RawMessage(document.JSON())
		for token := range strings.SplitSeq(p.Name[1:], "/") {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(part, &members); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			part = members[strings.ReplaceAll(token, "~1", "/")]
		}
		want := strings.TrimSpace(p.Data)
		if want != "" {
			want = compactJSON(t, []byte(want))
		}
		got := ""
		if part != nil {
			got = compactJSON(t, part)
		}
		equal(t, p.Name, want, got)
		if strings.HasPrefix(p.Name, "/components/parameters/Film.filter.") {
			filters++
		}
	}
	if n := strings.Count(string(document.JSON()), "\n      \"Film.filter."); n != filters {
		t.Errorf("%d filters of films are described, want %d", n, filters)
	}
	parameters := documentOf(t, filmCatalogue(t), httpapi.Options{}, Options{}).operation(t, "/api/films/", "get").parameters()
	if want := 3 + filters; len(parameters) != want { // ordering, limit and offset
		t.Errorf("GET /api/films/ has %d parameters, want %d", len(parameters), want)
	}
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
