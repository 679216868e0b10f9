package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// failingRevision is a revisionedCollection whose revision is not always to be had.
type failingRevision struct {
	*revisionedCollection
	calls int                                    // of Revision, since the request began
	fails func(ctx context.Context, n int) error // what the n-th of them fails with, from 1 on
}

func (u *failingRevision) Revision(ctx context.Context) (uint64, error) {
	u.calls++
	return u.revision.Load(), u.fails(ctx, u.calls) // a number that looks good beside an error
}

// never and at are ways to fail.
func neverFails(context.Context, int) error { return nil }

func failAt(call int, err error) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		if n == call {
			return err
		}
		return nil
	}
}

// newFailingRevisionHandler serves some news, and notes what OnError is told.
func newFailingRevisionHandler(t *testing.T, c Collection) (h *Handler, news *failingRevision, reported *[]error) {
	t.Helper()
	news, reported = &failingRevision{revisionedCollection: &revisionedCollection{Collection: c}, fails: neverFails}, new([]error)
	opts := Options{ETags: true, Bounds: Bounds{Terms: 2}, OnError: func(_ *http.Request, err error) { *reported = append(*reported, err) }}
	return newTestHandler(t, opts, map[string]Collection{"news": news}), news, reported
}

const onePiece = `{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"<é> & co","tags":[]}]}`

// TestRevisionFails: whichever of the two calls fails, and with what, the page is
// what a collection gives that is not Revisioned, and is made each time.
func TestRevisionFails(t *testing.T) {
	failures := []struct {
		reason string
		err    error
	}{
		{"any error", errors.New("password is 1234")},
		{"one that would be a 503 of Page", Unavailable(time.Second, nil)},
		{"one that would be a 410", ErrGone},
		{"one that would be a 409", ErrConflict},
		{"the end of a context of its own", context.DeadlineExceeded},
		{"one that would be asked again", ordering.ErrUnknownField},
	}
	want := answer{200, viewHeader("Accept", readMethods, len(onePiece)), onePiece}
	for _, f := range failures {
		for call := 1; call <= 2; call++ {
			h, news, reported := newFailingRevisionHandler(t, newCollection(1))
			news.fails = failAt(call, f.err)
			for n := 1; n <= 4; n++ {
				news.calls = 0
				if diff := cmp.Diff(want, get(h, "/api/news/")); diff != "" {
					t.Errorf("%s, call %d (-want +got):\n%s", f.reason, call, diff)
				}
				if news.pages.Load() != int64(n) || news.calls != call {
					t.Errorf("%s, call %d: %d pages of %d, %d calls of Revision", f.reason, call, news.pages.Load(), n, news.calls)
				}
				if len(*reported) != n || (*reported)[n-1] != f.err {
					t.Errorf("%s, call %d: OnError was called with %v", f.reason, call, *reported)
				}
			}
		}
	}
}

// A client that has the page, or would have any, is given it all the same.
func TestRevisionFailsWhereThereWasATag(t *testing.T) {
	failed := errors.New("failed")
	h, news, reported := newFailingRevisionHandler(t, newCollection(1))
	tag := tagOf(t, h, call{target: "/api/news/"})
	news.fails = func(context.Context, int) error { return failed }
	for _, method := range []string{"GET", "HEAD"} {
		want := answer{200, viewHeader("Accept", readMethods, len(onePiece)), onePiece}
		if method == "HEAD" {
			want.Body = ""
		}
		for _, has := range []string{tag, "*"} {
			*reported = nil
			got := call{method: method, target: "/api/news/", header: ifNoneMatch(has)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, If-None-Match %s (-want +got):\n%s", method, has, diff)
			}
			if !slices.Equal(*reported, []error{failed}) {
				t.Errorf("%s, If-None-Match %s: OnError was called with %v", method, has, *reported)
			}
		}
	}
}

// A failure is that of one request: a tag is good again when it is over.
func TestRevisionIsBack(t *testing.T) {
	h, news, _ := newFailingRevisionHandler(t, newCollection(1))
	tag := tagOf(t, h, call{target: "/api/news/"})
	failed := errors.New("failed")
	for _, test := range []struct {
		reason string
		fails  func(context.Context, int) error
		status int
	}{
		{"the first fails", failAt(1, failed), 200},
		{"none fails", neverFails, 304},
		{"nobody asks for the second", failAt(2, failed), 304},
	} {
		news.calls, news.fails = 0, test.fails
		if got := (call{target: "/api/news/", header: ifNoneMatch(tag)}).do(h); got.Status != test.status {
			t.Errorf("%s: %d, want %d", test.reason, got.Status, test.status)
		}
	}
}

