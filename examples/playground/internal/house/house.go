// Package house serves the catalogues of the playground: the publishing house at /api/, ten films
// at /v1/, many at /many/, and the JSON of a visitor at /yours/.
package house

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/resources"
)

// A Handler serves the catalogues. It permits all writes but those at /many/, and saves what each has
// changed. It is safe for concurrent use.
type Handler struct {
	publisher, films http.Handler
	many             func() (http.Handler, error)
	store            Store
	log              *log.Logger

	mu     sync.Mutex // held while the store is used
	house  *part
	pasted *part // nil until it is requested
}

// A part is a catalogue that is saved.
type part struct {
	name      string // in the store
	catalogue *catalogue.Catalogue
	write     func(io.Writer) error
	pages     http.Handler
	saved     uint64 // revision of what the store has
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
	h := &Handler{store: store, log: errorLog, house: &part{name: recordsName, catalogue: cat, write: cat.Save}}
	h.many = sync.OnceValues(h.newMany)
	isFilms := func(key string) bool { return key == "directors" || key == "films" }
	if h.publisher, err = h.pages("/api/", "Catalogue", cat, func(key string) bool { return !isFilms(key) }); err != nil {
		return nil, err
	}
	if h.films, err = h.pages("/v1/", "Films", cat, isFilms); err != nil {
		return nil, err
	}
	if err := h.load(ctx); err != nil {
		errorLog.Printf("the saved records are replaced by the sample: %v", err)
		return h, h.reset(ctx)
	}
	return h, nil
}

// pages returns a handler, with pages for browsers, of the collections whose keys satisfy a function, or,
// without one, of all, to which nobody may write.
func (h *Handler) pages(root, title string, cat *catalogue.Catalogue, has func(key string) bool) (http.Handler, error) {
	opts := httpapi.Options{Root: root, ETags: true, OnError: func(r *http.Request, err error) {
		h.log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
	}}
	if has != nil {
		opts.Authorizer = httpapi.AllowAll
	}
	var list []httpapi.Collection
	for key, c := range cat.All() {
		if has == nil || has(key) {
			list = append(list, c)
		}
	}
	handler, err := httpapi.NewHandler(list, opts)
	if err != nil {
		return nil, err
	}
	return browse.New(handler, browse.Options{Title: title})
}

// ServeHTTP serves a request. DELETE of /state restores the records of the sample, and PUT of /pasted
// makes a service of the JSON of its body and returns what has been found in it. After a
// write, it saves the records before it returns, so what was answered is not lost. If they
// cannot be saved, it reports that; the response is the same. It responds to paths that do
// not exist as the publishing house does.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	written, pages := h.house, h.publisher // http.ServeMux would redirect unclean paths without the prefix of the scope
	var err error
	switch root, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); root {
	case "state":
		if r.Method == http.MethodDelete {
			if err = h.reset(r.Context()); err == nil {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
	case "pasted":
		if r.Method == http.MethodPut {
			h.paste(w, r)
			return
		}
	case "v1":
		pages = h.films
	case "many":
		pages, err = h.many()
	case "yours":
		var p *part
		if p, err = h.yours(r.Context()); p != nil {
			written, pages = p, p.pages
		}
	}
	if err != nil {
		h.log.Print(err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	pages.ServeHTTP(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return
	}
	if err := h.save(r.Context(), written); err != nil {
		h.log.Printf("the records could not be saved: %v", err)
	}
}

// maxPasted is the maximum size in bytes of the JSON of a visitor.
const maxPasted = 8 << 20

// paste answers a request whose body is the JSON of a visitor. If it is refused, the one before stays.
func (h *Handler) paste(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPasted))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p, found, err := h.read(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if h.pasted = p; h.store.Save(r.Context(), p.name, text) != nil {
		h.log.Print("the pasted JSON could not be saved")
	}
	fmt.Fprint(w, found)
}

// read makes a service of the JSON of a visitor. It returns what it has found.
func (h *Handler) read(text []byte) (p *part, found string, err error) {
	file, err := infer.Read(bytes.NewReader(text), infer.Options{})
	if err != nil {
		return nil, "", err
	}
	p = &part{name: pastedName, catalogue: file.Catalogue, write: func(w io.Writer) error { return file.Write(w, file.Catalogue) }}
	p.pages, err = h.pages("/yours/", "Your JSON", p.catalogue, func(string) bool { return true })
	p.saved = p.revision()
	return p, file.Found("/yours/"), err
}

// yours returns the service of the JSON of the visitor, or nil if there is none.
func (h *Handler) yours(ctx context.Context) (p *part, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pasted != nil {
		return h.pasted, nil
	}
	text, err := h.store.Load(ctx, pastedName)
	if err == nil && len(text) > 0 {
		h.pasted, _, err = h.read(text)
	}
	return h.pasted, err
}

// load loads the records that the store has.
func (h *Handler) load(ctx context.Context) error {
	data, err := h.store.Load(ctx, recordsName)
	if err != nil {
		return err
	}
	if err := h.house.catalogue.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		return err
	}
	h.house.saved = h.house.revision()
	return nil
}

// revision returns a number that every write increases.
func (p *part) revision() uint64 {
	var sum uint64
	for _, c := range p.catalogue.All() {
		sum += c.Revision()
	}
	return sum
}

// save saves a catalogue if its records have changed.
func (h *Handler) save(ctx context.Context, p *part) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	revision := p.revision() // the data may be of a later one, which is saved twice
	if revision == p.saved || p.name == pastedName && p != h.pasted {
		return nil
	}
	var data bytes.Buffer
	if err := p.write(&data); err != nil {
		return err
	}
	if err := h.store.Save(ctx, p.name, data.Bytes()); err != nil {
		return err
	}
	p.saved = revision
	return nil
}

// reset deletes all that is saved and loads the sample.
func (h *Handler) reset(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.store.Delete(ctx); err != nil {
		return fmt.Errorf("house: the saved records could not be deleted: %w", err)
	}
	h.pasted = nil
	if err := h.load(ctx); err != nil {
		return fmt.Errorf("house: sample: %w", err)
	}
	return nil
}
