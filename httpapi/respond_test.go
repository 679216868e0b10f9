package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Values that middleware sets before the handler are kept. Values that it adds afterwards
// do not appear in other responses.
func TestSharedHeaders(t *testing.T) {
	h := newStubHandler(t, Options{ETags: true}, listOnly{newStub(1)})
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		w.Header().Set("Cache-Control", "public, max-age=60")
		h.ServeHTTP(w, r)
		w.Header().Add("Allow", "BREW")
		w.Header().Add("Vary", "Origin")
	})
	for range 2 {
		if got := get(middleware, "/api/films/").Header["Vary"]; got != "Accept-Encoding | Accept | Origin" {
			t.Errorf("Vary = %s, want Accept-Encoding | Accept | Origin", got)
		}
		if got := get(middleware, "/api/").Header["Cache-Control"]; got != "public, max-age=60" {
			t.Errorf("Cache-Control = %s, want that of the middleware", got)
		}
		if got := get(h, "/api/films/"); got.Header["Vary"] != "Accept" || got.Header["Allow"] != readMethods {
			t.Errorf("header changed by another response: %v", got.Header)
		}
	}
}

// reporting returns options with an OnError, and what it was called with.
func reporting() (opts Options, reported *[]error) {
	reported = new([]error)
	onError := func(_ *http.Request, err error) { *reported = append(*reported, err) }
	return Options{Authorizer: AllowAll, OnError: onError}, reported
}

const givenUp = `{"detail":"The request was given up before it could be answered."}`

// TestErrors checks the responses to the errors of a program. Their texts are not sent.
func TestErrors(t *testing.T) {
	const (
		unavailable = `{"detail":"Service temporarily unavailable, try again later."}`
		conflict    = `{"detail":"The record is in conflict with what is stored."}`
	)
	secret := errors.New("password is 1234")
	for _, test := range []struct {
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
		{"deadline", fmt.Errorf("%w: %w", secret, context.DeadlineExceeded), 503, "", givenUp},
		{"conflict", fmt.Errorf("%w: %w", ErrConflict, secret), 409, "", conflict},
		{"any other error", secret, 500, "", internalError},
	} {
		for method, c := range map[string]call{
			"List":   {target: "/api/films/?ordering=id"},
			"Get":    {target: "/api/films/1/"},
			"Create": {method: "POST", target: "/api/films/"},
			"Update": {method: "PATCH", target: "/api/films/1/"},
			"Delete": {method: "DELETE", target: "/api/films/1/"},
		} {
			opts, reported := reporting()
			got := c.do(newStubHandler(t, opts, failing(method, test.err)))
			if got.Status != test.status || got.Header["Retry-After"] != test.retryAfter || got.Body != test.body {
				t.Errorf("%s, %s: %d, Retry-After %q, %s, want %d, %q, %s", test.reason, method,
					got.Status, got.Header["Retry-After"], got.Body, test.status, test.retryAfter, test.body)
			}
			if len(*reported) != 1 || (*reported)[0] != test.err {
				t.Errorf("%s, %s: OnError was called with %v", test.reason, method, *reported)
			}
			opts.OnError = nil
			if got := c.do(newStubHandler(t, opts, failing(method, test.err))); got.Status != test.status {
				t.Errorf("%s, %s, without OnError: %d", test.reason, method, got.Status)
			}
		}
	}
	if err := Unavailable(0, secret); !errors.Is(err, secret) || !errors.Is(err, ErrUnavailable) ||
		errors.Is(Unavailable(0, nil), secret) {
		t.Errorf("Unavailable(0, err) = %v, want an error wrapping ErrUnavailable and err only", err)
	}
}

