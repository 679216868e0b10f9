package recipes

import (
	"net/http"

	"github.com/rs/cors"
)

// CORS lets pages of an origin, such as "https://app.example", read and write.
func CORS(h http.Handler, origin string) http.Handler {
	return cors.New(cors.Options{
		AllowedOrigins: []string{origin},
		AllowedMethods: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders: []string{"Authorization", "Content-Type", "If-Match", "If-None-Match"},
		ExposedHeaders: []string{"Allow", "ETag", "Retry-After"},
	}).Handler(h)
}
