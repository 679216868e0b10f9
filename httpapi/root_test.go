package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoot(t *testing.T) {
	var want []string
	for key := range strings.FieldsSeq(documentKeys) {
		segment := strings.Replace(key, "itemVariants", "item_variants", 1)
		want = append(want, fmt.Sprintf(`"%s":"http://host.example/api/%s/?format=api"`, key, segment))
	}
	body := "{" + strings.Join(want, ",") + "}"
	if len(body) != 2426 { // as recorded from the service
		t.Fatalf("the expected root has %d bytes, want 2426", len(body))
	}
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/", "/api/?format=api", "/api/?format=json&x=1", "/api%2F"} {
		if diff := cmp.Diff(answer{200, viewHeader("Accept", readMethods, 2426), body}, get(h, target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	if diff := cmp.Diff(answer{200, viewHeader("Accept", readMethods, 2426), ""}, call{method: "HEAD", target: "/api/"}.do(h)); diff != "" {
		t.Errorf("HEAD (-want +got):\n%s", diff)
	}
	based := newTestHandler(t, Options{BaseURL: "https://x.example/shop"}, nil)
	if got, want := get(based, "/api/").Body, strings.ReplaceAll(body, "http://host.example", "https://x.example/shop"); got != want {
		t.Errorf("with a base URL the root is %s", got)
	}
}
