// Package house serves the catalogue of the playground: the publishing house at /api/, and
// films at /v1/. All writes are permitted and saved.
package house

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/resources"
)

// A Handler serves the catalogue and saves it after each write. It is safe for concurrent use.
type Handler struct {
	catalogue        *catalogue.Catalogue
	publisher, films http.Handler
	store            Store
	log              *log.Logger

	mu    sync.Mutex // held while the store is used
	saved uint64     // revision of what the store has
}

// Open returns a Handler with the records that the store has. If they are invalid, Open
// reports that and deletes them, which leaves the sample. Errors of requests and of the store
// are written to errorLog.
func Open(ctx context.Context, store Store, errorLog *log.Logger) (*Handler, error) {
	definitions, err := filmDefinitions()
	if err != nil {
		return nil, err
	}
	cat, err := resources.New(definitions...)
	if err != nil {
		return nil, err
	}
	h := &Handler{catalogue: cat, store: store, log: errorLog}
	var publisher, films []httpapi.Collection
	for key, c := range cat.All() {
		if key == "directors" || key == "films" {
			films = append(films, c)
		} else {
			publisher = append(publisher, c)
		}
	}
	if h.publisher, err = h.pages("/api/", "Catalogue", publisher); err != nil {
		return nil, err
	}
	if h.films, err = h.pages("/v1/", "Films", films); err != nil {
		return nil, err
	}
	if err := h.load(ctx); err != nil {
		errorLog.Printf("the saved records are replaced by the sample: %v", err)
		return h, h.reset(ctx)
	}
	return h, nil
}

// pages returns a handler of some collections, with pages for browsers.
func (h *Handler) pages(root, title string, list []httpapi.Collection) (http.Handler, error) {
	handler, err := httpapi.NewHandler(list, httpapi.Options{
		Root:       root,
		Authorizer: httpapi.AllowAll,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			h.log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
	if err != nil {
		return nil, err
	}
	return browse.New(handler, browse.Options{Title: title})
}

// ServeHTTP serves a request. DELETE of /state restores the records of the sample. After a
// write, it saves the records before it returns, so what was answered is not lost. If they
// cannot be saved, it reports that; the response is the same. It responds to paths that do
// not exist as the publishing house does.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/state" && r.Method == http.MethodDelete:
		if err := h.reset(r.Context()); err != nil {
			h.log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	case r.URL.Path == "/v1", strings.HasPrefix(r.URL.Path, "/v1/"):
		h.films.ServeHTTP(w, r)
	default: // http.ServeMux would redirect unclean paths without the prefix of the scope
		h.publisher.ServeHTTP(w, r)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return
	}
	if err := h.save(r.Context()); err != nil {
		h.log.Printf("the records could not be saved: %v", err)
	}
}

// load loads the records that the store has.
func (h *Handler) load(ctx context.Context) error {
	data, err := h.store.Load(ctx)
	if err != nil {
		return err
	}
	if err := h.catalogue.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		return err
	}
	h.saved = h.revision()
	return nil
}

// revision returns a number that every write increases.
func (h *Handler) revision() uint64 {
	var sum uint64
	for _, c := range h.catalogue.All() {
		sum += c.Revision()
	}
	return sum
}

// save saves the records if they have changed.
func (h *Handler) save(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	revision := h.revision() // the data may be of a later one, which is saved twice
	if revision == h.saved {
		return nil
	}
	var data bytes.Buffer
	if err := h.catalogue.Save(&data); err != nil {
		return err
	}
	if err := h.store.Save(ctx, data.Bytes()); err != nil {
		return err
	}
	h.saved = revision
	return nil
}

// reset deletes the saved records and loads the sample.
func (h *Handler) reset(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.store.Delete(ctx); err != nil {
		return fmt.Errorf("house: the saved records could not be deleted: %w", err)
	}
	if err := h.load(ctx); err != nil {
		return fmt.Errorf("house: sample: %w", err)
	}
	return nil
}
