// Package house serves the catalogues of the playground: the publishing house at /api/, and
// the films of the README's server at /v1/. All writes are permitted and saved.
package house

import (
	"context"
	"log"
	"net/http"
	"strings"
)

// A Handler serves both catalogues. It is safe for concurrent use.
type Handler struct {
	publisher *service
	films     *service
	log       *log.Logger
}

// Open returns a Handler with the records that the store has. Errors of requests and of the
// store are written to errorLog.
func Open(ctx context.Context, store Store, errorLog *log.Logger) (*Handler, error) {
	publisher, err := newPublisher(store, errorLog)
	if err != nil {
		return nil, err
	}
	films, err := newFilms(store, errorLog)
	if err != nil {
		return nil, err
	}
	for _, s := range []*service{publisher, films} {
		if err := s.open(ctx); err != nil {
			return nil, err
		}
	}
	return &Handler{publisher, films, errorLog}, nil
}

// ServeHTTP serves a request. DELETE of /state restores the records of the sample. It
// responds to paths that do not exist as the publishing house does.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/state" && r.Method == http.MethodDelete:
		h.reset(w, r)
	case r.URL.Path == "/v1", strings.HasPrefix(r.URL.Path, "/v1/"):
		h.films.ServeHTTP(w, r)
	default: // http.ServeMux would redirect unclean paths without the prefix of the scope
		h.publisher.ServeHTTP(w, r)
	}
}

// reset restores the records of both catalogues.
func (h *Handler) reset(w http.ResponseWriter, r *http.Request) {
	for _, s := range []*service{h.publisher, h.films} {
		if err := s.reset(r.Context()); err != nil {
			h.log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
