package httpapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// Served agrees with the responses of the handler.
func TestServed(t *testing.T) {
	h := newTestHandler(t, Options{
		Authorizer: AllowAll, BaseURL: "https://x.example/shop/", Limits: pagination.Limits{Default: 7},
	}, map[string]Collection{"events": newCollection(0)})
	for _, s := range h.Served() {
		if s.Tagged {
			t.Errorf("%s: Tagged = true without Options.ETags", s.Path)
		}
	}
	tagging := newTestHandler(t, Options{ETags: true}, map[string]Collection{"events": &revisionedCollection{Collection: newCollection(0)}})
	for _, s := range tagging.Served() {
		if got := get(tagging, s.Path).Header["Etag"]; (got != "") != s.Tagged {
			t.Errorf("%s: ETag %q, Tagged = %v", s.Path, got, s.Tagged)
		}
	}
	var paths, keys []string
	for _, s := range h.Served() {
		paths, keys = append(paths, s.Path), append(keys, s.Description.Key)
		if (s.Collection == nil) != (s.Path == "/api/") {
			t.Errorf("%s: Collection = %v", s.Path, s.Collection)
		}
		got := call{method: "POST", target: s.Path}.do(h).Status
		if allowed := got != 405; allowed != s.Actions.Has(schema.Create) {
			t.Errorf("POST %s: %d, Creatable = %v", s.Path, got, s.Actions.Has(schema.Create))
		}
	}
	wantPaths, wantKeys := []string{"/api/"}, []string{""}
	for _, c := range schema.Descriptions() {
		wantPaths, wantKeys = append(wantPaths, "/api/"+c.Segment+"/"), append(wantKeys, c.Key)
	}
	if diff := cmp.Diff(wantPaths, paths) + cmp.Diff(wantKeys, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := h.BaseURL(); got != "https://x.example/shop" {
		t.Errorf("BaseURL = %q", got)
	}
	if got := h.Limits(); got != (pagination.Limits{Default: 7}) {
		t.Errorf("Limits = %+v", got)
	}
}
