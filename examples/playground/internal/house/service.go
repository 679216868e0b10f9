package house

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// service serves one catalogue and saves it after each write.
type service struct {
	name      string // of the saved records
	catalogue *catalogue.Catalogue
	handler   http.Handler
	store     Store
	log       *log.Logger

	mu    sync.Mutex // held while the store is used
	saved uint64     // revision of what the store has
}

// newService returns a service of a catalogue. It permits all writes.
func newService(name, root, title string, house *catalogue.Catalogue, store Store, errorLog *log.Logger) (*service, error) {
	handler, err := httpapi.New(house, httpapi.Options{
		Root:       root,
		Authorizer: httpapi.AllowAll,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
	if err != nil {
		return nil, err
	}
	pages, err := browse.New(handler, browse.Options{Title: title})
	if err != nil {
		return nil, err
	}
	return &service{
		name:      name,
		catalogue: house,
		handler:   pages,
		store:     store,
		log:       errorLog,
	}, nil
}

// open loads the saved records. If they are invalid, open reports that and deletes them,
// which leaves the sample.
func (s *service) open(ctx context.Context) error {
	err := s.load(ctx)
	if err == nil {
		return nil
	}
	s.log.Printf("the saved records of %s are replaced by the sample: %v", s.name, err)
	return s.reset(ctx)
}

// load loads the records that the store has.
func (s *service) load(ctx context.Context) error {
	data, err := s.store.Load(ctx, s.name)
	if err != nil {
		return err
	}
	if err := s.catalogue.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		return err
	}
	s.saved = s.revision(ctx)
	return nil
}

// revision returns a number that every write increases.
func (s *service) revision(ctx context.Context) uint64 {
	var sum uint64
	for _, c := range s.catalogue.All() {
		revision, err := c.Revision(context.WithoutCancel(ctx))
		if err != nil {
			panic(err) // it can only be that of the context
		}
		sum += revision
	}
	return sum
}

// ServeHTTP serves a request. After a write, it saves the records before it returns, so
// what was answered is not lost. If they cannot be saved, it reports that; the response is
// the same.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return
	}
	if err := s.save(r.Context()); err != nil {
		s.log.Printf("the records of %s could not be saved: %v", s.name, err)
	}
}

// save saves the records if they have changed.
func (s *service) save(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	revision := s.revision(ctx) // the data may be of a later one, which is saved twice
	if revision == s.saved {
		return nil
	}
	var data bytes.Buffer
	if err := s.catalogue.Save(&data); err != nil {
		return err
	}
	if err := s.store.Save(ctx, s.name, data.Bytes()); err != nil {
		return err
	}
	s.saved = revision
	return nil
}

// reset deletes the saved records and loads the sample.
func (s *service) reset(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.store.Delete(ctx, s.name); err != nil {
		return fmt.Errorf("house: the saved records of %s could not be deleted: %w", s.name, err)
	}
	if err := s.load(ctx); err != nil {
		return fmt.Errorf("house: sample of %s: %w", s.name, err)
	}
	return nil
}
