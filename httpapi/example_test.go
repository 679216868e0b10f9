package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// shelf is a collection of films that are already encoded, in one order only.
type shelf struct{ films [][]byte }

func (s *shelf) Description() schema.Description {
	return schema.Description{
		Key: "films", Segment: "films", Name: "film",
		Actions: schema.List | schema.Create,
		Fields:  []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "title", Kind: schema.Text, Required: true}},
	}
}

func (s *shelf) List(_ context.Context, q catalogue.Query) (catalogue.Listing, error) {
	start, end := q.Window.Bounds(len(s.films))
	return catalogue.Listing{Records: s.films[start:end], Count: len(s.films)}, nil
}

// wishes is a shelf that can be posted to. It stores nothing.
type wishes struct{ shelf }

func (*wishes) Create(_ context.Context, body []byte, _ schema.Record) ([]byte, error) {
	return fmt.Appendf(nil, `{"id":1,"bytes":%d}`, len(body)), nil
}

// twoFilms returns the collections of a handler of two films.
func twoFilms() []httpapi.Collection {
	return []httpapi.Collection{&shelf{[][]byte{[]byte(`{"id":1,"title":"Alien"}`), []byte(`{"id":2,"title":"Brazil"}`)}}}
}

// Film is a record of a catalogue.
type Film struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

func filmCatalogue() *catalogue.Catalogue {
	c, err := catalogue.New(catalogue.Define[Film]("films", catalogue.Options{
		Description: &schema.Description{Actions: schema.List | schema.Retrieve | schema.Create},
	}))
	if err != nil {
		panic(err)
	}
	return c
}

// show prints the response to a request whose body is {}.
func show(h http.Handler, method, target string, header ...string) {
	r := httptest.NewRequest(method, target, strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	fmt.Println(strings.TrimSpace(fmt.Sprint(rec.Code, " ", rec.Body)))
}

// userKey is the key of a context for the name of the user.
type userKey struct{}

// A collection that shows users their own records, and makes them the owners of new ones.
// Authentication, which is not shown, puts the name of the user into the context.
func ExampleRestrict_ownRecords() {
	type Note struct {
		ID    int    `json:"id"`
		Owner string `json:"owner" backlist:"readonly"`
		Text  string `json:"text" backlist:"blank"`
	}
	notes := catalogue.Define[Note]("notes", catalogue.Options{})
	c, err := catalogue.New(notes)
	if err != nil {
		fmt.Println(err)
		return
	}
	const data = `{"notes":[{"id":1,"owner":"ann","text":"a"},{"id":2,"owner":"bob","text":"b"}]}`
	if err := c.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	all, err := c.Collection(notes.Key())
	if err != nil {
		fmt.Println(err)
		return
	}
	own := httpapi.Restrict(all, func(ctx context.Context) (url.Values, error) {
		user, ok := ctx.Value(userKey{}).(string)
		if !ok {
			return nil, errors.New("the request has no user")
		}
		return url.Values{"owner": {user}}, nil
	})
	h, err := httpapi.NewHandler([]httpapi.Collection{own}, httpapi.Options{
		Authorizer: httpapi.AllowAll,
		Assign: func(r *http.Request, _ string, action schema.Actions) (schema.Record, error) {
			if action != schema.Create {
				return schema.Record{}, nil
			}
			return schema.Record{}.With("owner", r.Context().Value(userKey{}))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	asAnn := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, "ann")))
	})
	show(asAnn, "GET", "/api/notes/?owner=bob")
	show(asAnn, "GET", "/api/notes/2/")
	show(asAnn, "DELETE", "/api/notes/2/")
	show(asAnn, "POST", "/api/notes/")
	// Output:
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1,"owner":"ann","text":"a"}]}
	// 404 {"detail":"Not found."}
	// 404 {"detail":"Not found."}
	// 201 {"id":3,"owner":"ann","text":""}
}

