package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// readDocument is what the tests here look at.
type readDocument struct {
	OpenAPI string
	Info    map[string]string
	Servers []map[string]string
	Paths   map[string]map[string]struct {
		Tags       []string
		Parameters []map[string]string
		Security   []map[string][]string
		Responses  map[string]json.RawMessage
	}
	Components struct {
		Schemas         map[string]json.RawMessage
		Parameters      map[string]struct{ Schema json.RawMessage }
		SecuritySchemes map[string]map[string]string
	}
}

func newDocument(t *testing.T, h *httpapi.Handler, opts Options) (d readDocument) {
	t.Helper()
	made, err := New(context.Background(), h, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(made.JSON(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func newHandler(t *testing.T, with map[string]httpapi.Collection, opts httpapi.Options) *httpapi.Handler {
	t.Helper()
	collections := map[string]httpapi.Collection{}
	for key, c := range catalogue.New().All() {
		collections[key] = c
	}
	for key, c := range with {
		collections[key] = c
	}
	h, err := httpapi.NewHandler(collections, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// shelf is a collection of which nothing is known, and which cannot be posted to.
type shelf struct {
	fields []string
	err    error
}

func (s shelf) Fields(context.Context) ([]string, error) { return s.fields, s.err }

func (s shelf) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return 0, nil, nil
}

func TestOptions(t *testing.T) {
	const base = "https://books.example/base"
	tests := []struct {
		reason  string
		base    string
		opts    Options
		info    map[string]string
		servers []map[string]string
	}{
		{"nothing", "", Options{}, map[string]string{"title": "Catalogue of a publishing house", "version": "1"}, nil},
		{"the handler's base", base + "/", Options{}, map[string]string{"title": "Catalogue of a publishing house", "version": "1"},
			[]map[string]string{{"url": base}}},
		{"everything", base, Options{Title: "<T>", Version: "2.0", Description: "*D*", Server: "/shop/"},
			map[string]string{"title": "<T>", "version": "2.0", "description": "*D*"}, []map[string]string{{"url": "/shop"}}},
		{"a URL", "", Options{Title: "T", Server: "http://x.example:8080"}, map[string]string{"title": "T", "version": "1"},
			[]map[string]string{{"url": "http://x.example:8080"}}},
		{"the root is no prefix", "", Options{Title: "T", Server: "/"}, map[string]string{"title": "T", "version": "1"}, nil},
	}
	for _, tt := range tests {
		d := newDocument(t, newHandler(t, nil, httpapi.Options{BaseURL: tt.base}), tt.opts)
		if d.OpenAPI != "3.1.0" {
			t.Errorf("%s: OpenAPI %q", tt.reason, d.OpenAPI)
		}
		if diff := cmp.Diff(tt.info, d.Info) + cmp.Diff(tt.servers, d.Servers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestBadOptions(t *testing.T) {
	h := newHandler(t, nil, httpapi.Options{})
	for reason, opts := range map[string]Options{
		"no URL":                  {Server: "http://[::1"},
		"no path":                 {Server: "shop"},
		"a host without a scheme": {Server: "//x.example/shop"},
		"another scheme":          {Server: "ftp://x.example"},
		"no host":                 {Server: "https:///shop"},
		"a query":                 {Server: "/shop?x=1"},
		"an empty query":          {Server: "/shop?"},
		"a fragment":              {Server: "/shop#x"},
		"a variable":              {Server: "https://{host}/"},
		"a scheme of 2 words":     {Scheme: "Bearer s3cret"},
	} {
		if d, err := New(context.Background(), h, opts); !errors.Is(err, httpapi.ErrInvalidConfig) || d != nil {
			t.Errorf("%s: %v, %v", reason, d, err)
		}
	}
	if _, err := New(context.Background(), nil, Options{}); !errors.Is(err, httpapi.ErrInvalidConfig) {
		t.Errorf("nil handler: %v", err)
	}
}

// TestScheme: credentials are asked for where something is written, and nowhere else.
func TestScheme(t *testing.T) {
	h := newHandler(t, nil, httpapi.Options{})
	for scheme, want := range map[string]map[string]map[string]string{
		"":       nil,
		"Bearer": {"credentials": {"type": "http", "scheme": "bearer"}},
	} {
		d := newDocument(t, h, Options{Scheme: scheme})
		if diff := cmp.Diff(want, d.Components.SecuritySchemes); diff != "" {
			t.Errorf("%q (-want +got):\n%s", scheme, diff)
		}
		for path, item := range d.Paths {
			for method, op := range item {
				var security []map[string][]string
				if method == "post" && scheme != "" {
					security = []map[string][]string{{"credentials": {}}}
				}
				if diff := cmp.Diff(security, op.Security); diff != "" {
					t.Errorf("%q: %s %s (-want +got):\n%s", scheme, method, path, diff)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		reason string
		limits pagination.Limits
		want   string
	}{
		{"the service's", pagination.Limits{}, `{"type":"integer","minimum":1,"maximum":1000,"default":21}`},
		{"one's own", pagination.Limits{Default: 50, Max: 100}, `{"type":"integer","minimum":1,"maximum":100,"default":50}`},
		{"a maximum below the default", pagination.Limits{Max: 5}, `{"type":"integer","minimum":1,"maximum":5,"default":5}`},
		{"no maximum", pagination.Limits{Max: -1}, `{"type":"integer","minimum":1,"default":21}`},
	} {
		d := newDocument(t, newHandler(t, nil, httpapi.Options{Limits: tt.limits}), Options{})
		if diff := cmp.Diff(tt.want, squeezed(t, d.Components.Parameters["limit"].Schema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func squeezed(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOwnCollections: of a collection of the program's own nothing is said that it does
// not tell, but for what the service's document does.
func TestOwnCollections(t *testing.T) {
	h := newHandler(t, map[string]httpapi.Collection{
		"items":  shelf{err: errors.New("is not asked")},
		"events": shelf{fields: []string{"name", "name"}},
	}, httpapi.Options{Authorizer: httpapi.AllowAll})
	d := newDocument(t, h, Options{})
	for name, want := range map[string]string{
		"Object":            `{"type":"object"}`,
		"EventOrderingTerm": `{"type":"string","enum":["name","-name"]}`,
		"Record":            `{"type":"object","properties":{"id":{"type":"integer","format":"int64","readOnly":true}},"required":["id"],"additionalProperties":{}}`,
		"Item":              ``, "NewEvent": ``, // nobody can post one
	} {
		var got string
		if text := d.Components.Schemas[name]; text != nil {
			got = squeezed(t, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := string(d.Paths["/api/items/"]["get"].Responses["200"]); !strings.Contains(got, "schemas/ObjectPage") {
		t.Errorf("items answer with %s", got)
	}
	if _, ok := d.Paths["/api/events/"]["post"]; ok || d.Paths["/api/social-links/"]["post"].Responses == nil {
		t.Error("what can be posted to is not what is described")
	}
}

// TestOrderingTerms lists what the catalogue can be ordered by, in both directions,
// where that does not depend on the records.
func TestOrderingTerms(t *testing.T) {
	house := catalogue.New()
	h, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(t, h, Options{})
	for record, fields := range map[string][]string{
		"Event": house.Events().Fields(), "Label": house.Labels().Fields(), "SocialLink": house.SocialLinks().Fields(),
	} {
		var want, got struct{ Enum []string }
		for _, name := range fields {
			want.Enum = append(want.Enum, name, "-"+name)
		}
		if err := json.Unmarshal(d.Components.Schemas[record+"OrderingTerm"], &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", record, diff)
		}
	}
	if got := squeezed(t, d.Components.Parameters["RecordOrdering"].Schema); got != `{"type":"array","items":{"type":"string"}}` {
		t.Errorf("open records are ordered by %s", got)
	}
}

// TestFieldsFail: an error of a collection that has to be asked is New's.
func TestFieldsFail(t *testing.T) {
	broken := errors.New("broken")
	h := newHandler(t, map[string]httpapi.Collection{"labels": shelf{err: broken}}, httpapi.Options{})
	if _, err := New(context.Background(), h, Options{}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "labels") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, newHandler(t, nil, httpapi.Options{}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
}

// TestSameBytes: the document depends on the handler alone, and not on the records.
func TestSameBytes(t *testing.T) {
	house := catalogue.New()
	var texts []string
	for range 3 {
		h, err := httpapi.New(house, httpapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(context.Background(), h, Options{Title: "a < b & c"})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(d.JSON()))
		clear(d.JSON()) // is the caller's
		books, err := house.Records("books")
		if err != nil {
			t.Fatal(err)
		}
		record, err := resources.ParseRecord([]byte(`{"new":1}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := books.Insert(record); err != nil {
			t.Fatal(err)
		}
		if again := string(d.JSON()); again != texts[0] {
			t.Error("the document has changed")
		}
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("three documents of one house differ")
	}
	if !strings.Contains(texts[0], `"title": "a < b & c"`) || !strings.HasSuffix(texts[0], "}\n") {
		t.Error("it is not written for people")
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

func TestServeHTTP(t *testing.T) {
	d, err := New(context.Background(), newHandler(t, nil, httpapi.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/anywhere", nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	etag := ask("GET", "").Header().Get("Etag")
	if len(etag) < 10 {
		t.Errorf("ETag %q", etag)
	}
	for _, tt := range []struct {
		reason, method, etag string
		status               int
		body                 string
	}{
		{"the document", "GET", "", http.StatusOK, string(d.JSON())},
		{"its head", "HEAD", "", http.StatusOK, ""},
		{"it is known", "GET", etag, http.StatusNotModified, ""},
		{"another one is", "GET", `"other"`, http.StatusOK, string(d.JSON())},
		{"it is not written", "POST", "", http.StatusMethodNotAllowed, "Method Not Allowed\n"},
	} {
		w := ask(tt.method, tt.etag)
		if diff := cmp.Diff(tt.body, w.Body.String()); w.Code != tt.status || diff != "" {
			t.Errorf("%s: %d (-want +got):\n%s", tt.reason, w.Code, diff)
		}
		if kind := w.Header().Get("Content-Type"); tt.status == http.StatusOK && kind != "application/json" {
			t.Errorf("%s: it is %q", tt.reason, kind)
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (tt.method == "POST") {
			t.Errorf("%s: Allow %q", tt.reason, allow)
		}
	}
}
