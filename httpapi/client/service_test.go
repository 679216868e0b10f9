package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type film struct {
	ID       int    `json:"id"`
	Title    string `json:"title"`
	Director int    `json:"director" backlist:"refers=directors"`
}

type draft struct {
	ID int `json:"id"`
}

// newFilms returns an empty catalogue of directors, films and drafts. The segment of the
// films is not their key, films have a filter, and drafts have no list.
func newFilms(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{
			Description: &schema.Description{Segment: "top10", Filters: []string{"director"}},
		}),
		catalogue.Define[draft]("drafts", catalogue.Options{
			Description: &schema.Description{Actions: schema.Create | schema.Retrieve},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// filledFilms returns a catalogue with 2 directors, the given number of films and a draft.
func filledFilms(t testing.TB, films int) *catalogue.Catalogue {
	t.Helper()
	cat := newFilms(t)
	var all []json.RawMessage
	for id := 1; id <= films; id++ {
		all = append(all, json.RawMessage(fmt.Sprintf(`{"id":%d,"title":"Film %d","director":%d}`, 2*id, id, 1+id%2)))
	}
	load(t, cat, "directors", []json.RawMessage{[]byte(`{"id":1,"name":"Varda"}`), []byte(`{"id":2,"name":"Rohrwacher"}`)})
	load(t, cat, "shortFilms", all)
	load(t, cat, "drafts", []json.RawMessage{[]byte(`{"id":1}`)})
	return cat
}

// handlerAt returns a handler that serves a catalogue at a root.
func handlerAt(t testing.TB, cat *catalogue.Catalogue, root string) http.Handler {
	t.Helper()
	h, err := httpapi.New(cat, httpapi.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// An import without keys reads the collections of the root listing, but not the drafts,
// which have no list.
func TestImportOwnCollections(t *testing.T) {
	cat := filledFilms(t, 40)
	for _, c := range []struct{ root, prefix, reason string }{
		{"", "", "the default root"},
		{"/v1/", "", "another root"},
		{"/", "", "the root of the server"},
		{"/films/v1/", "/shop", "a handler below a prefix"},
		{"/it's/", "", "a root that url.URL would escape"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			server := httptest.NewServer(http.StripPrefix(c.prefix, handlerAt(t, cat, c.root)))
			defer server.Close()
			service := newRootClient(t, client.Options{BaseURL: server.URL + c.prefix, Root: c.root, PageSize: 13, Rate: -1})
			copied := newFilms(t)
			report, err := importAll(t.Context(), copied, service)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range report {
				got = append(got, fmt.Sprintf("%s: %d", i.Collection, i.Records))
			}
			if diff := cmp.Diff([]string{"directors: 2", "shortFilms: 40"}, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			load(t, copied, "drafts", []json.RawMessage{[]byte(`{"id":1}`)})
			if diff := cmp.Diff(save(t, cat), save(t, copied)); diff != "" {
				t.Error(diff)
			}
			if err := copied.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Without a catalogue, the collections of a client are those of the root listing, which is
// read once.
func TestRootListing(t *testing.T) {
	var requests []string
	h := handlerAt(t, filledFilms(t, 5), "/v1/")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	service := newRootClient(t, client.Options{BaseURL: server.URL, Root: "/v1/", Rate: -1})
	if _, err := walk(t.Context(), service, "shortFilm"); !errors.Is(err, catalogue.ErrUnknownCollection) || !strings.HasSuffix(err.Error(), "did you mean shortFilms?") {
		t.Errorf("All of an unknown key: error %v, want ErrUnknownCollection", err)
	}
	keys, err := service.Keys(t.Context())
	if diff := cmp.Diff([]string{"directors", "drafts", "shortFilms"}, keys); err != nil || diff != "" {
		t.Errorf("Keys: error %v (-want +got):\n%s", err, diff)
	}
	records, err := walk(t.Context(), service, "shortFilms")
	if err != nil || len(records) != 5 {
		t.Errorf("%d records, %v, want 5", len(records), err)
	}
	if diff := cmp.Diff([]string{"/v1/", "/v1/top10/"}, requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// An invalid root listing is requested again for the next walk. No collection is tried.
func TestInvalidRootListing(t *testing.T) {
	for _, c := range []struct {
		reason string
		status int
		body   string
		want   error
	}{
		{"it does not exist", 404, `{"detail":"Not found."}`, client.ErrInvalidPage},
		{"redirects are not followed", 301, `{}`, client.ErrInvalidPage},
		{"the service is unavailable", 503, ``, client.ErrUnavailable},
		{"the JSON is truncated", 200, `{"films":`, client.ErrInvalidPage},
		{"a list", 200, `[]`, client.ErrInvalidPage},
		{"null", 200, `null`, client.ErrInvalidPage},
		{"a URL is not text", 200, `{"films":1}`, client.ErrInvalidPage},
		{"a URL is null", 200, `{"films":null}`, client.ErrInvalidPage},
		{"a URL is not below the root", 200, `{"films":"http://films.test/v2/films/"}`, client.ErrInvalidPage},
		{"a URL is that of the root", 200, `{"films":"http://films.test/v1/"}`, client.ErrInvalidPage},
		{"a URL is that of a record", 200, `{"films":"http://films.test/v1/films/1/"}`, client.ErrInvalidPage},
		{"a URL does not end in a slash", 200, `{"films":"http://films.test/v1/films"}`, client.ErrInvalidPage},
		{"a URL is invalid", 200, `{"films":":"}`, client.ErrInvalidPage},
	} {
		requests := 0
		service := newRootClient(t, client.Options{BaseURL: "http://films.test", Root: "/v1/", Rate: -1, Retries: -1,
			HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				w.Write([]byte(c.body))
			})}}})
		if keys, err := service.Keys(t.Context()); !errors.Is(err, c.want) || keys != nil || !strings.HasPrefix(err.Error(), "client: http://films.test/v1/: ") {
			t.Errorf("%s: Keys = %v, %v, want %v", c.reason, keys, err, c.want)
		}
		if _, err := walk(t.Context(), service, "films"); !errors.Is(err, c.want) {
			t.Errorf("%s: All: error %v, want %v", c.reason, err, c.want)
		}
		if report, err := importAll(t.Context(), newFilms(t), service); !errors.Is(err, c.want) || len(report) != 1 || report[0].Collection != "" {
			t.Errorf("%s: Import = %v, %v, want %v", c.reason, report, err, c.want)
		}
		if requests != 3 {
			t.Errorf("%s: %d requests, want 3", c.reason, requests)
		}
	}
}

// The error of a root listing or a page that is not JSON contains the position.
func TestInvalidJSON(t *testing.T) {
	for _, invalid := range []string{"/v1/", "/v1/films/"} {
		service := newRootClient(t, client.Options{BaseURL: "http://films.test", Root: "/v1/", Rate: -1, Retries: -1,
			HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == invalid {
					io.WriteString(w, "{\n\"films\":")
					return
				}
				io.WriteString(w, `{"films":"/v1/films/"}`)
			})}}})
		_, err := walk(t.Context(), service, "films")
		if want := "not a page: JSON parse error - unexpected end: line 2 column 9"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", invalid, err, want)
		}
	}
}

// The URLs of a root listing may have another host and a prefix, which are not used, and
// escaped segments.
func TestRootListingURLs(t *testing.T) {
	for _, c := range []struct{ reason, link, want string }{
		{"path", "/v1/films/", "/v1/films/"},
		{"another host, with a query", "https://other.test/v1/films/?format=api", "/v1/films/"},
		{"prefix", "http://films.test/shop/v1/films/", "/v1/films/"},
		{"escaped segment", "http://films.test/v1/Gr%C3%BC%C3%9Fe%2F1/", "/v1/Gr%C3%BC%C3%9Fe%2F1/"},
	} {
		var got *http.Request
		service := newRootClient(t, client.Options{BaseURL: "http://films.test", Root: "/v1/", Rate: -1,
			HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/v1/" {
					fmt.Fprintf(w, `{"films":%q}`, c.link)
					return
				}
				w.Write([]byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
			})}}})
		if _, err := walk(t.Context(), service, "films"); err != nil || got.URL.EscapedPath() != c.want || got.URL.Host != "films.test" {
			t.Errorf("%s: All requests %s, %v, want %s", c.reason, got.URL, err, c.want)
		}
	}
}

