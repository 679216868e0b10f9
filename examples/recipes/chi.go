package recipes

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Chi serves h at /api/. Mount leaves the path of a request as it is.
func Chi(h http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Mount("/api", h)
	return r
}

// ChiPrefix serves h at /shop/api/. StripPrefix removes what Mount leaves.
func ChiPrefix(h http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Mount("/shop", http.StripPrefix("/shop", h))
	return r
}

// ChiRoute serves h at /shop/api/ beside other paths that share middleware.
func ChiRoute(h http.Handler, middleware ...func(http.Handler) http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Route("/shop", func(r chi.Router) {
		r.Use(middleware...)
		r.Get("/health", func(http.ResponseWriter, *http.Request) {})
		r.Mount("/api", http.StripPrefix("/shop", h))
	})
	return r
}
