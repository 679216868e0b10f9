package linearizability_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

func TestNoStaleResponse(t *testing.T) {
	open := collectionModel{base: newBase(0, false), open: true, lenient: true}
	test(t,
		eventsOverHTTP("few events", 0, nil),
		eventsOverHTTP("many events", 300, nil),
		workload{name: "open records", collections: []collectionModel{open}, mix: forHTTP, newTarget: func() (target, error) {
			cat, books, err := booksIn(openCodec(), open)
			if err != nil {
				return target{}, err
			}
			return httpTarget(emptyFor(openCodec(), open), cat, books, nil)
		}})
}

// eventsOverHTTP returns a workload whose events are inserted and listed over HTTP.
// All other operations call the collection.
func eventsOverHTTP(name string, size int, wrap func(http.Handler) http.Handler) workload {
	t := eventModel(size)
	t.lenient = true
	return workload{name: name, collections: []collectionModel{t}, mix: forHTTP, required: true, newTarget: func() (target, error) {
		cat := mustNew()
		return httpTarget(emptyCatalogue, cat, eventsIn(cat, t), wrap)
	}}
}

// An httpCollection is a collection whose pages are read over HTTP. If it has
// events, records are also inserted over HTTP.
type httpCollection[T any] struct {
	*records[T]
	handler http.Handler

	mu    sync.Mutex
	pages map[string]map[string][]byte // by URL and entity tag
}

// httpTarget returns the target of a collection that is read through a handler. If
// wrap is not nil, it wraps the handler.
func httpTarget[T any](empty func() (*catalogue.Catalogue, error), cat *catalogue.Catalogue, c *records[T], wrap func(http.Handler) http.Handler) (target, error) {
	handler, err := httpapi.New(cat, httpapi.Options{ETags: true, Authorizer: httpapi.AllowAll})
	if err != nil {
		return target{}, err
	}
	var h http.Handler = handler
	if wrap != nil {
		h = wrap(h)
	}
	t := catalogueTarget(empty, cat, c)
	t.collections = []collection{&httpCollection[T]{records: c, handler: h, pages: make(map[string]map[string][]byte)}}
	t.clone = func() target {
		coll, err := c.in(cat.Clone())
		if err != nil {
			panic(err) // a clone has the same collections
		}
		cloned := coll.(*records[T])
		t, err := httpTarget(empty, cloned.cat, cloned, wrap)
		if err != nil {
			panic(err) // it has the same collections
		}
		return t
	}
	return t, nil
}

// insert posts an event without an id and inserts any other record directly.
func (c *httpCollection[T]) insert(r row) (int, error) {
	if c.key != "events" || r.ID != 0 {
		return c.records.insert(r)
	}
	body, err := json.Marshal(c.encode(r))
	if err != nil {
		return 0, err
	}
	request := httptest.NewRequest("POST", "/api/events/", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, request)
	if w.Code != http.StatusCreated {
		return 0, fmt.Errorf("status %d: %s", w.Code, w.Body)
	}
	var created T
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil {
		return 0, err
	}
	got, err := c.decode(&created)
	if r.ID = got.ID; err == nil && got != r {
		err = fmt.Errorf("posted %v, created %v", r, got)
	}
	return got.ID, err
}

// page requests a page. Half of the requests have the tags of earlier responses.
func (c *httpCollection[T]) page(in input) reading {
	terms := make([]string, len(in.by))
	for i, t := range c.terms(in.by) {
		terms[i] = t.String()
	}
	url := fmt.Sprintf("/api/%s/?limit=%d&offset=%d&ordering=%s", c.key, in.limit, in.offset, strings.Join(terms, ","))
	request := httptest.NewRequest("GET", url, nil)
	before := c.before(url)
	if len(before) > 0 && in.style%2 == 0 {
		request.Header.Set("If-None-Match", strings.Join(slices.Collect(maps.Keys(before)), ", "))
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, request)
	return reading{deferred: func() reading { return c.read(url, w, before) }}
}

// read returns the reading of a response. A response with status 304 is read as the
// page with its tag.
func (c *httpCollection[T]) read(url string, w *httptest.ResponseRecorder, before map[string][]byte) reading {
	tag, body := w.Header().Get("ETag"), w.Body.Bytes()
	switch w.Code {
	case http.StatusNotModified:
		body = before[tag]
	case http.StatusOK:
		if err := c.remember(url, tag, body); err != nil {
			return reading{err: err}
		}
	}
	var envelope struct {
		Count   int
		Results []T
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return reading{err: fmt.Errorf("status %d, tag %s, %q: %w", w.Code, tag, body, err)}
	}
	return reading{count: envelope.Count, rows: c.rows(envelope.Results)}
}

// before returns the remembered pages of a URL, by tag.
func (c *httpCollection[T]) before(url string) map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.pages[url])
}

// remember stores a page by its tag. It returns an error if the tag already has
// another page.
func (c *httpCollection[T]) remember(url, tag string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if tag == "" {
		return nil
	}
	if before, seen := c.pages[url][tag]; seen && !bytes.Equal(before, body) {
		return fmt.Errorf("two pages have the tag %s: %s and %s", tag, before, body)
	}
	if len(c.pages[url]) > 8 || c.pages[url] == nil { // keep the headers short
		c.pages[url] = make(map[string][]byte)
	}
	c.pages[url][tag] = body
	return nil
}
