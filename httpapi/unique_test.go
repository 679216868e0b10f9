package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestPostDuplicate posts a value that another record has in a unique field.
func TestPostDuplicate(t *testing.T) {
	links := catalogue.Define[schema.SocialLink]("social-links", catalogue.Options{Unique: []string{"url"}})
	house, err := catalogue.NewWith(links)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.LoadCollection("authors", strings.NewReader(`[{"id":2}]`)); err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, body string
		status    int
		want      string // at the end of the response
	}{
		{"the first", link, 201, `"author":2}`},
		{"the same url", link, 400, `{"url":["This field must be unique."]}`},
		{"another url", strings.Replace(link, "x.example", "y.example", 1), 201, `"author":2}`},
	} {
		r := httptest.NewRequest("POST", "http://host.example/api/social-links/", strings.NewReader(row.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Body.String(); w.Code != row.status || !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: %d %s, want %d and %s", row.why, w.Code, got, row.status, row.want)
		}
	}
	if n := house.SocialLinks().Count(); n != 2 {
		t.Errorf("%d records, want 2", n)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
