package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// Bounds on a house.
const (
	maxExchanges = 1000 // that are kept
	maxFaults    = 100
)

// An edition is a house from its start or a reset to the next one. A request is served by
// the edition that is current when it arrives.
type edition struct {
	start   *catalogue.Catalogue // never written to
	records *catalogue.Catalogue
	fake    *cataloguetest.Server

	faults []activeFault // guarded by the mutex of the house
	last   int           // the highest number of a fault so far
}

// An activeFault is a fault with its number in an edition.
type activeFault struct {
	number int
	fault
	*cataloguetest.Injection
}

// newEdition returns an edition of the named house with the records of start and the faults of
// the flags.
func newEdition(s *service, name string, start *catalogue.Catalogue) (*edition, error) {
	e := &edition{start: start, records: start.Clone()}
	plain, err := s.routes(e.records, "")
	if err != nil {
		return nil, err
	}
	below, err := s.routes(e.records, prefixOf(name))
	if err != nil {
		return nil, err
	}
	kept := 1 // nothing reads the log, and all is not a bound
	if s.control != "" {
		kept = maxExchanges
	}
	e.fake, err = cataloguetest.Open(cataloguetest.Options{
		Catalogue:    e.records,
		Limits:       s.limits,
		MaxExchanges: kept,
		Wrap: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Context().Value(prefixKey{}) != nil {
					below.ServeHTTP(w, r)
				} else {
					plain.ServeHTTP(w, r)
				}
			})
		},
	})
	if err != nil {
		return nil, err
	}
	for _, f := range s.faults {
		if err := e.inject(f); err != nil {
			return nil, fmt.Errorf("fault %q: %w", f.text, err)
		}
	}
	return e, nil
}

// inject applies a fault and numbers it.
func (e *edition) inject(f fault) error {
	j, err := e.fake.TryInject(f.match, f.fault)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "cataloguetest: ")
		return fmt.Errorf("%s", strings.TrimPrefix(text, "Match."))
	}
	e.last++
	e.faults = append(e.faults, activeFault{e.last, f, j})
	return nil
}

// prefixKey is the context key of requests below the prefix of a house.
type prefixKey struct{}

// prefixOf returns the path before the root of a house.
func prefixOf(name string) string { return housesPath + name }

// below returns a handler that serves the requests below a prefix.
func below(prefix string, h http.Handler) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), prefixKey{}, true)))
	}))
}