// scripted is a collection with one record, which shows the revision that it is of.
// Each step of a request can be preceded by a change.
type scripted struct {
	revision uint64
	calls    int
	changes  map[string]int // by the step before which they happen
}

func (s *scripted) step(name string) {
	s.revision += uint64(s.changes[name]) // less if negative
	s.changes[name] = 0
}

func (s *scripted) Fields(context.Context) ([]string, error) { return []string{"id"}, nil }

func (s *scripted) Revision(context.Context) (uint64, error) {
	s.calls++
	s.step([]string{"", "first", "second"}[s.calls])
	return s.revision, nil
}

func (s *scripted) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	s.step("page")
	records := [][]byte{fmt.Appendf(nil, `{"id":%d}`, s.revision)}
	s.step("record")
	return 1, records, nil
}

// TestTagOfAnotherRevision: a page has a tag only if the revision is the same before
// and after it was made; the tag is then that of the revision which the page shows.
// Revisions decrease where replicas answer, one behind another.
func TestTagOfAnotherRevision(t *testing.T) {
	shown := func(revision int) string {
		return fmt.Sprintf(`{"count":1,"next":null,"previous":null,"results":[{"id":%d}]}`, revision)
	}
	tests := []struct {
		reason string
		step   string // before which the revision changes
		change int
		shown  int // revision
		tagged bool
	}{
		{"nothing is written", "none", 0, 100, true},
		{"written before the first look", "first", 1, 101, true},
		{"written between the first look and the page", "page", 1, 101, false},
		{"written after the page was read", "record", 1, 100, false},
		{"written before the second look", "second", 1, 100, false},
		{"a replica that is behind gives all", "first", -1, 99, true},
		{"a replica that is behind gives the page", "page", -1, 99, false},
		{"a replica that is behind gives the second number", "second", -1, 100, false},
		{"a replica that is far behind gives the second number", "record", -50, 100, false},
	}
	for _, test := range tests {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(test.reason+"/"+method, func(t *testing.T) {
				c := &scripted{revision: 100, changes: map[string]int{test.step: test.change}}
				h := newTestHandler(t, Options{ETags: true}, map[string]Collection{"news": c})
				got := call{method: method, target: "/api/news/"}.do(h)
				tag, tagged := got.Header["Etag"]
				if tagged != test.tagged || got.Status != 200 {
					t.Errorf("%d with the tag %q, want one: %t", got.Status, tag, test.tagged)
				}
				if _, controlled := got.Header["Cache-Control"]; controlled != test.tagged {
					t.Errorf("Cache-Control is %q", got.Header["Cache-Control"])
				}
				if method == "GET" && got.Body != shown(test.shown) {
					t.Errorf("%s, want revision %d", got.Body, test.shown)
				}
				for now := 98; now <= 102 && tagged; now++ {
					c.revision, c.calls = uint64(now), 0
					again := call{target: "/api/news/", header: ifNoneMatch(tag)}.do(h)
					if has := now == test.shown; (again.Status == 304) != has || !has && again.Body != shown(now) {
						t.Errorf("at revision %d, with the tag of %d: %d %s", now, test.shown, again.Status, again.Body)
					}
				}
			})
		}
	}
}

