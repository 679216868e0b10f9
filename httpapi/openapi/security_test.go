package openapi

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A requirement is a member of the OpenAPI property "security". An empty list means that
// no credentials are needed, and an absent one that nothing is known.
func TestSecurity(t *testing.T) {
	none, token := []map[string][]string{}, []map[string][]string{{"credentials": {}}}
	bearer := map[string]map[string]string{"credentials": {"type": "http", "scheme": "bearer"}}
	for _, tt := range []struct {
		reason      string
		reads       bool // the handler authorizes reads
		scheme      string
		root, write []map[string][]string // of the document and of operations that write
		schemes     map[string]map[string]string
	}{
		{"no scheme", false, "", none, nil, nil},
		{"scheme for writes", false, "Bearer", none, token, bearer},
		{"scheme for all", true, "Bearer", token, nil, bearer},
		{"unknown credentials for reads", true, "", nil, nil, nil},
	} {
		d := newDocument(t, newHandler(t, nil, httpapi.Options{AuthorizeReads: tt.reads}), Options{Scheme: tt.scheme})
		if diff := cmp.Diff(tt.root, d.Security) + cmp.Diff(tt.schemes, d.Components.SecuritySchemes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		for path, item := range d.Paths {
			for method, op := range item {
				var want []map[string][]string
				if method == "post" {
					want = tt.write
				}
				if diff := cmp.Diff(want, op.Security); diff != "" {
					t.Errorf("%s: %s %s (-want +got):\n%s", tt.reason, method, path, diff)
				}
				if denied := op.Responses["401"] != nil && op.Responses["403"] != nil; method != "head" && denied != (tt.reads || method == "post") {
					t.Errorf("%s: %s %s: 401 and 403 are described: %v", tt.reason, method, path, denied)
				}
			}
		}
	}
}

// A document has no security scheme without an operation that needs it.
func TestSchemeWithoutWrites(t *testing.T) {
	house, err := catalogue.NewOnly(catalogue.Define[director]("directors", catalogue.Options{
		Description: &schema.Description{Actions: schema.List},
	}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(t, h, Options{Scheme: "Bearer"})
	if schemes := slices.Collect(maps.Keys(d.Components.SecuritySchemes)); len(schemes) > 0 {
		t.Errorf("security schemes %q", schemes)
	}
}
