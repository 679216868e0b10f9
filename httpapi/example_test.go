package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// records is a collection of encoded records, in one order only.
type records [][]byte

func (r records) Fields(context.Context) ([]string, error) { return []string{"id"}, nil }

func (r records) Page(_ context.Context, w pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	return len(r), pagination.Slice(r, w), nil
}

// postable is a collection that can be posted to. It stores nothing.
type postable struct{ records }

func (postable) Create(_ context.Context, body []byte) ([]byte, error) {
	return fmt.Appendf(nil, `{"id":1,"bytes":%d}`, len(body)), nil
}

// collections returns all collections. Only books has records.
func collections() map[string]httpapi.Collection {
	all := make(map[string]httpapi.Collection)
	for _, c := range schema.Descriptions() {
		all[c.Key] = records{}
	}
	all["books"] = records{[]byte(`{"id":1,"name":"Atlante"}`), []byte(`{"id":2,"name":"Onda"}`)}
	all["social-links"] = postable{}
	return all
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

// A server for untrusted clients behind a proxy, with timeouts and limits.
func Example_server() {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{
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

func ExampleNewHandler() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/books/?limit=1")
	show(h, "GET", "/api/books/?limit=1&offset=1", "Accept: application/json; indent=1")
	show(h, "POST", "/api/books/")
	show(h, "POST", "/api/social-links/")
	// Output:
	// 200 {"count":2,"next":"http://example.com/api/books/?limit=1&offset=1","previous":null,"results":[{"id":1,"name":"Atlante"}]}
	// 200 {
	//  "count": 2,
	//  "next": null,
	//  "previous": "http://example.com/api/books/?limit=1",
	//  "results": [
	//   {
	//    "id": 2,
	//    "name": "Onda"
	//   }
	//  ]
	// }
	// 405 {"detail":"Method \"POST\" not allowed."}
	// 403 {"detail":"Authentication credentials were not provided."}
}

// A collection that is not documented needs a description.
func ExampleNewHandler_keys() {
	_, err := httpapi.NewHandler(map[string]httpapi.Collection{"book": records{}}, httpapi.Options{})
	fmt.Println(err)
	// Output: httpapi: invalid configuration: collection "book" is not documented and has no method Description: did you mean books?
}

// Behind a proxy, links can begin with a base URL.
func ExampleOptions() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{
		BaseURL: "https://books.example/shop",
		Limits:  pagination.Limits{Default: 1, Max: 100},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/books/")
	// Output: 200 {"count":2,"next":"https://books.example/shop/api/books/?limit=1&offset=1","previous":null,"results":[{"id":1,"name":"Atlante"}]}
}

// Behind a proxy, links can begin with the host in the headers of the proxy.
func ExampleOptions_trustedProxies() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, // httptest's client is 192.0.2.1
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/books/?limit=1", "X-Forwarded-Host: books.example", "X-Forwarded-Proto: https")
	// Output: 200 {"count":2,"next":"https://books.example/api/books/?limit=1&offset=1","previous":null,"results":[{"id":1,"name":"Atlante"}]}
}

func ExampleOptions_bounds() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{
		Bounds: httpapi.Bounds{Terms: 2}, // the other fields have their defaults
		OnError: func(r *http.Request, err error) {
			if errors.Is(err, httpapi.ErrPanic) {
				log.Print(err) // with the stack
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "GET", "/api/books/?ordering=a,b,c")
	// Output: 400 {"detail":"Too many terms in the ordering: at most 2 are allowed."}
}

// revisioned is a collection with a revision.
type revisioned struct {
	records
	revision atomic.Uint64
}

func (c *revisioned) Revision(ctx context.Context) (uint64, error) {
	return c.revision.Load(), ctx.Err()
}

// A client that has the current page receives a 304.
func ExampleRevisioned() {
	all := collections()
	latest := new(revisioned)
	all["news"] = latest
	h, err := httpapi.NewHandler(all, httpapi.Options{ETags: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := httptest.NewRecorder()
	h.ServeHTTP(first, httptest.NewRequest("GET", "/api/news/", nil))
	has := "If-None-Match: " + first.Header().Get("ETag")
	show(h, "GET", "/api/news/", has)
	latest.records = records{[]byte(`{"id":1}`)}
	latest.revision.Add(1) // once Page returns what was written
	show(h, "GET", "/api/news/", has)
	// Output:
	// 304
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1}]}
}

func ExampleMount() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", h); err != nil {
		fmt.Println(err)
		return
	}
	show(mux, "GET", "/shop/api/books/?offset=2")
	fmt.Println(httpapi.Mount(mux, "shop/", h))
	// Output:
	// 200 {"count":2,"next":null,"previous":"http://example.com/shop/api/books/?limit=21","results":[]}
	// httpapi: invalid configuration: prefix "shop/" is not a clean path like /shop
}

