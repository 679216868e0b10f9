package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestKeysInURLs checks that keys and segments that are not plain ASCII are escaped in the
// root listing and in links, and that the links lead back.
func TestKeysInURLs(t *testing.T) {
	type film struct {
		ID int `json:"id"`
	}
	for _, test := range []struct{ reason, key, path string }{
		{"ASCII", "films", "/api/films/"},
		{"letters of other scripts", "películas-映画", "/api/pel%C3%ADculas-%E6%98%A0%E7%94%BB/"},
		{"quote", `a"b`, "/api/a%22b/"},
		{"backslash", `a\b`, "/api/a%5Cb/"},
		{"braces", `{a}`, "/api/%7Ba%7D/"},
		{"no character that Go prints", "a\U000e0001", "/api/a%F3%A0%80%81/"},
	} {
		films := catalogue.Define[film](test.key, catalogue.Options{})
		house, err := catalogue.NewOnly(films)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if err := house.Load(strings.NewReader(`{` + quotedText(test.key) + `:[{"id":1},{"id":2}]}`)); err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		want := `{` + quotedText(test.key) + `:"http://host.example` + test.path + `"}`
		if _, body := send(h, "GET", "/api/", ""); body != want {
			t.Errorf("%s: the root is %s, want %s", test.reason, body, want)
		}
		var page struct{ Next string }
		_, body := send(h, "GET", test.path+"?limit=1", "")
		if err := json.Unmarshal([]byte(body), &page); err != nil || page.Next != "http://host.example"+test.path+"?limit=1&offset=1" {
			t.Errorf("%s: %v, next is %q", test.reason, err, page.Next)
		}
		next, err := url.Parse(page.Next)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if status, body := send(h, "GET", next.RequestURI(), ""); status != 200 || !strings.Contains(body, `{"id":2}`) {
			t.Errorf("%s: %s is %d %s", test.reason, next, status, body)
		}
	}
}

func quotedText(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// bare is a collection whose description has no Vary.
type bare struct{ httpapi.Collection }

func (b bare) Description() schema.Description {
	d := b.Collection.(httpapi.Describer).Description()
	d.Vary = ""
	return d
}

// TestNoVary checks that an empty Vary is no header, and that one of middleware is kept.
func TestNoVary(t *testing.T) {
	house := newFilmHouse(t)
	films, err := house.Encoded("films")
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler(map[string]httpapi.Collection{"films": bare{films}}, httpapi.Options{ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "OPTIONS", "DELETE"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/api/films/", nil))
		if vary, ok := w.Header()["Vary"]; ok {
			t.Errorf("%s: Vary is %q", method, vary)
		}
	}
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Cookie")
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/films/", nil))
	if got := w.Header()["Vary"]; len(got) != 1 || got[0] != "Cookie" {
		t.Errorf("after middleware: Vary is %q", got)
	}
}