// With a catalogue, the collections of a client are those of the catalogue.
func TestCatalogueOfClient(t *testing.T) {
	server := httptest.NewServer(handlerAt(t, filledFilms(t, 5), "/v1/"))
	defer server.Close()
	opts := client.Options{BaseURL: server.URL, Root: "/v1/", Rate: -1}
	opts.Catalogue = newFilms(t)
	service := newClient(t, opts)
	keys, err := service.Keys(t.Context())
	if diff := cmp.Diff([]string{"directors", "shortFilms"}, keys); err != nil || diff != "" {
		t.Errorf("Keys: error %v (-want +got):\n%s", err, diff)
	}
	records, err := walk(t.Context(), service, "shortFilms")
	if err != nil || len(records) != 5 {
		t.Errorf("%d films, %v, want 5", len(records), err)
	}
	for _, key := range []string{"top10", "events"} { // a segment, and a documented key
		if _, err := walk(t.Context(), service, key); !errors.Is(err, catalogue.ErrUnknownCollection) {
			t.Errorf("All of %s: error %v, want ErrUnknownCollection", key, err)
		}
	}
	if _, err := walk(t.Context(), service, "drafts"); !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "405") {
		t.Errorf("All of drafts: error %v, want ErrInvalidPage with status 405", err)
	}
	if save(t, opts.Catalogue) != save(t, newFilms(t)) {
		t.Error("the client wrote to its catalogue")
	}
	// The catalogue that is loaded does not have the collections of the service.
	report, err := importAll(t.Context(), mustNew(), service)
	if !errors.Is(err, catalogue.ErrUnknownCollection) || len(report) != 2 {
		t.Errorf("Import into the documented collections = %v, %v, want ErrUnknownCollection", report, err)
	}
}

// A root is valid if package httpapi can serve it.
func TestRoot(t *testing.T) {
	for _, root := range []string{
		"", "/", "/v1/", "/a/b/", "/città/", "//", "v1/", "/v1", "v1", "/v1//", "/./", "/a/../b/", "/a//b/",
		"/a b/", "/a?b/", "/a#b/", "/a%20b/", "/{a}/", "/a\n/", "https://films.test/v1/",
	} {
		_, want := httpapi.New(mustNew(), httpapi.Options{Root: root})
		opts := client.Options{BaseURL: "http://films.test", Root: root, Catalogue: mustNew()}
		_, forClient := client.New(opts)
		if (forClient == nil) != (want == nil) || forClient != nil && !strings.HasPrefix(forClient.Error(), "client: invalid option: ") {
			t.Errorf("root %q: error %v, but that of httpapi.New is %v", root, forClient, want)
		}
	}
}