// WriteError sends what a handler sends for the error of a collection or of an authorizer.
func TestWriteError(t *testing.T) {
	_, syntax := schema.ParseRecord([]byte(`{"id":1,`))
	film := call{target: "/api/films/1/"}
	for _, test := range []struct {
		reason string
		err    error
		method string // of a collection that returns the error, or "" for the authorizer
		call   call
	}{
		{"not found", fmt.Errorf("films: %w", catalogue.ErrNotFound), "Get", film},
		{"not found, after a HEAD", catalogue.ErrNotFound, "Get", call{method: "HEAD", target: "/api/films/1/"}},
		{"not found, indented", catalogue.ErrNotFound, "Get", call{target: "/api/films/1/", header: accept("application/json; indent=2")}},
		{"referenced", fmt.Errorf("%w: %w", catalogue.ErrReferenced, catalogue.Violations{{Collection: "films", Identity: schema.Identity{ID: 2}, Field: "sequel", Err: catalogue.ErrDangling}}), "Delete", call{method: "DELETE", target: "/api/films/1/"}},
		{"syntax", syntax, "Create", call{method: "POST", target: "/api/films/"}},
		{"fields", schema.FieldErrors{{Field: "status", Messages: []string{"<wrong>"}}}, "Update", call{method: "PATCH", target: "/api/films/1/"}},
		{"fields of a filter", schema.FieldErrors{{Field: "title_Regex", Messages: []string{"<too much>"}}}, "List", call{target: "/api/films/?title__regex=x"}},
		{"the same, wrapped", fmt.Errorf("films: %w", schema.FieldErrors{{Field: "title_Regex", Messages: []string{"<too much>"}}}), "Get", call{target: "/api/films/1/?title__regex=x"}},
		{"before an update", schema.FieldErrors{{Field: "title_Regex", Messages: []string{"<too much>"}}}, "Get", call{method: "PUT", target: "/api/films/1/?title__regex=x"}},
		{"and a deletion", schema.FieldErrors{{Field: "search", Messages: []string{"<too much>"}}}, "Delete", call{method: "DELETE", target: "/api/films/1/?search=x"}},
		{"no id", catalogue.ErrInvalidID, "Create", call{method: "POST", target: "/api/films/"}},
		{"conflict", ErrConflict, "Update", call{method: "PUT", target: "/api/films/1/"}},
		{"unavailable", Unavailable(time.Second, errors.New("secret")), "Get", film},
		{"canceled", context.Canceled, "Get", film},
		{"any other", errors.New("secret"), "Get", film},
		{"forbidden by List", Forbidden(""), "List", call{target: "/api/films/"}},
		{"forbidden by Get", fmt.Errorf("wrapped: %w", Forbidden("Not yours.")), "Get", film},
		{"unauthorized by Get, before an update", Unauthorized("Token", ""), "Get", call{method: "PATCH", target: "/api/films/1/"}},
		{"forbidden by Create", Forbidden(""), "Create", call{method: "POST", target: "/api/films/"}},
		{"forbidden by Update", fmt.Errorf("%w: %w", catalogue.ErrNotFound, Forbidden("")), "Update", call{method: "PUT", target: "/api/films/1/"}},
		{"unauthorized by Delete", Unauthorized("Bearer", "Expired."), "Delete", call{method: "DELETE", target: "/api/films/1/"}},
		{"unauthorized", fmt.Errorf("wrapped: %w", Unauthorized("Bearer", "Expired.")), "", film},
		{"forbidden", Forbidden(""), "", film},
	} {
		opts := Options{AuthorizeReads: true, Authorizer: func(*http.Request, string, schema.Actions) error {
			if test.method != "" {
				return nil
			}
			return test.err
		}}
		h := newStubHandler(t, opts, failing(test.method, test.err))
		want := test.call.do(h)
		delete(want.Header, "Allow")
		delete(want.Header, "Vary")
		got := test.call.do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.WriteError(w, r, test.err) }))
		if diff := cmp.Diff(want, got); diff != "" || want.Status < 400 {
			t.Errorf("%s (-handler +WriteError):\n%s", test.reason, diff)
		}
	}
	h := newStubHandler(t, Options{}, newStub(1))
	if got := film.do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.WriteError(w, r, nil) })); got.Status != 500 {
		t.Errorf("nil: %d, want 500", got.Status)
	}
}

