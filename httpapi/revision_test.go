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

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/google/go-cmp/cmp"
)

// failingRevision is a revisionedCollection whose Revision can fail.
type failingRevision struct {
	*revisionedCollection
	calls int                                    // of Revision, since the test reset it
	fails func(ctx context.Context, n int) error // returns the error of the n-th call, from 1 on
}

func (c *failingRevision) Revision(ctx context.Context) (uint64, error) {
	c.calls++
	return c.revision.Load(), c.fails(ctx, c.calls) // a valid number even with an error
}

func neverFails(context.Context, int) error { return nil }

func failAt(call int, err error) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		if n == call {
			return err
		}
		return nil
	}
}

// newFailingRevisionHandler returns a handler of c as news and the errors that its OnError
// is called with.
func newFailingRevisionHandler(t *testing.T, c fake) (h *Handler, news *failingRevision, reported *[]error) {
	t.Helper()
	news, reported = &failingRevision{revisionedCollection: &revisionedCollection{fake: c}, fails: neverFails}, new([]error)
	opts := Options{ETags: true, OnError: func(_ *http.Request, err error) { *reported = append(*reported, err) }}
	h = newTestHandler(t, opts, map[string]Collection{"news": news})
	h.bounds.terms = 2
	return h, news, reported
}

const oneRecord = `{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"<é> & co","tags":[]}]}`

// If either call of Revision fails, with any error, the page is the same as without
// Revisioner.
func TestRevisionFails(t *testing.T) {
	failures := []struct {
		reason string
		err    error
	}{
		{"any error", errors.New("password is 1234")},
		{"unavailable", Unavailable(time.Second, nil)},
		{"gone", ErrGone},
		{"conflict", ErrConflict},
		{"deadline", context.DeadlineExceeded},
		{"unknown field", ordering.ErrUnknownField},
	}
	want := answer{200, viewHeader("Accept", readMethods, len(oneRecord)), oneRecord}
	for _, f := range failures {
		for call := 1; call <= 2; call++ {
			h, news, reported := newFailingRevisionHandler(t, newCollection(1))
			news.fails = failAt(call, f.err)
			for n := 1; n <= 4; n++ {
				news.calls = 0
				if diff := cmp.Diff(want, get(h, "/api/news/")); diff != "" {
					t.Errorf("%s, call %d (-want +got):\n%s", f.reason, call, diff)
				}
				if news.lists.Load() != int64(n) || news.calls != call {
					t.Errorf("%s, call %d: %d pages after %d requests, %d calls of Revision", f.reason, call, news.lists.Load(), n, news.calls)
				}
				if len(*reported) != n || (*reported)[n-1] != f.err {
					t.Errorf("%s, call %d: OnError was called with %v, want %v last", f.reason, call, *reported, f.err)
				}
			}
		}
	}
}

// If Revision fails, If-None-Match is ignored.
func TestRevisionFailsWithIfNoneMatch(t *testing.T) {
	failed := errors.New("failed")
	h, news, reported := newFailingRevisionHandler(t, newCollection(1))
	tag := tagOf(t, h, call{target: "/api/news/"})
	news.fails = func(context.Context, int) error { return failed }
	for _, method := range []string{"GET", "HEAD"} {
		want := answer{200, viewHeader("Accept", readMethods, len(oneRecord)), oneRecord}
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
				t.Errorf("%s, If-None-Match %s: OnError was called with %v, want %v", method, has, *reported, failed)
			}
		}
	}
}

// A tag stays valid after Revision has failed.
func TestTagAfterRevisionFailed(t *testing.T) {
	h, news, _ := newFailingRevisionHandler(t, newCollection(1))
	tag := tagOf(t, h, call{target: "/api/news/"})
	failed := errors.New("failed")
	for _, test := range []struct {
		reason string
		fails  func(context.Context, int) error
		status int
	}{
		{"first call fails", failAt(1, failed), 200},
		{"no call fails", neverFails, 304},
		{"second call would fail", failAt(2, failed), 304},
	} {
		news.calls, news.fails = 0, test.fails
		if got := (call{target: "/api/news/", header: ifNoneMatch(tag)}).do(h); got.Status != test.status {
			t.Errorf("%s: %d, want %d", test.reason, got.Status, test.status)
		}
	}
}

// changingRevision is a collection with one record, whose id is the revision of the page.
// The revision can change before each step of a request.
type changingRevision struct {
	keyed
	revision uint64
	calls    int
	changes  map[string]int // by the step that follows
}

func (c *changingRevision) step(name string) {
	c.revision += uint64(c.changes[name]) // decreases if negative
	c.changes[name] = 0
}

func (c *changingRevision) Revision(context.Context) (uint64, error) {
	c.calls++
	c.step([]string{"", "first", "second"}[c.calls])
	return c.revision, nil
}

func (c *changingRevision) List(context.Context, catalogue.Query) (catalogue.List, error) {
	c.step("list")
	records := [][]byte{fmt.Appendf(nil, `{"id":%d}`, c.revision)}
	c.step("record")
	return catalogue.List{Records: records, Count: 1}, nil
}

