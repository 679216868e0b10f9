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
