package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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
	page := func(status, count int, w pagination.Window, terms ...ordering.Term) Access {
		return Access{Collection: "films", Method: "GET", Status: status, Window: w, Ordering: terms, Count: count}
	}
	onAccess, accesses := observed()
	h := newStubHandler(t, Options{Authorizer: AllowAll, ETags: true, OnAccess: onAccess}, newStub(50), broken)
	tagged := call{target: "/api/films/?offset=3&ordering=-status,nope"}
	tagged.header = ifNoneMatch(tagOf(t, h, tagged))
	tests := []struct {
		reason string
		call   call
		want   Access // without Bytes and Duration
	}{
		{"a page", call{target: "/api/films/"}, page(200, 50, pagination.Window{Limit: 21})},
		{"an ordering", call{target: "/api/films/?ordering=-status,id&offset=%2040&limit=9999"},
			page(200, 50, pagination.Window{Limit: 1000, Offset: 40},
				ordering.Term{Field: "status", Desc: true}, ordering.Term{Field: "id"})},
		{"HEAD", call{method: "HEAD", target: "/api/films/?limit=1"},
			Access{Collection: "films", Method: "HEAD", Status: 200, Window: pagination.Window{Limit: 1}, Count: 50}},
		{"If-None-Match is *", call{target: "/api/films/?limit=2", header: ifNoneMatch("*")},
			page(304, -1, pagination.Window{Limit: 2})},
		{"a 304 that needs no List has the terms of the request that name a field", tagged,
			page(304, -1, pagination.Window{Limit: 21, Offset: 3},
				ordering.Term{Field: "status", Desc: true})},
		{"a record", call{target: "/api/films/1/"}, page(200, -1, pagination.Window{})},
		{"the root", call{target: "/api/"}, Access{Method: "GET", Status: 200, Count: -1}},
		{"an unknown path", call{target: "/api/secret/"}, Access{Method: "GET", Status: 404, Count: -1}},
		{"a redirect", call{target: "/api/films"}, Access{Method: "GET", Status: 301, Count: -1}},
		{"unknown format", call{target: "/api/films/?format=secret"}, page(404, -1, pagination.Window{})},
		{"too many parameters", call{target: "/api/films/?" + strings.Repeat("&", 1000)}, page(400, -1, pagination.Window{})},
		{"a path too long", call{target: "/" + strings.Repeat("x", 2048)}, Access{Method: "GET", Status: 414, Count: -1}},
		{"a method that is not allowed", call{method: "PATCH", target: "/api/films/"},
			Access{Collection: "films", Method: "PATCH", Status: 405, Count: -1}},
		{"a POST", call{method: "POST", target: "/api/films/", body: `"secret"`, header: secret},
			Access{Collection: "films", Method: "POST", Status: 201, Count: -1}},
		{"a failure", call{target: "/api/broken/?limit=1"},
			Access{Collection: "broken", Method: "GET", Status: 500, Window: pagination.Window{Limit: 1}, Count: -1}},
	}
	for _, test := range tests {
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
			a.Bytes, a.Duration = 0, 0
			if diff := cmp.Diff(test.want, a); diff != "" || a.Status != got.Status {
				t.Errorf("%s, status %d (-want +got):\n%s", test.reason, got.Status, diff)
			}
			if strings.Contains(fmt.Sprintf("%+v", a), "secret") {
				t.Errorf("%s: %+v contains what the client sent", test.reason, a)
			}
		}
	}
}

// TestIgnoredParameters checks the names that OnAccess receives.
func TestIgnoredParameters(t *testing.T) {
	for _, test := range []struct {
		method, target string
		want           []string
	}{
		{"GET", "/api/films/?limit=1&offset=1&ordering=id&format=json&status=released&search=x", nil},
		{"GET", "/api/films/?minutes=1&b&Status=x&%62=2&a=", []string{"minutes", "b", "Status", "a"}},
		{"GET", "/api/films/1/?limit=1&offset=1&ordering=id&status=released&x=1",
			[]string{"limit", "offset", "ordering", "x"}},
		{"POST", "/api/films/?limit=1&status=a&format=json", []string{"limit", "status"}},
		{"DELETE", "/api/films/1/?limit=1&status=released", []string{"limit"}},
		{"GET", "/api/?limit=1&x", []string{"limit", "x"}},
	} {
		onAccess, accesses := observed()
		h := newStubHandler(t, Options{Authorizer: AllowAll, OnAccess: onAccess}, newStub(1))
		call{method: test.method, target: test.target}.do(h)
		equal(t, fmt.Sprintf("%s %s", test.method, test.target), test.want, (*accesses)[0].Ignored)
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