// A page has a tag only if the revision is the same before and after List. Revisions may
// decrease if one of several replicas is outdated.
func TestTagIfRevisionChanges(t *testing.T) {
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
		{"no write", "none", 0, 100, true},
		{"write before the first call of Revision", "first", 1, 101, true},
		{"write between Revision and List", "list", 1, 101, false},
		{"write after List has read", "record", 1, 100, false},
		{"write before the second call of Revision", "second", 1, 100, false},
		{"older replica for all calls", "first", -1, 99, true},
		{"older replica for List", "list", -1, 99, false},
		{"older replica for the second call of Revision", "second", -1, 100, false},
		{"much older replica for the second call of Revision", "record", -50, 100, false},
	}
	for _, test := range tests {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(test.reason+"/"+method, func(t *testing.T) {
				c := &changingRevision{revision: 100, changes: map[string]int{test.step: test.change}}
				h := newTestHandler(t, Options{ETags: true}, map[string]Collection{"news": c})
				got := call{method: method, target: "/api/news/"}.do(h)
				tag, tagged := got.Header["Etag"]
				if tagged != test.tagged || got.Status != 200 {
					t.Errorf("%d with tag %q, want a tag %t", got.Status, tag, test.tagged)
				}
				if _, controlled := got.Header["Cache-Control"]; controlled != test.tagged {
					t.Errorf("Cache-Control is %q, want one: %t", got.Header["Cache-Control"], test.tagged)
				}
				if method == "GET" && got.Body != shown(test.shown) {
					t.Errorf("%s, want revision %d", got.Body, test.shown)
				}
				for now := 98; now <= 102 && tagged; now++ {
					c.revision, c.calls = uint64(now), 0
					again := call{target: "/api/news/", header: ifNoneMatch(tag)}.do(h)
					if has := now == test.shown; (again.Status == 304) != has || !has && again.Body != shown(now) {
						t.Errorf("at revision %d with the tag of %d: %d %s", now, test.shown, again.Status, again.Body)
					}
				}
			})
		}
	}
}

// If the request fails with another error too, OnError is called only with that, and the
// response is the same as without Revisioner.
func TestRevisionFailsWithRequest(t *testing.T) {
	lost, busy := Unavailable(9*time.Second, errors.New("no revision")), Unavailable(7*time.Second, errors.New("no page"))
	tests := []struct {
		reason     string
		page       fake
		call       call
		status     int
		retryAfter string
		reported   string // in the text of the one error; "" if none is reported
	}{
		{"a page", newCollection(1), call{}, 200, "", "no revision"},
		{"unknown format", newCollection(1), call{target: "?format=xml"}, 404, "", ""},
		{"too many terms", newCollection(1), call{target: "?ordering=a,b,c"}, 400, "", ""},
		{"not acceptable", newCollection(1), call{header: accept("text/html")}, 406, "", ""},
		{"OPTIONS", newCollection(1), call{method: "OPTIONS"}, 200, "", ""},
		{"POST", newCollection(1), call{method: "POST"}, 405, "", ""},
		{"both unavailable", &sliceCollection{err: busy}, call{}, 503, "7", "no page"},
		{"List fails", &sliceCollection{err: errors.New("no page")}, call{}, 500, "", "no page"},
		{"List is gone", &sliceCollection{err: fmt.Errorf("%w: no page", ErrGone)}, call{}, 410, "", "no page"},
		{"List is canceled", &sliceCollection{err: context.Canceled}, call{}, 503, "", context.Canceled.Error()},
		{"a panic in List", &panickingCollection{&revisionedCollection{fake: newCollection(1)}, "List", "oops"}, call{}, 500, "", ErrPanic.Error() + ": oops"},
		{"a record that is not JSON", &sliceCollection{records: [][]byte{[]byte("{")}}, call{header: accept("*/*;indent=2")}, 500, "", "record 0 of the page: unexpected end of JSON input"},
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
					t.Errorf("OnError was called with %v, want no errors", *reported)
				}
				return
			}
			if len(*reported) != 1 || !strings.Contains((*reported)[0].Error(), test.reported) || errors.Is((*reported)[0], lost) != (test.reported == "no revision") {
				t.Errorf("OnError was called with %v, want one with %q", *reported, test.reported)
			}
		})
	}
}

// Without tags, Revision is not called.
func TestNoRevisionWithoutTags(t *testing.T) {
	news := &failingRevision{revisionedCollection: &revisionedCollection{fake: newCollection(1)}, fails: failAt(1, errors.New("failed"))}
	opts := Options{OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
	h := newTestHandler(t, opts, map[string]Collection{"news": news})
	for range 3 {
		for _, c := range []call{{}, {header: ifNoneMatch("*")}, {method: "HEAD"}} {
			c.target = "/api/news/"
			if got := c.do(h); got.Status != 200 || news.calls != 0 {
				t.Errorf("%s %v: %d and %d calls of Revision, want 200 and none", c.method, c.header, got.Status, news.calls)
			}
		}
	}
}

func TestRevisionPanicsAfterPage(t *testing.T) {
	h, news, reported := newFailingRevisionHandler(t, newCollection(1))
	news.fails = func(_ context.Context, n int) error {
		if n == 2 {
			panic("oops")
		}
		return nil
	}
	if got := get(h, "/api/news/"); got.Status != 500 || got.Body != internalError || got.Header["Etag"] != "" {
		t.Errorf("%d %v %s, want 500 without a tag", got.Status, got.Header, got.Body)
	}
	if len(*reported) != 1 || !errors.Is((*reported)[0], ErrPanic) {
		t.Errorf("OnError was called with %v, want one ErrPanic", *reported)
	}
}

// contextCollection is a sliceCollection whose List returns the error of its context.
type contextCollection struct{ *sliceCollection }

func (c contextCollection) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	if err := ctx.Err(); err != nil {
		return catalogue.List{}, err
	}
	return c.sliceCollection.List(ctx, q)
}

// Revision blocks until the context ends. If that is before List, the request fails. If it
// is after List, the page is sent.
func TestRevisionBlocks(t *testing.T) {
	request := call{target: "/api/news/"}.request()
	for nth, want := range map[int]answer{
		1: {503, nil, `{"detail":"The request was given up before it could be answered."}`},
		2: {200, nil, oneRecord},
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
