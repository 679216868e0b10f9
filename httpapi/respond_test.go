package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// Values that middleware sets before the handler are kept. Values that it adds afterwards
// do not appear in other responses.
func TestSharedHeaders(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		h.ServeHTTP(w, r)
		w.Header().Add("Allow", "BREW")
		w.Header().Add("Vary", "Origin")
	})
	for range 2 {
		if got := get(middleware, "/api/news/").Header["Vary"]; got != "Accept-Encoding | Accept | Origin" {
			t.Errorf("Vary = %s, want Accept-Encoding | Accept | Origin", got)
		}
		if got := get(h, "/api/news/"); got.Header["Vary"] != "Accept" || got.Header["Allow"] != readMethods {
			t.Errorf("header changed by another response: %v", got.Header)
		}
	}
}

// indented returns an empty page with n spaces for each level.
func indented(n int) string {
	s := strings.Repeat(" ", n)
	return "{\n" + s + "\"count\": 0,\n" + s + "\"next\": null,\n" + s + "\"previous\": null,\n" + s + "\"results\": []\n}"
}

func TestIndentedErrors(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	indent := accept("application/json; indent=2")
	tests := []struct {
		reason string
		call   call
		want   string
	}{
		{"method", call{method: "PUT", target: "/api/events/"}, "{\n  \"detail\": \"Method \\\"PUT\\\" not allowed.\"\n}"},
		{"credentials", call{method: "POST", target: "/api/events/"}, "{\n  \"detail\": \"Authentication credentials were not provided.\"\n}"},
		{"format", call{target: "/api/events/?format=xml"}, notFound},
		{"no route", call{target: "/api/nope/"}, notFound},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.call.header = indent
			if got := test.call.do(h); got.Body != test.want {
				t.Errorf("got %q, want %q", got.Body, test.want)
			}
		})
	}
}

func TestIndentNested(t *testing.T) {
	records := [][]byte{[]byte(`{"id":2,"title":"a, b: {c}","tags":["x",1],"none":{},"deep":{"a":null}}`)}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": &sliceCollection{records: records}})
	want := strings.Join([]string{
		`{`,
		` "count": 1,`,
		` "next": null,`,
		` "previous": null,`,
		` "results": [`,
		`  {`,
		`   "id": 2,`,
		`   "title": "a, b: {c}",`,
		`   "tags": [`,
		`    "x",`,
		`    1`,
		`   ],`,
		`   "none": {},`,
		`   "deep": {`,
		`    "a": null`,
		`   }`,
		`  }`,
		` ]`,
		`}`}, "\n")
	got := call{target: "/api/books/", header: accept("*/*;indent=1")}.do(h)
	if diff := cmp.Diff(want, got.Body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	const (
		unavailable = `{"detail":"Service temporarily unavailable, try again later."}`
		givenUp     = `{"detail":"The request was given up before it could be answered."}`
		gone        = `{"detail":"This collection is gone."}`
		conflict    = `{"detail":"The record is in conflict with what is stored."}`
	)
	secret := errors.New("password is 1234")
	tests := []struct {
		reason     string
		err        error
		status     int
		retryAfter string
		body       string
	}{
		{"unavailable", ErrUnavailable, 503, "", unavailable},
		{"wrapped", fmt.Errorf("%w: %w", ErrUnavailable, secret), 503, "", unavailable},
		{"with a time", Unavailable(7*time.Second, secret), 503, "7", unavailable},
		{"with a time, wrapped", fmt.Errorf("books: %w", Unavailable(time.Minute, nil)), 503, "60", unavailable},
		{"less than a second", Unavailable(1, secret), 503, "1", unavailable},
		{"a little more than a second", Unavailable(time.Second+1, secret), 503, "2", unavailable},
		{"longest time", Unavailable(math.MaxInt64, secret), 503, "9223372037", unavailable},
		{"time zero", Unavailable(0, secret), 503, "", unavailable},
		{"negative time", Unavailable(-time.Second, secret), 503, "", unavailable},
		{"with the error of a context", Unavailable(time.Second, context.DeadlineExceeded), 503, "1", unavailable},
		{"canceled", context.Canceled, 503, "", givenUp},
		{"gone", fmt.Errorf("%w: %w", ErrGone, secret), 410, "", gone},
		{"conflict", fmt.Errorf("%w: %w", ErrConflict, secret), 409, "", conflict},
		{"any other error", secret, 500, "", internalError},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var reported []error
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
			broken := creatableCollection{&sliceCollection{err: test.err}, func([]byte) ([]byte, error) { return nil, test.err }}
			h := newTestHandler(t, opts, map[string]Collection{"events": broken})
			for i, c := range []call{{target: "/api/events/"}, {target: "/api/events/?ordering=id"}, {method: "POST", target: "/api/events/"}} {
				got := c.do(h)
				if got.Status != test.status || got.Header["Retry-After"] != test.retryAfter || got.Body != test.body {
					t.Errorf("%s %s: %d, Retry-After %q, %s, want %d, %q, %s", c.method, c.target, got.Status, got.Header["Retry-After"], got.Body, test.status, test.retryAfter, test.body)
				}
				if len(reported) != i+1 || reported[i] != test.err {
					t.Errorf("OnError was called with %v, want %v last", reported, test.err)
				}
			}
		})
	}
	if err := Unavailable(0, secret); !errors.Is(err, secret) || !errors.Is(err, ErrUnavailable) || errors.Is(Unavailable(0, nil), secret) {
		t.Errorf("Unavailable(0, err) = %v, want an error wrapping ErrUnavailable and err only", err)
	}
}