// An action of the program's own, beside the handler, with the same authorizer and errors.
func ExampleHandler_WriteError_ownAction() {
	type Film struct {
		ID        int    `json:"id"`
		Title     string `json:"title"`
		Published bool   `json:"published" backlist:"readonly"`
	}
	d := catalogue.Define[Film]("films", catalogue.Options{})
	c, err := catalogue.New(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	films, err := d.In(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	authorize := httpapi.Bearer("s3cret")
	h, err := httpapi.New(c, httpapi.Options{Authorizer: authorize})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "", h); err != nil {
		fmt.Println(err)
		return
	}
	mux.HandleFunc("POST /api/films/{id}/publish/", func(w http.ResponseWriter, r *http.Request) {
		err := authorize(r, "films", schema.PartialUpdate)
		if err == nil {
			err = films.Update(schema.ParseID(r.PathValue("id")), func(f *Film) error {
				f.Published = true
				return nil
			})
		}
		if err != nil {
			h.WriteError(w, r, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	if _, err := films.Insert(Film{Title: "Alien"}); err != nil {
		fmt.Println(err)
		return
	}
	show(mux, "POST", "/api/films/1/publish/")
	show(mux, "POST", "/api/films/1/publish/", "Authorization: Bearer s3cret")
	show(mux, "POST", "/api/films/2/publish/", "Authorization: Bearer s3cret")
	show(mux, "GET", "/api/films/1/")
	// Output:
	// 401 {"detail":"Authentication credentials were not provided."}
	// 204
	// 404 {"detail":"Not found."}
	// 200 {"id":1,"title":"Alien","published":true}
}

// A server for untrusted clients behind a proxy, with timeouts and limits.
func Example_server() {
	handler, err := httpapi.New(filmCatalogue(), httpapi.Options{
		Authorizer:     httpapi.Bearer(os.Getenv("CATALOGUE_TOKEN")), // if unset, writes are rejected
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")},
		OnError: func(r *http.Request, err error) {
			log.Printf("%s %q: %v", r.Method, r.URL.Path, err) // a path may contain newlines
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              "10.0.0.2:8080",
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second, // header and body
		WriteTimeout:      30 * time.Second, // begins after the header, so that slow clients get a response
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	log.Fatal(server.ListenAndServe())
}

func ExampleNewHandler_ownCollection() {
	h, err := httpapi.NewHandler(twoFilms(), httpapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/films/?limit=1")
	show(h, "GET", "/api/films/?limit=1&offset=1", "Accept: application/json; indent=1")
	show(h, "POST", "/api/films/")
	// Output:
	// 200 {"count":2,"next":"http://example.com/api/films/?limit=1&offset=1","previous":null,"results":[{"id":1,"title":"Alien"}]}
	// 200 {
	//  "count": 2,
	//  "next": null,
	//  "previous": "http://example.com/api/films/?limit=1",
	//  "results": [
	//   {
	//    "id": 2,
	//    "title": "Brazil"
	//   }
	//  ]
	// }
	// 405 {"detail":"Method \"POST\" not allowed."}
}

// Behind a proxy, links can begin with the host in the headers of the proxy.
func ExampleOptions_trustedProxies() {
	h, err := httpapi.NewHandler(twoFilms(), httpapi.Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, // httptest's client is 192.0.2.1
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/films/?limit=1", "X-Forwarded-Host: films.example", "X-Forwarded-Proto: https")
	// Output: 200 {"count":2,"next":"https://films.example/api/films/?limit=1&offset=1","previous":null,"results":[{"id":1,"title":"Alien"}]}
}

// news is a shelf with a revision.
type news struct {
	shelf
	revision atomic.Uint64
}

func (c *news) Revision(ctx context.Context) (uint64, error) { return c.revision.Load(), ctx.Err() }

// A client that has the current page receives a 304.
func ExampleRevisioner_notModified() {
	latest := new(news)
	h, err := httpapi.NewHandler([]httpapi.Collection{latest}, httpapi.Options{ETags: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := httptest.NewRecorder()
	h.ServeHTTP(first, httptest.NewRequest("GET", "/api/films/", nil))
	has := "If-None-Match: " + first.Header().Get("ETag")
	show(h, "GET", "/api/films/", has)
	latest.films = [][]byte{[]byte(`{"id":1}`)}
	latest.revision.Add(1) // once List returns what was written
	show(h, "GET", "/api/films/", has)
	// Output:
	// 304
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1}]}
}

func ExampleMount_inAnotherServer() {
	h, err := httpapi.NewHandler(twoFilms(), httpapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", h); err != nil {
		fmt.Println(err)
		return
	}
	show(mux, "GET", "/shop/api/films/?offset=2")
	fmt.Println(httpapi.Mount(mux, "shop/", h))
	// Output:
	// 200 {"count":2,"next":null,"previous":"http://example.com/shop/api/films/?limit=21","results":[]}
	// httpapi: invalid configuration: prefix "shop/" is not a clean path like /shop
}

func ExampleBearer() {
	h, err := httpapi.NewHandler([]httpapi.Collection{new(wishes)}, httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/films/")
	show(h, "POST", "/api/films/", "Authorization: Bearer guess")
	show(h, "POST", "/api/films/", "Authorization: Bearer s3cret")
	// Output:
	// 401 {"detail":"Authentication credentials were not provided."}
	// 401 {"detail":"Invalid token."}
	// 201 {"id":1,"bytes":2}
}

// An authorizer with a token for each collection.
func ExampleAuthorizer_tokenForEach() {
	tokens := map[string]httpapi.Authorizer{
		"directors": httpapi.Bearer("casting"),
		"films":     httpapi.Bearer("press"),
	}
	h, err := httpapi.NewHandler([]httpapi.Collection{new(wishes)}, httpapi.Options{
		Authorizer: func(r *http.Request, collection string, action schema.Actions) error {
			if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
				return httpapi.Forbidden("Not from other sites.")
			}
			return tokens[collection](r, collection, action)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/films/", "Authorization: Bearer casting")
	show(h, "POST", "/api/films/", "Authorization: Bearer press")
	show(h, "POST", "/api/films/", "Sec-Fetch-Site: cross-site")
	// Output:
	// 401 {"detail":"Invalid token."}
	// 201 {"id":1,"bytes":2}
	// 403 {"detail":"Not from other sites."}
}

// unavailable is a collection whose database is down.
type unavailable struct{ shelf }

func (*unavailable) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	return catalogue.Listing{}, httpapi.Unavailable(5*time.Second, errors.New("db-3.internal: connection refused"))
}

func ExampleUnavailable_retryLater() {
	h, err := httpapi.NewHandler([]httpapi.Collection{new(unavailable)}, httpapi.Options{
		OnError: func(_ *http.Request, err error) { fmt.Println(err) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/api/films/", nil))
	fmt.Println(rec.Code, rec.Header()["Retry-After"], rec.Body)
	// Output:
	// httpapi: collection is unavailable: db-3.internal: connection refused
	// 503 [5] {"detail":"Service temporarily unavailable, try again later."}
}

func ExampleNew() {
	handler, err := httpapi.New(filmCatalogue(), httpapi.Options{})
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("HEAD", "http://127.0.0.1/api/films/", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 200 GET, POST, HEAD, OPTIONS
}

// Two clients read the same record and change it. The second change is refused, since it
// would undo the first.
func Example_concurrentEdits() {
	type Film struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	cat, err := catalogue.New(catalogue.Define[Film]("films", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	handler, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		panic(err)
	}
	request := func(method, target, body, match string) (tag string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if match != "" {
			r.Header.Set("If-Match", match)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(method, w.Code, w.Body)
		return w.Header().Get("ETag")
	}
	tag := request("POST", "/api/films/", `{"name":"Rope"}`, "")
	request("PATCH", "/api/films/1/", `{"name":"Rope (1948)"}`, tag)
	request("PATCH", "/api/films/1/", `{"name":"The Rope"}`, tag)
	// Output:
	// POST 201 {"id":1,"name":"Rope"}
	// PATCH 200 {"id":1,"name":"Rope (1948)"}
	// PATCH 412 {"detail":"Precondition failed: no entity tag in If-Match is current."}
}

// Each request is logged by log/slog: nothing of it but the collection and the method.
func ExampleOptions_onAccess() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // varies
		}
		return a
	}}))
	c, err := resources.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := httpapi.New(c, httpapi.Options{OnAccess: func(ctx context.Context, a httpapi.Access) {
		level := slog.LevelInfo
		if a.Status == 0 || a.Status >= http.StatusInternalServerError { // 0: aborted
			level = slog.LevelError
		}
		logger.Log(ctx, level, "request", "collection", a.Collection, "method", a.Method, "status", a.Status, "bytes", a.Bytes)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/events/?ordering=-name&token=secret", nil))
	// Output:
	// level=INFO msg=request collection=events method=GET status=200 bytes=52
}
