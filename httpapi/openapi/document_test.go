package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// parsedDocument holds the parts of a document that the tests check.
type parsedDocument struct {
	OpenAPI  string
	Info     map[string]string
	Servers  []map[string]string
	Security []map[string][]string
	Paths    map[string]map[string]struct {
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

func newDocument(t *testing.T, h *httpapi.Handler, opts Options) (parsed parsedDocument) {
	t.Helper()
	d, err := New(context.Background(), h, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.JSON(), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
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

// bareCollection is a collection without a RecordType or Create method.
type bareCollection struct {
	fields []string
	err    error
}

func (c bareCollection) Fields(context.Context) ([]string, error) { return c.fields, c.err }

func (c bareCollection) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return 0, nil, nil
}

func TestOptions(t *testing.T) {
	const base = "https://books.example/base"
	house := map[string]string{"title": "Catalogue of a publishing house", "version": "1", "description": defaultDescription}
	tests := []struct {
		reason  string
		base    string
		opts    Options
		info    map[string]string
		server  string
		openapi string
	}{
		{"zero options", "", Options{}, house, "/", "3.1.0"}, // "/" is the specification's default
		{"base URL of the handler", base + "/", Options{}, house, base, "3.1.0"},
		{"all options", base, Options{Title: "<T>", Version: "2.0", Description: "*D*", Server: "/shop/", OpenAPI: "3.0"},
			map[string]string{"title": "<T>", "version": "2.0", "description": "*D*"}, "/shop", "3.0.3"},
		{"URL as server", "", Options{Server: "http://x.example:8080", OpenAPI: "3.1"}, house, "http://x.example:8080", "3.1.0"},
		{"root path as server", base, Options{Server: "/"}, house, "/", "3.1.0"},
	}
	for _, tt := range tests {
		d := newDocument(t, newHandler(t, nil, httpapi.Options{BaseURL: tt.base}), tt.opts)
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
	h := newHandler(t, nil, httpapi.Options{})
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
		"version of a patch":    {OpenAPI: "3.0.3"},
		"unsupported version":   {OpenAPI: "2.0"},
	} {
		if d, err := New(context.Background(), h, opts); !errors.Is(err, httpapi.ErrInvalidConfig) || d != nil {
			t.Errorf("%s: New = %v, %v, want ErrInvalidConfig", reason, d, err)
		}
	}
	if _, err := New(context.Background(), nil, Options{}); !errors.Is(err, httpapi.ErrInvalidConfig) {
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
		d := newDocument(t, newHandler(t, nil, httpapi.Options{Limits: tt.limits}), Options{})
		if diff := cmp.Diff(tt.want, compactJSON(t, d.Components.Parameters["limit"].Schema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func compactJSON(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A collection without a RecordType method is described as a plain object, unless the
// service's document describes its records.
func TestUnknownRecordType(t *testing.T) {
	h := newHandler(t, map[string]httpapi.Collection{
		"items":  bareCollection{err: errors.New("Fields must not be called")},
		"events": bareCollection{fields: []string{"name", "name"}},
	}, httpapi.Options{Authorizer: httpapi.AllowAll})
	d := newDocument(t, h, Options{})
	for name, want := range map[string]string{
		"Object":            `{"type":"object"}`,
		"EventOrderingTerm": `{"type":"string","enum":["name","-name"]}`,
		"Record":            `{"type":"object","properties":{"id":{"type":"integer","format":"int64","readOnly":true}},"required":["id"],"additionalProperties":{}}`,
		"Item":              ``,
		"NewEvent":          ``, // the collection is read-only
	} {
		var got string
		if text := d.Components.Schemas[name]; text != nil {
			got = compactJSON(t, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := string(d.Paths["/api/items/"]["get"].Responses["200"]); !strings.Contains(got, "schemas/ObjectPage") {
		t.Errorf("GET /api/items/ returns %s, want an ObjectPage", got)
	}
	if _, ok := d.Paths["/api/events/"]["post"]; ok || d.Paths["/api/social-links/"]["post"].Responses == nil {
		t.Error("POST is described for events, or not for social links")
	}
}

// Terms are listed for collections whose fields do not depend on the stored records.
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
	if got := compactJSON(t, d.Components.Parameters["RecordOrdering"].Schema); got != `{"type":"array","items":{"type":"string"}}` {
		t.Errorf("ordering of open records has schema %s", got)
	}
}

func TestFieldsError(t *testing.T) {
	errFields := errors.New("no fields")
	h := newHandler(t, map[string]httpapi.Collection{"labels": bareCollection{err: errFields}}, httpapi.Options{})
	if _, err := New(context.Background(), h, Options{}); !errors.Is(err, errFields) || !strings.Contains(err.Error(), "labels") {
		t.Errorf("New: error %v, want %v with the key", err, errFields)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, newHandler(t, nil, httpapi.Options{}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("New with a canceled context: error %v", err)
	}
}

// The document does not depend on the stored records.
func TestDocumentIsDeterministic(t *testing.T) {
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
		clear(d.JSON()) // JSON returns a copy
		books, err := house.Records("books")
		if err != nil {
			t.Fatal(err)
		}
		record, err := schema.ParseRecord([]byte(`{"new":1}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := books.Insert(record); err != nil {
			t.Fatal(err)
		}
		if got := string(d.JSON()); got != texts[0] {
			t.Error("the document changed")
		}
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("documents of the same catalogue differ")
	}
	if !strings.Contains(texts[0], `"title": "a < b & c"`) || !strings.HasSuffix(texts[0], "}\n") {
		t.Error("the document escapes HTML or has no trailing newline")
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
