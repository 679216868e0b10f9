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

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestAccess: what is told of each kind of request, three times over.
func TestAccess(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer secret"}, "Content-Type": {"application/json"}}
	tests := []struct {
		reason string
		call   call
		want   Access // but for Bytes and Duration
	}{
		{"a page", call{target: "/api/news/"},
			Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 21}, Count: 50}},
		{"as it is understood", call{target: "/api/news/?ordering=-name,nope,id&offset=%2040&limit=9999&token=secret"},
			Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 1000, Offset: 40}, Ordering: []ordering.Term{{Field: "name", Desc: true}, {Field: "id"}}, Count: 50}},
		{"HEAD", call{method: "HEAD", target: "/api/news/?limit=1"},
			Access{Collection: "news", Method: "HEAD", Status: 200, Window: pagination.Window{Limit: 1}, Count: 50}},
		{"any matches", call{target: "/api/news/?limit=2", header: ifNoneMatch("*")},
			Access{Collection: "news", Method: "GET", Status: 304, Window: pagination.Window{Limit: 2}, Count: -1}},
		{"the root", call{target: "/api/"}, Access{Method: "GET", Status: 200, Count: -1}},
		{"no such path", call{target: "/api/secret/"}, Access{Method: "GET", Status: 404, Count: -1}},
		{"a redirect", call{target: "/api/news"}, Access{Method: "GET", Status: 301, Count: -1}},
		{"unknown format", call{target: "/api/news/?format=secret"}, Access{Collection: "news", Method: "GET", Status: 404, Count: -1}},
		{"too many parameters", call{target: "/api/news/?" + strings.Repeat("&", 1000)}, Access{Collection: "news", Method: "GET", Status: 400, Count: -1}},
		{"no host", call{target: "/api/news/", host: "a b"}, Access{Method: "GET", Status: 400, Count: -1}},
		{"not allowed", call{method: "PATCH", target: "/api/news/"}, Access{Collection: "news", Method: "PATCH", Status: 405, Count: -1}},
		{"OPTIONS", call{method: "OPTIONS", target: "/api/news/"}, Access{Collection: "news", Method: "OPTIONS", Status: 200, Count: -1}},
		{"a post", call{method: "POST", target: "/api/events/", body: "secret", header: secret}, Access{Collection: "events", Method: "POST", Status: 201, Count: -1}},
		{"a failure", call{target: "/api/faqs/"}, Access{Collection: "faqs", Method: "GET", Status: 500, Count: -1}},
		{"a panic", call{target: "/api/wires/"}, Access{Collection: "wires", Method: "GET", Status: 500, Count: -1}},
	}
	var told []Access
	h := newTestHandler(t, Options{
		Authorizer: AllowAll,
		ETags:      true,
		OnAccess:   func(_ context.Context, a Access) { told = append(told, a) },
	}, map[string]Collection{
		"news":  &journal{Collection: newShelf(50)},
		"faqs":  &shelf{err: errors.New("broken")},
		"wires": &shelf{asked: func([]ordering.Term) { panic("broken") }},
	})
	for _, test := range tests {
		for range 3 {
			told = nil
			got := test.call.do(h)
			if len(told) != 1 {
				t.Fatalf("%s: told %d times", test.reason, len(told))
			}
			a := told[0]
			if a.Bytes != len(got.Body) || a.Duration <= 0 {
				t.Errorf("%s: %d bytes in %v, the body has %d", test.reason, a.Bytes, a.Duration, len(got.Body))
			}
			a.Bytes, a.Duration = 0, 0
			if diff := cmp.Diff(test.want, a); diff != "" || a.Status != got.Status {
				t.Errorf("%s, answered %d (-want +got):\n%s", test.reason, got.Status, diff)
			}
			if strings.Contains(fmt.Sprintf("%+v", a), "secret") {
				t.Errorf("%s: %+v", test.reason, a)
			}
		}
	}
}

// The page that the client has is told of, though it is not looked at.
func TestAccessNotModified(t *testing.T) {
	var told []Access
	h, _ := newsHandler(t, Options{ETags: true, OnAccess: func(_ context.Context, a Access) { told = append(told, a) }}, 50)
	c := call{target: "/api/news/?offset=3&ordering=-id"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	c.do(h)
	want := Access{Collection: "news", Method: "GET", Status: 304, Window: pagination.Window{Limit: 21, Offset: 3}, Ordering: []ordering.Term{{Field: "id", Desc: true}}, Count: -1}
	got := told[len(told)-1]
	got.Duration = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An aborted request is told of as well; a hook that panics harms nobody.
func TestAccessOfAborted(t *testing.T) {
	var told []Access
	h := newTestHandler(t, Options{OnAccess: func(_ context.Context, a Access) { told = append(told, a) }}, map[string]Collection{
		"wires": &shelf{asked: func([]ordering.Term) { panic(http.ErrAbortHandler) }},
	})
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the abort did not pass")
			}
		}()
		call{target: "/api/wires/"}.do(h)
	}()
	if len(told) != 1 || told[0].Status != 0 || told[0].Collection != "wires" {
		t.Errorf("told %+v", told)
	}

	var reported []error
	h = newTestHandler(t, Options{
		OnAccess: func(context.Context, Access) { panic("the hook") },
		OnError:  func(_ *http.Request, err error) { reported = append(reported, err) },
	}, nil)
	if got := (call{target: "/api/news/"}).do(h); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if !slices.ContainsFunc(reported, func(err error) bool {
		return errors.Is(err, ErrPanic) && strings.Contains(err.Error(), "the hook")
	}) {
		t.Errorf("reported %v", reported)
	}
}

// What is there already is given whatever becomes of the fields that the hook is
// to be told.
func TestAccessWithoutFields(t *testing.T) {
	var told []Access
	reports := 0
	news := &unsteady{journal: &journal{Collection: newShelf(50)}}
	h := newTestHandler(t, Options{
		ETags:    true,
		OnAccess: func(_ context.Context, a Access) { told = append(told, a) },
		OnError:  func(*http.Request, error) { reports++ },
	}, map[string]Collection{"news": news})
	c := call{target: "/api/news/?ordering=-id"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	for _, fields := range []func() ([]string, error){
		func() ([]string, error) { panic("no fields") },
		func() ([]string, error) { return nil, errors.New("no fields") },
	} {
		news.fields = fields
		if got := c.do(h); got.Status != 304 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if last := told[len(told)-1]; reports != 2 || last.Ordering != nil || last.Status != 304 {
		t.Errorf("%d reports, told %+v", reports, last)
	}
}

// unsteady has other fields now and then.
type unsteady struct {
	*journal
	fields func() ([]string, error)
}

func (u *unsteady) Fields(ctx context.Context) ([]string, error) {
	if u.fields != nil {
		return u.fields()
	}
	return u.journal.Fields(ctx)
}

// A body that is too large is answered at once, seen or not: the rest of it is
// not waited for.
func TestAccessOfTooLarge(t *testing.T) {
	for _, hook := range []func(context.Context, Access){nil, func(context.Context, Access) {}} {
		h := newTestHandler(t, Options{Authorizer: AllowAll, Bounds: Bounds{Body: 1000}, OnAccess: hook}, nil)
		server := httptest.NewServer(h)
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/events/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n%s\r\n", strings.Repeat("x", 0x800))
		conn.SetReadDeadline(time.Now().Add(time.Minute)) // or it would hang
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !answer.Close {
			t.Errorf("seen %t: %v, %v", hook != nil, answer, err)
		}
		conn.Close()
		server.Close()
	}
}
