package pagination_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestPage(t *testing.T) {
	type envelope = pagination.Envelope[string]
	abc := []string{"a", "b", "c"}
	for _, tt := range []struct {
		reason string
		items  []string
		url    *url.URL
		limits pagination.Limits
		want   envelope
	}{
		{"middle of the list", abc, parseURL(t, "https://h.example/b/?limit=1&offset=1&x=y"), pagination.Limits{},
			envelope{3, "https://h.example/b/?limit=1&offset=2&x=y", "https://h.example/b/?limit=1&x=y", []string{"b"}}},
		{"relative URL", abc, parseURL(t, "/b/?limit=2"), pagination.Limits{},
			envelope{3, "/b/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"fragment and user information", abc, parseURL(t, "http://me:secret@h.example:8080/b?limit=2#f%20g"), pagination.Limits{},
			envelope{3, "http://h.example:8080/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"escaped path", abc, parseURL(t, "/a%2Fb/%C3%A9/?limit=2"), pagination.Limits{},
			envelope{3, "/a%2Fb/%C3%A9/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"host without scheme", abc, parseURL(t, "//h.example/b?limit=2"), pagination.Limits{},
			envelope{3, "//h.example/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"path that begins with two slashes", abc, parseURL(t, "https://h.example//b?limit=2"), pagination.Limits{},
			envelope{3, "https://h.example//b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"empty query", abc, parseURL(t, "/b?"), pagination.Limits{Default: 2},
			envelope{3, "/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"Max", abc, parseURL(t, "/b?limit=3"), pagination.Limits{Max: 1},
			envelope{3, "/b?limit=1&offset=1", "", []string{"a"}}},
		{"nil URL", abc, nil, pagination.Limits{Default: 2},
			envelope{3, "?limit=2&offset=2", "", []string{"a", "b"}}},
		{"nil items", nil, parseURL(t, "/b"), pagination.Limits{}, envelope{}},
		{"past the end", abc, parseURL(t, "/b?limit=2&offset=9"), pagination.Limits{},
			envelope{3, "", "/b?limit=2&offset=7", []string{}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var before url.URL
			if tt.url != nil {
				before = *tt.url
			}
			got := pagination.Page(tt.items, tt.url, tt.limits)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.url != nil && *tt.url != before {
				t.Errorf("Page modified the URL to %v", tt.url)
			}
		})
	}
}

// TestPageOfPathLikeHost checks that links never lead to another host and have the path
// of the request.
func TestPageOfPathLikeHost(t *testing.T) {
	for _, tt := range []struct{ reason, target, want string }{
		{"two slashes", "//evil.example/books", "/%2Fevil.example/books"},
		{"three slashes", "///evil.example", "/%2F/evil.example"},
		{"two slashes only", "//", "/%2F"},
		{"user and port", "//me@evil.example:80/", "/%2Fme@evil.example:80/"},
		{"escape in the path", "//evil.example/a%2Fb", "/%2Fevil.example/a%2Fb"},
		{"escaped second slash", "/%2Fevil.example", "/%2Fevil.example"},
		{"backslash", `/\evil.example`, "/%5Cevil.example"},
		{"one slash", "/evil.example//books", "/evil.example//books"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			u, err := url.ParseRequestURI(tt.target + "?limit=1&offset=1") // as net/http does
			if err != nil {
				t.Fatal(err)
			}
			got := pagination.Page([]string{"a", "b", "c"}, u, pagination.Limits{})
			want := pagination.Envelope[string]{
				Count: 3, Next: tt.want + "?limit=1&offset=2", Previous: tt.want + "?limit=1", Records: []string{"b"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			next := parseURL(t, "http://h.example/").ResolveReference(parseURL(t, got.Next))
			if next.Host != "h.example" || next.Path != u.Path {
				t.Errorf("%s leads to host %q, path %q; want h.example, %q", got.Next, next.Host, next.Path, u.Path)
			}
		})
	}
}
