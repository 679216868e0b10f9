package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// observed returns an OnAccess and what it was called with.
func observed() (onAccess func(context.Context, Access), accesses *[]Access) {
	accesses = new([]Access)
	return func(_ context.Context, a Access) { *accesses = append(*accesses, a) }, accesses
}

// Each request is sent three times, since the first may take a different code path.
func TestAccess(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer secret"}}
	broken := failing("List", errors.New("broken"))
	broken.about.Key, broken.about.Segment = "broken", "broken"
	onAccess, accesses := observed()
	h := newStubHandler(t, Options{Authorizer: AllowAll, ETags: true, OnAccess: onAccess}, newStub(50), broken)
	for _, test := range []struct {
		reason, collection string
		call               call
		status             int
	}{
		{"a page", "films", call{target: "/api/films/?ordering=-status"}, 200},
		{"HEAD", "films", call{method: "HEAD", target: "/api/films/?limit=1"}, 200},
		{"If-None-Match is *", "films", call{target: "/api/films/?limit=2", header: ifNoneMatch("*")}, 304},
		{"the root", "", call{target: "/api/"}, 200},
		{"an unknown path", "", call{target: "/api/secret/"}, 404},
		{"a redirect", "", call{target: "/api/films"}, 301},
		{"unknown format", "films", call{target: "/api/films/?format=secret"}, 404},
		{"too many parameters", "films", call{target: "/api/films/?" + strings.Repeat("&", 1000)}, 400},
		{"a path too long", "", call{target: "/" + strings.Repeat("x", 2048)}, 414},
		{"a method that is not allowed", "films", call{method: "PATCH", target: "/api/films/"}, 405},
		{"a POST", "films", call{method: "POST", target: "/api/films/", body: `"secret"`, header: secret}, 201},
		{"a failure", "broken", call{target: "/api/broken/?limit=1"}, 500},
	} {
		for range 3 {
			*accesses = nil
			got := test.call.do(h)
			if len(*accesses) != 1 {
				t.Fatalf("%s: OnAccess was called %d times, want once", test.reason, len(*accesses))
			}
			a := (*accesses)[0]
			if a.Bytes != len(got.Body) || a.Duration <= 0 {
				t.Errorf("%s: %d bytes in %v, want %d", test.reason, a.Bytes, a.Duration, len(got.Body))
			}
			want := Access{test.collection, cmp.Or(test.call.method, "GET"), test.status, a.Bytes, a.Duration}
			if a != want || got.Status != test.status {
				t.Errorf("%s: %d, OnAccess was called with %+v, want %+v", test.reason, got.Status, a, want)
			}
		}
	}
}

// OnAccess is called for a request that was aborted. If it panics, that is reported.
func TestAccessAndPanics(t *testing.T) {
	aborting := newStub(1)
	aborting.on = func(context.Context, string) error { panic(http.ErrAbortHandler) }
	onAccess, accesses := observed()
	h := newStubHandler(t, Options{OnAccess: onAccess}, aborting)
	if reason := panicValue(func() { get(h, "/api/films/") }); reason != http.ErrAbortHandler {
		t.Errorf("ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	if a := *accesses; len(a) != 1 || a[0].Status != 0 || a[0].Collection != "films" {
		t.Errorf("OnAccess was called with %+v, want one aborted request", a)
	}
	var reported error
	h = newStubHandler(t, Options{
		OnAccess: func(context.Context, Access) { panic("oops") },
		OnError:  func(_ *http.Request, err error) { reported = err },
	}, newStub(1))
	if got := get(h, "/api/films/"); got.Status != 200 || !errors.Is(reported, ErrPanic) {
		t.Errorf("%d %s, and OnError was called with %v, want 200 and ErrPanic", got.Status, got.Body, reported)
	}
}
