package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Each request is sent three times, since the first may take a different code path.
func TestAccess(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer secret"}, "Content-Type": {"application/json"}}
	tests := []struct {
		reason string
		call   call
		want   Access // without Bytes and Duration
	}{
		{"a page", call{target: "/api/news/"},
			Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 21}, Count: 50}},
		{"a page with invalid parameters", call{target: "/api/news/?ordering=-name,nope,id&offset=%2040&limit=9999&token=secret"},
			Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 1000, Offset: 40}, Ordering: []ordering.Term{{Field: "name", Desc: true}, {Field: "id"}}, Ignored: []string{"token"}, Count: 50}},
		{"HEAD", call{method: "HEAD", target: "/api/news/?limit=1"},
			Access{Collection: "news", Method: "HEAD", Status: 200, Window: pagination.Window{Limit: 1}, Count: 50}},
		{"If-None-Match is *", call{target: "/api/news/?limit=2", header: ifNoneMatch("*")},
			Access{Collection: "news", Method: "GET", Status: 304, Window: pagination.Window{Limit: 2}, Count: -1}},
		{"the root", call{target: "/api/"}, Access{Method: "GET", Status: 200, Count: -1}},
		{"an unknown path", call{target: "/api/secret/"}, Access{Method: "GET", Status: 404, Count: -1}},
		{"a redirect", call{target: "/api/news"}, Access{Method: "GET", Status: 301, Count: -1}},
		{"unknown format", call{target: "/api/news/?format=secret"}, Access{Collection: "news", Method: "GET", Status: 404, Count: -1}},
		{"too many parameters", call{target: "/api/news/?" + strings.Repeat("&", 1000)}, Access{Collection: "news", Method: "GET", Status: 400, Count: -1}},
		{"an invalid host", call{target: "/api/news/", host: "a b"}, Access{Method: "GET", Status: 400, Count: -1}},
		{"a method that is not allowed", call{method: "PATCH", target: "/api/news/"}, Access{Collection: "news", Method: "PATCH", Status: 405, Count: -1}},
		{"OPTIONS", call{method: "OPTIONS", target: "/api/news/"}, Access{Collection: "news", Method: "OPTIONS", Status: 200, Count: -1}},
		{"a POST", call{method: "POST", target: "/api/events/", body: "secret", header: secret}, Access{Collection: "events", Method: "POST", Status: 201, Count: -1}},
		{"a failure", call{target: "/api/faqs/"}, Access{Collection: "faqs", Method: "GET", Status: 500, Count: -1}},
		{"a panic", call{target: "/api/wires/"}, Access{Collection: "wires", Method: "GET", Status: 500, Count: -1}},
	}
	var accesses []Access
	h := newTestHandler(t, Options{
		Authorizer: AllowAll,
		ETags:      true,
		OnAccess:   func(_ context.Context, a Access) { accesses = append(accesses, a) },
	}, map[string]Collection{
		"news":  &revisionedCollection{fake: newCollection(50)},
		"faqs":  &sliceCollection{err: errors.New("broken")},
		"wires": &sliceCollection{onList: func(catalogue.Query) { panic("broken") }},
	})
	for _, test := range tests {
		for range 3 {
			accesses = nil
			got := test.call.do(h)
			if len(accesses) != 1 {
				t.Fatalf("%s: OnAccess was called %d times, want once", test.reason, len(accesses))
			}
			a := accesses[0]
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

// A 304 that needs no List has the terms of the request, even those that name no field.
func TestAccessNotModified(t *testing.T) {
	var accesses []Access
	h, _ := newNewsHandler(t, Options{ETags: true, OnAccess: func(_ context.Context, a Access) { accesses = append(accesses, a) }}, 50)
	c := call{target: "/api/news/?offset=3&ordering=-name,nope"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	c.do(h)
	want := Access{Collection: "news", Method: "GET", Status: 304, Window: pagination.Window{Limit: 21, Offset: 3}, Ordering: []ordering.Term{{Field: "name", Desc: true}, {Field: "nope"}}, Count: -1}
	got := accesses[len(accesses)-1]
	got.Duration = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAccessOfAbortedRequest(t *testing.T) {
	var accesses []Access
	h := newTestHandler(t, Options{OnAccess: func(_ context.Context, a Access) { accesses = append(accesses, a) }}, map[string]Collection{
		"wires": &sliceCollection{onList: func(catalogue.Query) { panic(http.ErrAbortHandler) }},
	})
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("http.ErrAbortHandler did not pass through")
			}
		}()
		call{target: "/api/wires/"}.do(h)
	}()
	if len(accesses) != 1 || accesses[0].Status != 0 || accesses[0].Collection != "wires" {
		t.Errorf("OnAccess was called with %+v, want one aborted request of wires", accesses)
	}
}

func TestPanicOfOnAccess(t *testing.T) {
	var reported []error
	h := newTestHandler(t, Options{
		OnAccess: func(context.Context, Access) { panic("OnAccess") },
		OnError:  func(_ *http.Request, err error) { reported = append(reported, err) },
	}, nil)
	if got := (call{target: "/api/news/"}).do(h); got.Status != 200 {
		t.Errorf("%d %s, want 200", got.Status, got.Body)
	}
	if !slices.ContainsFunc(reported, func(err error) bool {
		return errors.Is(err, ErrPanic) && strings.Contains(err.Error(), "OnAccess")
	}) {
		t.Errorf("OnError was called with %v, want ErrPanic", reported)
	}
}

// A body that is too large is rejected without waiting for the rest of it.
func TestAccessOfTooLargeBody(t *testing.T) {
	for _, onAccess := range []func(context.Context, Access){nil, func(context.Context, Access) {}} {
		h := newTestHandler(t, Options{Authorizer: AllowAll, MaxBody: 1000, OnAccess: onAccess}, nil)
		server := httptest.NewServer(h)
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/events/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n%s\r\n", strings.Repeat("x", 0x800))
		conn.SetReadDeadline(time.Now().Add(time.Minute)) // in case the server blocks
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !answer.Close {
			t.Errorf("with OnAccess %t: %v, %v, want 413", onAccess != nil, answer, err)
		}
		conn.Close()
		server.Close()
	}
}
