package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

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

func (c *panickingCollection) Fields(ctx context.Context) ([]string, error) {
	c.panicIn("Fields")
	return c.revisionedCollection.Fields(ctx)
}

func (c *panickingCollection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	c.panicIn("Page")
	return c.revisionedCollection.Page(ctx, w, terms)
}

func (c *panickingCollection) Revision(ctx context.Context) (uint64, error) {
	c.panicIn("Revision")
	return c.revisionedCollection.Revision(ctx)
}

func (c *panickingCollection) Create(context.Context, []byte) ([]byte, error) {
	c.panicIn("Create")
	return []byte(`{"id":1}`), nil
}

// A panic in the program's code is reported to OnError and not to the client.
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
		{"page", "Page", "oops", call{target: "/api/events/"}},
		{"page that would be indented", "Page", "oops", call{target: "/api/events/", header: accept("*/*;indent=4")}},
		{"page of a HEAD", "Page", "oops", call{method: "HEAD", target: "/api/events/"}},
		{"fields", "Fields", "oops", call{target: "/api/events/?ordering=id"}},
		{"revision", "Revision", "oops", call{target: "/api/events/"}},
		{"an error", "Create", secret, call{method: "POST", target: "/api/events/"}},
		{"a wrapped error", "Create", fmt.Errorf("x: %w", secret), call{method: "POST", target: "/api/events/"}},
		{"an error that would be a 400", "Create", Forbidden("no"), call{method: "POST", target: "/api/events/"}},
		{"the error of a context", "Page", context.Canceled, call{target: "/api/events/"}},
		{"nil", "Page", nil, call{target: "/api/events/"}},
		{"a value that is not comparable", "Page", []int{1}, call{target: "/api/events/"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			events := &panickingCollection{&revisionedCollection{Collection: newCollection(3)}, test.in, test.value}
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
			if len(reported) != 1 || !errors.Is(reported[0], ErrPanic) || !strings.Contains(reported[0].Error(), "panic_test.go") {
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
	panicking := map[string]Collection{"events": &panickingCollection{&revisionedCollection{Collection: newCollection(3)}, "Page", "oops"}}
	panics := Options{OnError: func(*http.Request, error) { panic("again") }}
	for reason, h := range map[string]*Handler{
		"no OnError":                 newTestHandler(t, Options{}, panicking),
		"after a panic":              newTestHandler(t, panics, panicking),
		"after an error":             newTestHandler(t, panics, broken(errors.New("oops"))),
		"after the end of a context": newTestHandler(t, panics, broken(context.Canceled)),
		"after an error of Revision": newTestHandler(t, Options{ETags: true, OnError: panics.OnError}, map[string]Collection{"events": &failingRevision{&revisionedCollection{Collection: newCollection(3)}, 0, failAt(1, errors.New("oops"))}}),
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
	h := newTestHandler(t, opts, map[string]Collection{"events": &panickingCollection{&revisionedCollection{Collection: newCollection(3)}, "Page", http.ErrAbortHandler}})
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
	catalogue.Encoded
	validate func(body []byte)
}

func (c validatingCollection) Create(ctx context.Context, body []byte) ([]byte, error) {
	c.validate(body)
	return c.Encoded.Create(ctx, body)
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
	house, err := catalogue.NewWith(catalogue.Define[pricedRecord]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]Collection)
	for key, c := range house.All() {
		all[key] = c
	}
	events, err := house.Encoded("events")
	if err != nil {
		t.Fatal(err)
	}
	panicsIn := ""
	all["events"] = validatingCollection{events, func([]byte) {
		if panicsIn == "validator" {
			panic("oops")
		}
	}}
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