// failingStep is a collection of films of which one method fails.
type failingStep struct {
	*filmCollection
	in  string // the method
	err error
}

func (c failingStep) failure(method string) error {
	if c.in == method {
		return c.err
	}
	return nil
}

func (c failingStep) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	list, _ := c.filmCollection.List(ctx, q)
	return list, c.failure("List")
}

func (c failingStep) Get(context.Context, string, url.Values) ([]byte, error) {
	return []byte(`{"id":1}`), c.failure("Get")
}

func (c failingStep) Create(_ context.Context, body []byte) ([]byte, error) {
	return body, c.failure("Create")
}

func (c failingStep) Update(_ context.Context, _ string, _ url.Values, body []byte, _ bool, _ func([]byte) error) ([]byte, error) {
	return body, c.failure("Update")
}

func (c failingStep) Delete(context.Context, string, url.Values, func([]byte) error) error {
	return c.failure("Delete")
}

// An error is the client's mistake only if it comes from a step that can find one: a page
// has no syntax, and a read deletes nothing. All others are reported, and their texts are
// not sent.
func TestErrorsOfSteps(t *testing.T) {
	_, syntax := schema.ParseRecord([]byte(`{"id":1,`))
	errs := []error{
		catalogue.ErrNotFound,
		catalogue.ErrReferenced,
		syntax,
		schema.FieldErrors{{Field: "secret", Messages: []string{"internal"}}},
		catalogue.ErrInvalidID,
	}
	const page, record, filtered = "/api/films/", "/api/films/1/", "?status=announced"
	for _, test := range []struct {
		method string // of the collection
		call   call
		status [5]int // for each error
	}{
		{"List", call{target: page}, [5]int{500, 500, 500, 500, 500}},
		{"List", call{target: page + filtered}, [5]int{500, 500, 500, 400, 500}},
		{"Get", call{target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{target: record + filtered}, [5]int{404, 500, 500, 400, 500}},
		{"Get", call{method: "PATCH", target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{method: "PUT", target: record + filtered}, [5]int{404, 500, 500, 400, 500}},
		{"Create", call{method: "POST", target: page}, [5]int{500, 500, 400, 400, 409}},
		{"Update", call{method: "PATCH", target: record}, [5]int{404, 500, 400, 400, 500}},
		{"Delete", call{method: "DELETE", target: record}, [5]int{404, 409, 500, 500, 500}},
		{"Delete", call{method: "DELETE", target: record + filtered}, [5]int{404, 409, 500, 400, 500}},
	} {
		for i, err := range errs {
			var reported []error
			films := failingStep{newFilms(), test.method, fmt.Errorf("row 7: %w", err)}
			h, err := NewHandler([]Collection{films}, Options{
				Authorizer: AllowAll,
				OnError:    func(_ *http.Request, err error) { reported = append(reported, err) },
			})
			if err != nil {
				t.Fatal(err)
			}
			got, want := test.call.do(h), test.status[i]
			if got.Status != want || want == 500 && got.Body != internalError {
				t.Errorf("%s %s: %s fails with %v: %d %s, want %d", test.call.method, test.call.target, test.method, films.err, got.Status, got.Body, want)
			}
			if calls := len(reported); (calls == 1) != (want == 500 || errs[i] == catalogue.ErrInvalidID && want == 409) {
				t.Errorf("%s %s: %s fails with %v: OnError was called with %v", test.call.method, test.call.target, test.method, films.err, reported)
			}
		}
	}
}

const (
	internalError = `{"detail":"Internal server error."}`
	postableEvent = `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z"}`
)

// panickingCollection is a collection of which one method panics.
type panickingCollection struct {
	*revisionedCollection
	in     string // the method
	reason any
}

func (c *panickingCollection) panicIn(method string) {
	if c.in == method {
		panic(c.reason)
	}
}

func (c *panickingCollection) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	c.panicIn("List")
	return c.revisionedCollection.List(ctx, q)
}

func (c *panickingCollection) Revision(ctx context.Context) (uint64, error) {
	c.panicIn("Revision")
	return c.revisionedCollection.Revision(ctx)
}

func (c *panickingCollection) Create(context.Context, []byte) ([]byte, error) {
	c.panicIn("Create")
	return []byte(`{"id":1}`), nil
}

// A panic in a callback is reported to OnError and not to the client.
func TestPanics(t *testing.T) {
	secret := errors.New("password is 1234")
	tests := []struct {
		reason string
		in     string
		value  any
		call   call
	}{
		{"authorizer of a POST", "authorizer", "oops", call{method: "POST", target: "/api/events/"}},
		{"authorizer of an OPTIONS", "authorizer", "oops", call{method: "OPTIONS", target: "/api/events/"}},
		{"validator", "Create", "oops", call{method: "POST", target: "/api/events/"}},
		{"page", "List", "oops", call{target: "/api/events/"}},
		{"page that would be indented", "List", "oops", call{target: "/api/events/", header: accept("*/*;indent=4")}},
		{"page of a HEAD", "List", "oops", call{method: "HEAD", target: "/api/events/"}},
		{"revision", "Revision", "oops", call{target: "/api/events/"}},
		{"an error", "Create", secret, call{method: "POST", target: "/api/events/"}},
		{"a wrapped error", "Create", fmt.Errorf("x: %w", secret), call{method: "POST", target: "/api/events/"}},
		{"an error that would be a 400", "Create", Forbidden("no"), call{method: "POST", target: "/api/events/"}},
		{"the error of a context", "List", context.Canceled, call{target: "/api/events/"}},
		{"nil", "List", nil, call{target: "/api/events/"}},
		{"a value that is not comparable", "List", []int{1}, call{target: "/api/events/"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			events := &panickingCollection{&revisionedCollection{fake: newCollection(3)}, test.in, test.value}
			var reported []error
			opts := Options{
				ETags:      true, // so that Revision is called
				Authorizer: func(*http.Request, string, schema.Actions) error { events.panicIn("authorizer"); return nil },
				OnError:    func(_ *http.Request, err error) { reported = append(reported, err) },
			}
			h := newTestHandler(t, opts, map[string]Collection{"events": events})
			got := test.call.do(h)
			want := answer{500, viewHeader(authorizedVary, createMethods, len(internalError)), internalError}
			if test.call.method == "HEAD" {
				want.Body = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(reported) != 1 || !errors.Is(reported[0], ErrPanic) || !strings.Contains(reported[0].Error(), "respond_test.go") {
				t.Errorf("OnError was called with %v, want one ErrPanic with a stack", reported)
			}
			if err, ok := test.value.(error); ok && !errors.Is(reported[0], err) {
				t.Errorf("%v does not wrap %v", reported[0], err)
			}
			events.in = "" // no panic in the next request
			if got := test.call.do(h); got.Status >= 300 {
				t.Errorf("next request: %d %s, want success", got.Status, got.Body)
			}
		})
	}
}

func TestPanicsOfOnError(t *testing.T) {
	broken := func(err error) map[string]Collection {
		return map[string]Collection{"events": &sliceCollection{err: err}}
	}
	panicking := map[string]Collection{"events": &panickingCollection{&revisionedCollection{fake: newCollection(3)}, "List", "oops"}}
	panics := Options{OnError: func(*http.Request, error) { panic("again") }}
	for reason, h := range map[string]*Handler{
		"no OnError":                 newTestHandler(t, Options{}, panicking),
		"after a panic":              newTestHandler(t, panics, panicking),
		"after an error":             newTestHandler(t, panics, broken(errors.New("oops"))),
		"after the end of a context": newTestHandler(t, panics, broken(context.Canceled)),
		"after an error of Revision": newTestHandler(t, Options{ETags: true, OnError: panics.OnError}, map[string]Collection{"events": &failingRevision{&revisionedCollection{fake: newCollection(3)}, 0, failAt(1, errors.New("oops"))}}),
		"after an invalid record":    newTestHandler(t, panics, map[string]Collection{"events": &sliceCollection{records: [][]byte{[]byte("{")}}}),
		"no OnError, invalid record": newTestHandler(t, Options{}, map[string]Collection{"events": &sliceCollection{records: [][]byte{[]byte("{")}}}),
	} {
		if got := (call{target: "/api/events/", header: accept("*/*;indent=2")}).do(h); got.Status != 500 || got.Body != internalError {
			t.Errorf("%s: %d %s, want 500", reason, got.Status, got.Body)
		}
	}
}

// panicValue returns the value that f panics with, or nil.
func panicValue(f func()) (reason any) {
	defer func() { reason = recover() }()
	f()
	return nil
}

func TestErrAbortHandlerIsNotRecovered(t *testing.T) {
	opts := Options{OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
	h := newTestHandler(t, opts, map[string]Collection{"events": &panickingCollection{&revisionedCollection{fake: newCollection(3)}, "List", http.ErrAbortHandler}})
	rec := httptest.NewRecorder()
	if reason := panicValue(func() { h.ServeHTTP(rec, call{target: "/api/events/"}.request()) }); reason != http.ErrAbortHandler {
		t.Errorf("ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	if len(rec.Header()) > 0 || rec.Body.Len() > 0 {
		t.Errorf("ServeHTTP wrote %v %s, want nothing", rec.Header(), rec.Body)
	}
}

// panickingWriter is a ResponseWriter whose Write panics.
type panickingWriter struct{ *httptest.ResponseRecorder }

func (panickingWriter) Write([]byte) (int, error) { panic("oops") }

// When part of the response has been sent, a panic aborts the request.
func TestPanicWithinResponse(t *testing.T) {
	var reported []error
	h := newTestHandler(t, Options{OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}, nil)
	w := panickingWriter{httptest.NewRecorder()}
	if reason := panicValue(func() { h.ServeHTTP(w, call{target: "/api/events/"}.request()) }); reason != http.ErrAbortHandler {
		t.Errorf("ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	if w.Code != 200 || len(reported) != 1 || !errors.Is(reported[0], ErrPanic) {
		t.Errorf("status %d and errors %v, want 200 and one ErrPanic", w.Code, reported)
	}
}

// Goexit, as in t.FailNow, is not a panic.
func TestGoexit(t *testing.T) {
	opts := Options{
		Authorizer: func(*http.Request, string, schema.Actions) error { runtime.Goexit(); return nil },
		OnError:    func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) },
	}
	h := newTestHandler(t, opts, nil)
	rec := httptest.NewRecorder()
	done := make(chan bool)
	go func() {
		defer close(done)
		h.ServeHTTP(rec, call{method: "POST", target: "/api/events/"}.request())
	}()
	<-done
	if rec.Body.Len() > 0 {
		t.Errorf("ServeHTTP wrote %s, want nothing", rec.Body)
	}
}

// validatingCollection is a catalogue's collection with an additional validation.
type validatingCollection struct {
	catalogue.AnyCollection
	validate func(body []byte)
}

func (c validatingCollection) Create(ctx context.Context, body []byte) ([]byte, error) {
	c.validate(body)
	return c.AnyCollection.Create(ctx, body)
}

// pricedRecord is a record whose encoding can panic.
type pricedRecord struct {
	ID    int   `json:"id"`
	Price price `json:"price"`
}

type price int

func (p price) MarshalText() ([]byte, error) {
	if p < 0 {
		panic("negative price")
	}
	return fmt.Append(nil, int(p)), nil
}

// A panic in an authorizer, a validator or a method of a record changes nothing in a
// catalogue and leaves no lock held.
func TestPanicsChangeNothing(t *testing.T) {
	house, err := resources.New(catalogue.Define[pricedRecord]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	panicsIn := ""
	var all []Collection
	for _, c := range house.All() {
		all = append(all, validatingCollection{c, func([]byte) {
			if panicsIn == "validator" {
				panic("oops")
			}
		}})
	}
	h, err := NewHandler(all, Options{Authorizer: func(*http.Request, string, schema.Actions) error {
		if panicsIn == "authorizer" {
			panic("oops")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	post := call{method: "POST", target: "/api/events/", body: postableEvent, header: http.Header{"Content-Type": {"application/json"}}}
	for _, panicsIn = range []string{"authorizer", "validator"} {
		if got := post.do(h); got.Status != 500 || got.Body != internalError {
			t.Errorf("panic of the %s: %d %s, want 500", panicsIn, got.Status, got.Body)
		}
		if got := get(h, "/api/events/"); got.Body != emptyPage {
			t.Errorf("after a panic of the %s, the page is %s", panicsIn, got.Body)
		}
	}
	panicsIn = ""
	if got := post.do(h); got.Status != 201 || !strings.HasPrefix(got.Body, `{"id":1,`) {
		t.Errorf("after the panics: %d %s, want 201 and id 1", got.Status, got.Body)
	}
	books, err := catalogue.Define[pricedRecord]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	if reason := panicValue(func() { books.Insert(pricedRecord{Price: -1}) }); reason == nil {
		t.Error("Insert of a record whose encoding panics does not panic")
	}
	if got := get(h, "/api/books/?ordering=price"); got.Body != emptyPage {
		t.Errorf("books are %s, want an empty page", got.Body)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
