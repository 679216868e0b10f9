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
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

const (
	internalError = `{"detail":"Internal server error."}`
	postableEvent = `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z"}`
)

// jumpy is a collection that panics where it is told to.
type jumpy struct {
	*journal
	in     string // the method
	reason any
}

func (j *jumpy) jump(method string) {
	if j.in == method {
		panic(j.reason)
	}
}

func (j *jumpy) Fields(ctx context.Context) ([]string, error) {
	j.jump("Fields")
	return j.journal.Fields(ctx)
}

func (j *jumpy) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	j.jump("Page")
	return j.journal.Page(ctx, w, terms)
}

func (j *jumpy) Revision(ctx context.Context) (uint64, error) {
	j.jump("Revision")
	return j.journal.Revision(ctx)
}

func (j *jumpy) Create(context.Context, []byte) ([]byte, error) {
	j.jump("Create")
	return []byte(`{"id":1}`), nil
}

// A panic in the program's code is told to OnError and to nobody else.
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
		{"a wrapped one", "Create", fmt.Errorf("x: %w", secret), call{method: "POST", target: "/api/events/"}},
		{"an error that would be a 400", "Create", Forbidden("no"), call{method: "POST", target: "/api/events/"}},
		{"a context that ended", "Page", context.Canceled, call{target: "/api/events/"}},
		{"nil", "Page", nil, call{target: "/api/events/"}},
		{"what cannot be compared", "Page", []int{1}, call{target: "/api/events/"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			events := &jumpy{&journal{Collection: newShelf(3)}, test.in, test.value}
			var told []error
			opts := Options{
				ETags:      true, // or Revision is not called
				Authorizer: func(*http.Request, string) error { events.jump("authorizer"); return nil },
				OnError:    func(_ *http.Request, err error) { told = append(told, err) },
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
			if len(told) != 1 || !errors.Is(told[0], ErrPanic) || !strings.Contains(told[0].Error(), "panic_test.go") {
				t.Errorf("OnError was told %v; want one ErrPanic with a stack", told)
			}
			if err, ok := test.value.(error); ok && !errors.Is(told[0], err) {
				t.Errorf("%v does not match %v", told[0], err)
			}
			events.in = "" // it was this request alone
			if got := test.call.do(h); got.Status >= 300 {
				t.Errorf("the next request: %d %s", got.Status, got.Body)
			}
		})
	}
}

// Where nobody wants to know, or who wants to know panics too.
func TestPanicsOfOnError(t *testing.T) {
	broken := func(err error) map[string]Collection { return map[string]Collection{"events": &shelf{err: err}} }
	jumps := map[string]Collection{"events": &jumpy{&journal{Collection: newShelf(3)}, "Page", "oops"}}
	panics := Options{OnError: func(*http.Request, error) { panic("again") }}
	for reason, h := range map[string]*Handler{
		"no OnError":                  newTestHandler(t, Options{}, jumps),
		"told of a panic":             newTestHandler(t, panics, jumps),
		"told of an error":            newTestHandler(t, panics, broken(errors.New("oops"))),
		"told of a context's end":     newTestHandler(t, panics, broken(context.Canceled)),
		"told of no revision":         newTestHandler(t, Options{ETags: true, OnError: panics.OnError}, map[string]Collection{"events": &unsure{&journal{Collection: newShelf(3)}, 0, at(1, errors.New("oops"))}}),
		"told of a record, no JSON":   newTestHandler(t, panics, map[string]Collection{"events": &shelf{records: [][]byte{[]byte("{")}}}),
		"told of a record, no reader": newTestHandler(t, Options{}, map[string]Collection{"events": &shelf{records: [][]byte{[]byte("{")}}}),
	} {
		if got := (call{target: "/api/events/", header: accept("*/*;indent=2")}).do(h); got.Status != 500 || got.Body != internalError {
			t.Errorf("%s: %d %s", reason, got.Status, got.Body)
		}
	}
}

// thrown is what a call panics with, nil if it does not.
func thrown(f func()) (reason any) {
	defer func() { reason = recover() }()
	f()
	return nil
}

