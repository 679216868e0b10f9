package recipes

import (
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/gobacklist/backlist/httpapi"
)

func TestRouters(t *testing.T) {
	gin.SetMode(gin.TestMode)
	for _, test := range []struct {
		name   string
		mount  func(http.Handler) http.Handler
		prefix string
	}{
		{"chi", Chi, ""},
		{"chi with StripPrefix", ChiPrefix, "/shop"},
		{"chi with Route", func(h http.Handler) http.Handler { return ChiRoute(h) }, "/shop"},
		{"echo", Echo, ""},
		{"echo with StripPrefix", EchoPrefix, "/shop"},
		{"gin", Gin, ""},
		{"gin with StripPrefix", GinPrefix, "/shop"},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.mount(newHandler(t, httpapi.Options{})), test.prefix) })
	}
}

// TestUnknownMethod checks which routers pass a method that no collection has to the
// handler, which answers it in JSON. The others answer it themselves.
func TestUnknownMethod(t *testing.T) {
	gin.SetMode(gin.TestMode)
	for _, test := range []struct {
		name   string
		mount  func(http.Handler) http.Handler
		status int
		json   bool
	}{
		{"chi", Chi, 405, false},
		{"echo", Echo, 405, true},
		{"gin", Gin, 404, false},
	} {
		s := serve(t, test.mount(newHandler(t, httpapi.Options{})), "")
		got := s.do("PURGE", "films/", "")
		if isJSON := got.Header.Get("Content-Type") == "application/json"; got.StatusCode != test.status || isJSON != test.json {
			t.Errorf("%s: %d %v %q, want %d", test.name, got.StatusCode, got.Header, got.body, test.status)
		}
	}
}
