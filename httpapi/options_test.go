package httpapi

import (
	"errors"
	"testing"
)

func TestBadOptions(t *testing.T) {
	tests := []struct {
		reason string
		opts   Options
	}{
		{"no scheme", Options{BaseURL: "x.example"}},
		{"relative", Options{BaseURL: "/shop"}},
		{"other scheme", Options{BaseURL: "ftp://x.example"}},
		{"opaque", Options{BaseURL: "http:x.example"}},
		{"no host", Options{BaseURL: "http://"}},
		{"no host but a path", Options{BaseURL: "http:///shop"}},
		{"bad port", Options{BaseURL: "http://x.example:99999"}},
		{"user", Options{BaseURL: "http://user@x.example"}},
		{"query", Options{BaseURL: "http://x.example/?a=1"}},
		{"empty query", Options{BaseURL: "http://x.example/?"}},
		{"fragment", Options{BaseURL: "http://x.example/#a"}},
		{"empty fragment", Options{BaseURL: "http://x.example/#"}},
		{"space", Options{BaseURL: "http://x example"}},
		{"not ASCII", Options{BaseURL: "http://höst.example"}},
		{"no URL", Options{BaseURL: "http://x.example/%zz"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if h, err := NewHandler(house(nil), test.opts); !errors.Is(err, ErrInvalidConfig) || h != nil {
				t.Errorf("%+v: %v, %v; want ErrInvalidConfig", test.opts, h, err)
			}
		})
	}
}

func TestBaseURLForms(t *testing.T) {
	tests := []struct{ reason, base, want string }{
		{"scheme in upper case", "HTTPS://x.example", "https://x.example/api/"},
		{"slashes at the end", "https://x.example/shop//", "https://x.example/shop/api/"},
		{"path that needs escapes", `https://x.example/größe/"`, "https://x.example/gr%C3%B6%C3%9Fe/%22/api/"},
		{"path with escapes", "https://x.example/a%2Fb", "https://x.example/a%2Fb/api/"},
		{"IPv6", "http://[::1]:8080", "http://[::1]:8080/api/"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{BaseURL: test.base}, nil)
			if got := get(h, "/api").Header["Location"]; got != test.want {
				t.Errorf("%q: %q, want %q", test.base, got, test.want)
			}
		})
	}
}
