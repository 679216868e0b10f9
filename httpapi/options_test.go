package httpapi

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestInvalidOptions(t *testing.T) {
	tests := []struct {
		reason string
		opts   Options
		want   string
	}{
		{"base URL", Options{BaseURL: "x.example"}, `BaseURL "x.example" is not an absolute http or https URL`},
		{"base URL that cannot be parsed", Options{BaseURL: "http://x example"}, "BaseURL: parse"},
		{"proxy", Options{TrustedProxies: make([]netip.Prefix, 1)}, "TrustedProxies: invalid prefix"},
		{"unknown key", Options{Order: []string{"books", "film"}}, `Order: there is no collection "film"`},
		{"repeated key", Options{Order: []string{"books", "faqs", "books"}}, `Order has "books" twice`},
		{"Cache-Control", Options{CacheControl: "no-cache\r\nX: y"}, `CacheControl "no-cache\r\nX: y"`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h, err := NewHandler(allCollections(nil), test.opts)
			if !errors.Is(err, ErrInvalidConfig) || h != nil || !strings.HasPrefix(err.Error(), ErrInvalidConfig.Error()+": "+test.want) {
				t.Errorf("NewHandler = %v, %v, want ErrInvalidConfig: %s", h, err, test.want)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	h := newTestHandler(t, Options{BaseURL: `HTTPS://x.example/größe/"//`}, nil)
	const want = "https://x.example/gr%C3%B6%C3%9Fe/%22"
	if got := h.BaseURL(); got != want {
		t.Errorf("BaseURL = %q, want %q", got, want)
	}
	if got := get(h, "/api").Header["Location"]; got != want+"/api/" {
		t.Errorf("Location = %q, want %q", got, want+"/api/")
	}
}

func TestOrder(t *testing.T) {
	for _, test := range []struct {
		reason string
		order  []string
		want   string // beginning of the listing
	}{
		{"order of the document", nil, `{"attribute-types":`},
		{"two come first", []string{"faqs", "books"}, `{"faqs":"http://host.example/api/faqs/?format=api","books":"http://host.example/api/books/?format=api","attribute-types":`},
	} {
		h := newTestHandler(t, Options{Order: test.order}, nil)
		if got := get(h, "/api/").Body; !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s…", test.reason, got, test.want)
		}
		if got := strings.Count(get(h, "/api/").Body, "/api/"); got != 39 {
			t.Errorf("%s: %d collections, want 39", test.reason, got)
		}
	}
}