// WriteError names a record as the version of the framework does, by the path of the request.
func TestWriteErrorFramework(t *testing.T) {
	const named = `{"detail":"No Film matches the given query."}`
	for target, want := range map[string]string{
		"/api/films/7/publish/":      named,
		"/shop/api/films/7/publish/": named,
		"/api/films/x/publish/":      notFound,
		"/api/publish/":              notFound,
	} {
		for as, want := range map[schema.Framework]string{{}: notFound, schema.DRF318(nil): want} {
			h := newStubHandler(t, Options{Framework: as}, newStub(1))
			got := call{method: "POST", target: target}.do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.WriteError(w, r, catalogue.ErrNotFound)
			}))
			if got.Status != 404 || got.Body != want || got.Header["Allow"] != "" {
				t.Errorf("%s: %+v, want 404 %s", target, got, want)
			}
		}
	}
}

// An error is the client's mistake only if it comes from a step that can find one: a page
// has no syntax, and a read deletes nothing. All others are reported.
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
		{"List", call{target: page + filtered}, [5]int{500, 500, 500, 500, 500}},
		{"Get", call{target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{target: record + filtered}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{method: "PATCH", target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{method: "PUT", target: record + filtered}, [5]int{404, 500, 500, 500, 500}},
		{"Create", call{method: "POST", target: page}, [5]int{500, 500, 400, 400, 409}},
		{"Update", call{method: "PATCH", target: record}, [5]int{404, 500, 400, 400, 500}},
		{"Delete", call{method: "DELETE", target: record}, [5]int{404, 409, 500, 500, 500}},
		{"Delete", call{method: "DELETE", target: record + filtered}, [5]int{404, 409, 500, 500, 500}},
	} {
		for i, err := range errs {
			err := fmt.Errorf("row 7: %w", err)
			opts, reported := reporting()
			got, want := test.call.do(newStubHandler(t, opts, failing(test.method, err))), test.status[i]
			if got.Status != want || want == 500 && got.Body != internalError {
				t.Errorf("%s %s: %s fails with %v: %d %s, want %d",
					test.call.method, test.call.target, test.method, err, got.Status, got.Body, want)
			}
			if calls := len(*reported); (calls == 1) != (want == 500 || errs[i] == catalogue.ErrInvalidID && want == 409) {
				t.Errorf("%s %s: %s fails with %v: OnError was called with %v",
					test.call.method, test.call.target, test.method, err, *reported)
			}
		}
	}
}

// A panic in a callback is reported to OnError and not to the client, and the next request is
// not affected.
func TestPanics(t *testing.T) {
	secret := errors.New("password is 1234")
	post, page := call{method: "POST", target: "/api/films/", body: `{}`}, call{target: "/api/films/"}
	for _, test := range []struct {
		reason string
		in     string // the callback
		value  any
		call   call
	}{
		{"authorizer of a POST", "authorizer", "oops", post},
		{"authorizer of an OPTIONS", "authorizer", "oops", call{method: "OPTIONS", target: "/api/films/"}},
		{"POST", "Create", "oops", post},
		{"page", "List", "oops", page},
		{"page that would be indented", "List", "oops", call{target: "/api/films/", header: accept("*/*;indent=4")}},
		{"page of a HEAD", "List", "oops", call{method: "HEAD", target: "/api/films/"}},
		{"revision", "Revision", "oops", page},
		{"an error", "Create", secret, post},
		{"a wrapped error", "Create", fmt.Errorf("x: %w", secret), post},
		{"an error that would be a 403", "Create", Forbidden("no"), post},
		{"the error of a context", "List", context.Canceled, page},
		{"nil", "List", nil, page},
		{"a value that is not comparable", "List", []int{1}, page},
	} {
		films, in := newStub(3), test.in
		films.on = func(_ context.Context, method string) error {
			if method == in {
				panic(test.value)
			}
			return nil
		}
		opts, reported := reporting()
		opts.ETags = true // so that Revision is called
		opts.Authorizer = func(*http.Request, string, schema.Actions) error { return films.on(nil, "authorizer") }
		h := newStubHandler(t, opts, films)
		want := answer{500, viewHeader(listMethods, len(internalError)), internalError}
		if test.call.method == "HEAD" {
			want.Body = ""
		}
		equal(t, test.reason, want, test.call.do(h))
		if e := *reported; len(e) != 1 || !errors.Is(e[0], ErrPanic) || !strings.Contains(e[0].Error(), "respond_test.go") {
			t.Errorf("%s: OnError was called with %v, want one ErrPanic with a stack", test.reason, e)
		}
		if err, ok := test.value.(error); ok && !errors.Is((*reported)[0], err) {
			t.Errorf("%s: %v does not wrap %v", test.reason, (*reported)[0], err)
		}
		in = ""
		if got := test.call.do(h); got.Status >= 300 {
			t.Errorf("%s: next request: %d %s, want success", test.reason, got.Status, got.Body)
		}
	}
}