// TestRevisionAndAnswer: of a request that fails in another way as well OnError is
// told that alone, and the client as if there had been no revision to ask for.
func TestRevisionAndAnswer(t *testing.T) {
	lost, busy := Unavailable(9*time.Second, errors.New("no revision")), Unavailable(7*time.Second, errors.New("no page"))
	tests := []struct {
		reason     string
		page       Collection
		call       call
		status     int
		retryAfter string
		reported   string // in the text of the one error; "": none is reported
	}{
		{"a page", newCollection(1), call{}, 200, "", "no revision"},
		{"unknown format: nobody asks", newCollection(1), call{target: "?format=xml"}, 404, "", ""},
		{"too many terms: nobody asks", newCollection(1), call{target: "?ordering=a,b,c"}, 400, "", ""},
		{"nothing acceptable: nobody asks", newCollection(1), call{header: accept("text/html")}, 406, "", ""},
		{"OPTIONS: nobody asks", newCollection(1), call{method: "OPTIONS"}, 200, "", ""},
		{"POST: nobody asks", newCollection(1), call{method: "POST"}, 405, "", ""},
		{"both unavailable: the page says for how long", &sliceCollection{err: busy}, call{}, 503, "7", "no page"},
		{"Page fails", &sliceCollection{err: errors.New("no page")}, call{}, 500, "", "no page"},
		{"Page is gone", &sliceCollection{err: fmt.Errorf("%w: no page", ErrGone)}, call{}, 410, "", "no page"},
		{"Page gave up", &sliceCollection{err: context.Canceled}, call{}, 503, "", context.Canceled.Error()},
		{"Fields fails", &sliceCollection{err: errors.New("no fields")}, call{target: "?ordering=id"}, 500, "", "no fields"},
		{"a panic in Page", &panickingCollection{&revisionedCollection{Collection: newCollection(1)}, "Page", "oops"}, call{}, 500, "", ErrPanic.Error() + ": oops"},
		{"a record that is no JSON", &sliceCollection{records: [][]byte{[]byte("{")}}, call{header: accept("*/*;indent=2")}, 500, "", "invalid character"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h, news, reported := newFailingRevisionHandler(t, test.page)
			news.fails = failAt(1, lost)
			test.call.target = "/api/news/" + test.call.target
			got := test.call.do(h)
			if got.Status != test.status || got.Header["Retry-After"] != test.retryAfter || got.Header["Etag"] != "" || strings.Contains(got.Body, "no revision") {
				t.Errorf("%d %v %s, want %d", got.Status, got.Header, got.Body, test.status)
			}
			if test.reported == "" {
				if len(*reported) > 0 {
					t.Errorf("OnError was called with %v", *reported)
				}
				return
			}
			if len(*reported) != 1 || !strings.Contains((*reported)[0].Error(), test.reported) || errors.Is((*reported)[0], lost) != (test.reported == "no revision") {
				t.Errorf("OnError was called with %v, want one with %q", *reported, test.reported)
			}
		})
	}
}

// Without tags nobody asks for a revision.
func TestRevisionIsNotAskedFor(t *testing.T) {
	news := &failingRevision{revisionedCollection: &revisionedCollection{Collection: newCollection(1)}, fails: failAt(1, errors.New("failed"))}
	opts := Options{OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
	h := newTestHandler(t, opts, map[string]Collection{"news": news})
	for range 3 { // also of a page that was asked for before
		for _, c := range []call{{}, {header: ifNoneMatch("*")}, {method: "HEAD"}} {
			c.target = "/api/news/"
			if got := c.do(h); got.Status != 200 || news.calls != 0 {
				t.Errorf("%s %v: %d; %d calls of Revision", c.method, c.header, got.Status, news.calls)
			}
		}
	}
}

// A panic in the second call is the request's failure as in the first.
func TestRevisionPanicsBehindThePage(t *testing.T) {
	h, news, reported := newFailingRevisionHandler(t, newCollection(1))
	news.fails = func(_ context.Context, n int) error {
		if n == 2 {
			panic("oops")
		}
		return nil
	}
	if got := get(h, "/api/news/"); got.Status != 500 || got.Body != internalError || got.Header["Etag"] != "" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if len(*reported) != 1 || !errors.Is((*reported)[0], ErrPanic) {
		t.Errorf("OnError was called with %v", *reported)
	}
}

// contextCollection is a sliceCollection that looks at its context.
type contextCollection struct{ *sliceCollection }

func (h contextCollection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	return h.sliceCollection.Page(ctx, w, terms)
}

// TestRevisionWaits for what never comes, until the request's context ends: before
// the page, which is then given up, or behind it, when it is there.
func TestRevisionWaits(t *testing.T) {
	request := call{target: "/api/news/"}.request()
	for nth, want := range map[int]answer{
		1: {503, nil, `{"detail":"The request was given up before it could be answered."}`},
		2: {200, nil, onePiece},
	} {
		want.Header = viewHeader("Accept", readMethods, len(want.Body))
		for ended, end := range map[error]func(context.Context) (context.Context, context.CancelFunc){
			context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Minute)
			},
			context.Canceled: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Minute, cancel)
				return ctx, cancel
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				h, news, reported := newFailingRevisionHandler(t, contextCollection{newCollection(1)})
				news.fails = func(ctx context.Context, n int) error {
					if n != nth {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}
				ctx, cancel := end(t.Context())
				defer cancel()
				if diff := cmp.Diff(want, serve(h, request.WithContext(ctx))); diff != "" {
					t.Errorf("call %d, %v (-want +got):\n%s", nth, ended, diff)
				}
				if len(*reported) != 1 || !errors.Is((*reported)[0], ended) {
					t.Errorf("call %d: OnError was called with %v, want %v", nth, *reported, ended)
				}
			})
		}
	}
}