func ExampleBearer() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/social-links/")
	show(h, "POST", "/api/social-links/", "Authorization: Bearer guess")
	show(h, "POST", "/api/social-links/", "Authorization: Bearer s3cret")
	// Output:
	// 401 {"detail":"Authentication credentials were not provided."}
	// 401 {"detail":"Invalid token."}
	// 201 {"id":1,"bytes":2}
}

func ExampleToken() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{Authorizer: httpapi.Token("Token", "s3cret")})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/social-links/", "Authorization: Token")
	show(h, "POST", "/api/social-links/", "Authorization: token s3cret")
	// Output:
	// 401 {"detail":"Invalid token header. No credentials provided."}
	// 201 {"id":1,"bytes":2}
}

func ExampleAllowAll() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/social-links/")
	// Output: 201 {"id":1,"bytes":2}
}

// An authorizer with a token for each collection.
func ExampleAuthorizer() {
	tokens := map[string]httpapi.Authorizer{
		"events":       httpapi.Bearer("stage"),
		"social-links": httpapi.Bearer("press"),
	}
	h, err := httpapi.NewHandler(collections(), httpapi.Options{
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
	show(h, "POST", "/api/social-links/", "Authorization: Bearer stage")
	show(h, "POST", "/api/social-links/", "Authorization: Bearer press")
	show(h, "POST", "/api/social-links/", "Sec-Fetch-Site: cross-site")
	// Output:
	// 401 {"detail":"Invalid token."}
	// 201 {"id":1,"bytes":2}
	// 403 {"detail":"Not from other sites."}
}

func ExampleForbidden() {
	h, err := httpapi.NewHandler(collections(), httpapi.Options{
		Authorizer: func(r *http.Request, collection string, action schema.Actions) error {
			if r.Header.Get("X-Role") != "editor" {
				return httpapi.Forbidden("Editors only.")
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(h, "POST", "/api/social-links/")
	show(h, "POST", "/api/social-links/", "X-Role: editor")
	// Output:
	// 403 {"detail":"Editors only."}
	// 201 {"id":1,"bytes":2}
}

func ExampleUnauthorized() {
	fmt.Println(httpapi.Unauthorized(`Basic realm="api"`, ""))
	fmt.Println(httpapi.Unauthorized("", "No challenge, no 401."))
	// Output:
	// httpapi: 401: Authentication credentials were not provided.
	// httpapi: 403: No challenge, no 401.
}

// unavailable is a collection whose database is down.
type unavailable struct{ records }

func (unavailable) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return 0, nil, httpapi.Unavailable(5*time.Second, errors.New("db-3.internal: connection refused"))
}

func ExampleUnavailable() {
	all := collections()
	all["books"] = unavailable{}
	h, err := httpapi.NewHandler(all, httpapi.Options{
		OnError: func(_ *http.Request, err error) { fmt.Println(err) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/api/books/", nil))
	fmt.Println(rec.Code, rec.Header()["Retry-After"], rec.Body)
	// Output:
	// httpapi: collection is unavailable: db-3.internal: connection refused
	// 503 [5] {"detail":"Service temporarily unavailable, try again later."}
}

// Served can be used to describe a handler.
func ExampleHandler_Served() {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{BaseURL: "https://x.example/shop"})
	if err != nil {
		panic(err)
	}
	for _, s := range handler.Served() {
		if s.Actions.Has(schema.Create) {
			fmt.Println("POST", handler.BaseURL()+s.Path)
		}
	}
	// Output:
	// POST https://x.example/shop/api/events/
	// POST https://x.example/shop/api/social-links/
}
