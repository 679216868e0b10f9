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

func TestNoStaleAnswer(t *testing.T) {
	open := traits{base: newBase(0, false), open: true, lenient: true}
	test(t,
		events("few events", 0, nil),
		events("many events", 300, nil),
		workload{name: "open records", of: []traits{open}, mix: forAnswers, open: func() (target, error) {
			house, books, err := bookIn(openCodec(), open)
			if err != nil {
				return target{}, err
			}
			return answered(emptyFor(openCodec(), open), house, books, nil)
		}})
}

// events are posted and listed over HTTP; all else is done in Go.
func events(name string, size int, wrap func(http.Handler) http.Handler) workload {
	t := eventTraits(size)
	t.lenient = true
	return workload{name: name, of: []traits{t}, mix: forAnswers, required: true, open: func() (target, error) {
		house := catalogue.New()
		return answered(emptyCatalogue, house, eventsIn(house, t), wrap)
	}}
}

// answers is a collection that is read, and if it can be posted to inserted
// into, over HTTP.
type answers[T any] struct {
	*records[T]
	handler http.Handler

	mu    sync.Mutex
	pages map[string]map[string][]byte // of each URL, by entity tag
}

// answered is the target of a collection behind a handler.
func answered[T any](empty func() (*catalogue.Catalogue, error), house *catalogue.Catalogue, c *records[T], wrap func(http.Handler) http.Handler) (target, error) {
	collections := make(map[string]httpapi.Collection)
	for key, each := range house.All() {
		collections[key] = each
	}
	made, err := httpapi.NewHandler(collections, httpapi.Options{ETags: true, Authorizer: httpapi.AllowAll})
	if err != nil {
		return target{}, err
	}
	var h http.Handler = made
	if wrap != nil {
		h = wrap(h)
	}
	t := catalogueTarget(empty, house, c)
	t.of = []collection{&answers[T]{records: c, handler: h, pages: make(map[string]map[string][]byte)}}
	t.clone = func() target {
		of, err := c.in(house.Clone())
		if err != nil {
			panic(err) // a clone has the same collections
		}
		cloned := of.(*records[T])
		t, err := answered(empty, cloned.house, cloned, wrap)
		if err != nil {
			panic(err) // it had them before
		}
		return t
	}
	return t, nil
}

// insert posts an event that has no id.
func (a *answers[T]) insert(r row) (int, error) {
	if a.key != "events" || r.ID != 0 {
		return a.records.insert(r)
	}
	body, err := json.Marshal(a.encode(r))
	if err != nil {
		return 0, err
	}
	request := httptest.NewRequest("POST", "/api/events/", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, request)
	if w.Code != http.StatusCreated {
		return 0, fmt.Errorf("status %d: %s", w.Code, w.Body)
	}
	var created T
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil {
		return 0, err
	}
	got, err := a.decode(&created)
	if r.ID = got.ID; err == nil && got != r {
		err = fmt.Errorf("posted %v, created %v", r, got)
	}
	return got.ID, err
}

// page asks for a page, half of the times with the tags of those that were
// answered before.
func (a *answers[T]) page(in input) reading {
	terms := make([]string, len(in.by))
	for i, t := range a.terms(in.by) {
		terms[i] = t.String()
	}
	url := fmt.Sprintf("/api/%s/?limit=%d&offset=%d&ordering=%s", a.key, in.limit, in.offset, strings.Join(terms, ","))
	request := httptest.NewRequest("GET", url, nil)
	before := a.before(url)
	if len(before) > 0 && in.style%2 == 0 {
		request.Header.Set("If-None-Match", strings.Join(slices.Collect(maps.Keys(before)), ", "))
	}
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, request)
	return reading{late: func() reading { return a.read(url, w, before) }}
}

// read reads an answer. Status 304 is read as the page of its tag.
func (a *answers[T]) read(url string, w *httptest.ResponseRecorder, before map[string][]byte) reading {
	tag, body := w.Header().Get("ETag"), w.Body.Bytes()
	switch w.Code {
	case http.StatusNotModified:
		body = before[tag]
	case http.StatusOK:
		if err := a.remember(url, tag, body); err != nil {
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
	return reading{count: envelope.Count, rows: a.rows(envelope.Results)}
}

// before returns what is remembered of a URL.
func (a *answers[T]) before(url string) map[string][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.pages[url])
}

// remember keeps a page by its tag. There must be no other of that tag.
func (a *answers[T]) remember(url, tag string, body []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if tag == "" {
		return nil
	}
	if before, seen := a.pages[url][tag]; seen && !bytes.Equal(before, body) {
		return fmt.Errorf("two pages of tag %s: %s and %s", tag, before, body)
	}
	if len(a.pages[url]) > 8 || a.pages[url] == nil { // so that headers stay short
		a.pages[url] = make(map[string][]byte)
	}
	a.pages[url][tag] = body
	return nil
}
