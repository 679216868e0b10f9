package recipes

import (
	"net/http"

	"github.com/labstack/echo/v5"
)

// Echo serves h at /api/.
func Echo(h http.Handler) http.Handler {
	e := echo.New()
	e.Any("/api", echo.WrapHandler(h))
	e.Any("/api/*", echo.WrapHandler(h))
	return e
}

// EchoPrefix serves h at /shop/api/.
func EchoPrefix(h http.Handler) http.Handler {
	e := echo.New()
	e.Any("/shop/*", echo.WrapHandler(http.StripPrefix("/shop", h)))
	return e
}
