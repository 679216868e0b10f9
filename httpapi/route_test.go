package httpapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestServed asks the handler for what it says that it serves.
func TestServed(t *testing.T) {
	h := newTestHandler(t, Options{
		Authorizer: AllowAll, BaseURL: "https://x.example/shop/", Limits: pagination.Limits{Default: 7},
	}, map[string]Collection{"events": newCollection(0)})
	for _, s := range h.Served() {
		if s.Tagged {
			t.Errorf("%s has no ETag, and says so", s.Path)
		}
	}
	tagging := newTestHandler(t, Options{ETags: true}, map[string]Collection{"events": &revisionedCollection{Collection: newCollection(0)}})
	for _, s := range tagging.Served() {
		if got := get(tagging, s.Path).Header["Etag"]; (got != "") != s.Tagged {
			t.Errorf("%s: ETag %q, tagged is %v", s.Path, got, s.Tagged)
		}
	}
	var paths, keys []string
	for _, s := range h.Served() {
		paths, keys = append(paths, s.Path), append(keys, s.Description.Key)
		if (s.Collection == nil) != (s.Path == "/api/") {
			t.Errorf("%s: collection %v", s.Path, s.Collection)
		}
		got := call{method: "POST", target: s.Path}.do(h).Status
		if allowed := got != 405; allowed != s.Creatable {
			t.Errorf("POST %s answers %d, creatable is %v", s.Path, got, s.Creatable)
		}
	}
	wantPaths, wantKeys := []string{"/api/"}, []string{""}
	for _, c := range resources.Descriptions() {
		wantPaths, wantKeys = append(wantPaths, "/api/"+c.Segment+"/"), append(wantKeys, c.Key)
	}
	if diff := cmp.Diff(wantPaths, paths) + cmp.Diff(wantKeys, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := h.BaseURL(); got != "https://x.example/shop" {
		t.Errorf("base %q", got)
	}
	if got := h.Limits(); got != (pagination.Limits{Default: 7}) {
		t.Errorf("limits %+v", got)
	}
}