func TestPanicsOfOnError(t *testing.T) {
	panicking := func(*http.Request, error) { panic("again") }
	for _, test := range []struct {
		reason string
		films  *stub
		opts   Options
		status int
	}{
		{"after an error", failing("List", errors.New("oops")), Options{OnError: panicking}, 500},
		{"after the end of a context", failing("List", context.Canceled), Options{OnError: panicking}, 500},
		{"after an error of Revision", failing("Revision", errors.New("oops")),
			Options{ETags: true, OnError: panicking}, 500},
		{"no OnError, panic", failing("List", nil), Options{}, 500},
		{"after a panic", failing("List", nil), Options{OnError: panicking}, 500},
	} {
		if strings.Contains(test.reason, " panic") {
			test.films.on = func(context.Context, string) error { panic("oops") }
		}
		h, err := NewHandler([]Collection{test.films}, test.opts)
		must(t, err)
		got := call{target: "/api/films/", header: accept("*/*;indent=2")}.do(h)
		if got.Status != test.status || got.Body != internalError {
			t.Errorf("%s: %d %s, want 500", test.reason, got.Status, got.Body)
		}
	}
}

// panickingWriter is a ResponseWriter whose Write panics.
type panickingWriter struct{ *httptest.ResponseRecorder }

func (panickingWriter) Write([]byte) (int, error) { panic("oops") }

// TestAbort checks what ends a request without a response: http.ErrAbortHandler, a panic after
// part of the response has been sent, and Goexit, as in t.FailNow.
func TestAbort(t *testing.T) {
	opts, reported := reporting()
	films := newStub(1)
	films.on = func(context.Context, string) error { panic(http.ErrAbortHandler) }
	rec := httptest.NewRecorder()
	h := newStubHandler(t, opts, films)
	page := call{target: "/api/films/"}.request()
	if reason := panicValue(func() { h.ServeHTTP(rec, page) }); reason != http.ErrAbortHandler {
		t.Errorf("ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	films.on = func(context.Context, string) error { runtime.Goexit(); return nil }
	done := make(chan bool)
	go func() {
		defer close(done)
		h.ServeHTTP(rec, page)
	}()
	<-done
	if len(rec.Header()) > 0 || rec.Body.Len() > 0 || len(*reported) > 0 {
		t.Errorf("ServeHTTP wrote %v %s and reported %v, want nothing", rec.Header(), rec.Body, *reported)
	}
	films.on = nil
	w := panickingWriter{httptest.NewRecorder()}
	if reason := panicValue(func() { h.ServeHTTP(w, page) }); reason != http.ErrAbortHandler {
		t.Errorf("after a panic of Write, ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	if w.Code != 200 || len(*reported) != 1 || !errors.Is((*reported)[0], ErrPanic) {
		t.Errorf("status %d and errors %v, want 200 and one ErrPanic", w.Code, *reported)
	}
}
