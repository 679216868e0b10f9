package recipes

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Gin serves h at /api/.
func Gin(h http.Handler) http.Handler {
	r := gin.New()
	r.Any("/api", gin.WrapH(h))
	r.Any("/api/*path", gin.WrapH(h))
	return r
}

// GinPrefix serves h at /shop/api/.
func GinPrefix(h http.Handler) http.Handler {
	r := gin.New()
	r.Any("/shop/*path", gin.WrapH(http.StripPrefix("/shop", h)))
	return r
}