func TestAbortPassesThrough(t *testing.T) {
	opts := Options{OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
	h := newTestHandler(t, opts, map[string]Collection{"events": &jumpy{&journal{Collection: newShelf(3)}, "Page", http.ErrAbortHandler}})
	rec := httptest.NewRecorder()
	if reason := thrown(func() { h.ServeHTTP(rec, call{target: "/api/events/"}.request()) }); reason != http.ErrAbortHandler {
		t.Errorf("%v came through, want ErrAbortHandler", reason)
	}
	if len(rec.Header()) > 0 || rec.Body.Len() > 0 {
		t.Errorf("written: %v %s", rec.Header(), rec.Body)
	}
}

// tearing is a writer that panics when a body comes.
type tearing struct{ *httptest.ResponseRecorder }

func (tearing) Write([]byte) (int, error) { panic("torn") }

// Half an answer must not be followed by another one, nor look whole.
func TestPanicInTheMidstOfAnAnswer(t *testing.T) {
	var told []error
	h := newTestHandler(t, Options{OnError: func(_ *http.Request, err error) { told = append(told, err) }}, nil)
	w := tearing{httptest.NewRecorder()}
	if reason := thrown(func() { h.ServeHTTP(w, call{target: "/api/events/"}.request()) }); reason != http.ErrAbortHandler {
		t.Errorf("%v came through, want ErrAbortHandler", reason)
	}
	if w.Code != 200 || len(told) != 1 || !errors.Is(told[0], ErrPanic) {
		t.Errorf("status %d, OnError was told %v", w.Code, told)
	}
}

// Goexit is no panic: t.FailNow in a program's fake ends the goroutine, silently.
func TestGoexit(t *testing.T) {
	opts := Options{
		Authorizer: func(*http.Request, string) error { runtime.Goexit(); return nil },
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
		t.Errorf("written: %s", rec.Body)
	}
}

// wary is a catalogue's collection with a validator of the program's own.
type wary struct {
	catalogue.Encoded
	validate func(body []byte)
}

func (w wary) Create(ctx context.Context, body []byte) ([]byte, error) {
	w.validate(body)
	return w.Encoded.Create(ctx, body)
}

// priced is a record that cannot always be written down.
type priced struct {
	ID    int   `json:"id"`
	Price price `json:"price"`
}

type price int

func (p price) MarshalText() ([]byte, error) {
	if p < 0 {
		panic("no price")
	}
	return fmt.Append(nil, int(p)), nil
}

// A panic in an authorizer, a validator or a record's own method changes nothing
// in a catalogue, and leaves no lock behind.
func TestPanicsChangeNothing(t *testing.T) {
	house, err := catalogue.NewWith(catalogue.Define[priced]("books", catalogue.Options{}))
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
	angry := ""
	all["events"] = wary{events, func([]byte) {
		if angry == "validator" {
			panic("oops")
		}
	}}
	h, err := NewHandler(all, Options{Authorizer: func(*http.Request, string) error {
		if angry == "authorizer" {
			panic("oops")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	post := call{method: "POST", target: "/api/events/", body: postableEvent, header: http.Header{"Content-Type": {"application/json"}}}
	for _, angry = range []string{"authorizer", "validator"} {
		if got := post.do(h); got.Status != 500 || got.Body != internalError {
			t.Errorf("%s: %d %s", angry, got.Status, got.Body)
		}
		if got := get(h, "/api/events/"); got.Body != emptyPage {
			t.Errorf("%s: stored %s", angry, got.Body)
		}
	}
	angry = ""
	if got := post.do(h); got.Status != 201 || !strings.HasPrefix(got.Body, `{"id":1,`) {
		t.Errorf("afterwards: %d %s; no id may be used up", got.Status, got.Body)
	}
	books, err := catalogue.Define[priced]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	if reason := thrown(func() { books.Insert(priced{Price: -1}) }); reason == nil {
		t.Error("a record that cannot be written down was stored")
	}
	if got := get(h, "/api/books/?ordering=price"); got.Body != emptyPage {
		t.Errorf("books: %s", got.Body)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
