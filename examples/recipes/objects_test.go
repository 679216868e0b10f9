package recipes

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

func TestObjects(t *testing.T) {
	cat, objects, err := NewObjects()
	if err != nil {
		t.Fatal(err)
	}
	byPath := objects.By("path")
	for _, path := range []string{Path("prod", "web"), Path("test", "web"), Path("prod", "db"), Path("product", "a"), Path("prod", "cache")} {
		if _, err := byPath.Insert(Object{Path: path}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		reason, path string
		want         error
	}{
		{"a name that is taken in its namespace", Path("prod", "web"), catalogue.ErrExists},
		{"no name", Path("prod", ""), catalogue.ErrInvalid},
		{"a colon in a name", Path("prod", "a:b"), catalogue.ErrInvalid},
		{"no path", "", catalogue.ErrInvalidID},
	} {
		if _, err := byPath.Insert(Object{Path: row.path}); !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		}
	}
	var paths []string
	for next, more := "", true; more; more = next != "" {
		var page []Object
		if page, next, err = ListObjects(objects, "prod", 2, next); err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			paths = append(paths, o.Path)
		}
		if len(page) == 2 { // moves no other object
			if err := byPath.Delete(page[0].Path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff([]string{"prod:cache", "prod:db", "prod:web"}, paths); diff != "" {
		t.Errorf("objects of prod (-want +got):\n%s", diff)
	}
	if objects.Count() != 4 {
		t.Errorf("%d objects, want 4", objects.Count())
	}

	h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, h, "")
	for _, row := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "objects/test:web/", "", 200, `{"path":"test:web","labels":{}}`},
		{"PATCH", "objects/test:web/", `{"labels":{"tier":"front"}}`, 200, `{"path":"test:web","labels":{"tier":"front"}}`},
		{"GET", "objects/?path__startswith=product:", "", 200, `{"count":1,"next":null,"previous":null,"results":[{"path":"product:a","labels":{}}]}`},
		{"POST", "objects/", `{"path":"test"}`, 400, `{"path":["Want a namespace, a colon and a name."]}`},
		{"POST", "objects/", `{"path":"test:web"}`, 400, `{"path":["object with this path already exists."]}`},
	} {
		if got := s.do(row.method, row.target, row.body); got.StatusCode != row.status || strings.TrimSpace(got.body) != row.want {
			t.Errorf("%s %s: %d %s, want %d %s", row.method, row.target, got.StatusCode, got.body, row.status, row.want)
		}
	}
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}
