package pgstore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestDifferential compares two handlers of the same records, in memory and in
// PostgreSQL, with random requests and writes. The environment variable
// BACKLIST_POSTGRES_SEED repeats a run, and BACKLIST_POSTGRES_REQUESTS sets the number
// of requests instead of 20,000.
func TestDifferential(t *testing.T) {
	seed := setting(t, "BACKLIST_POSTGRES_SEED", uint64(time.Now().UnixNano()))
	requests := setting(t, "BACKLIST_POSTGRES_REQUESTS", 20_000)
	if testing.Short() {
		requests = min(requests, 5_000)
	}
	t.Logf("BACKLIST_POSTGRES_SEED=%d", seed)
	for i, opts := range []httpapi.Options{
		{Authorizer: httpapi.AllowAll},
		{Authorizer: httpapi.AllowAll, ETags: true},
	} {
		t.Run(map[bool]string{false: "without tags", true: "with tags"}[opts.ETags], func(t *testing.T) {
			t.Parallel()
			newPair(t, opts, newGenerator(seed+uint64(i))).run(t, int(requests)/2)
		})
	}
}

// setting returns the number in an environment variable, or a default.
func setting(t *testing.T, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// pair is the same catalogue in memory and in PostgreSQL.
type pair struct {
	generator
	cat    *catalogue.Catalogue
	store  *pgstore.Store
	memory http.Handler
	sql    http.Handler

	tagged bool                 // whether the pages of both have entity tags
	tags   map[string][2]string // the last tags of each request
}

func newPair(t *testing.T, opts httpapi.Options, g generator) *pair {
	p := &pair{generator: g, cat: mustNew(), tagged: opts.ETags, tags: map[string][2]string{}}
	dsn := newDSN(t)
	if opts.ETags { // in one of the two runs the planner uses indexes, as with many records
		exec(t, connect(t, dsn), `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database());END$$; `+
			`DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());END$$`)
	}
	p.store = open(t, pgstore.Options{DSN: dsn})
	p.sql = handle(t, p.store, opts)
	memory, err := httpapi.New(p.cat, opts)
	if err != nil {
		t.Fatal(err)
	}
	p.memory = memory
	return p
}

// run sends random requests to both and sometimes writes to both.
func (p *pair) run(t *testing.T, requests int) {
	all := descriptions()
	for _, about := range all {
		p.load(t, about)
	}
	for n := range requests {
		about := pick(p.generator, all)
		if !p.oneIn(4) {
			about = described(pick(p.generator, []string{"events", "labels", "social-links", "books", "authors", "itemVariants"}))
		}
		switch {
		case p.oneIn(200):
			p.load(t, about)
		case p.oneIn(100):
			p.insert(t, about)
		case p.oneIn(100):
			p.index(t, about)
		case p.oneIn(1000):
			p.save(t)
		}
		p.ask(t, p.request(about, p.count(t, about.Key)))
		if t.Failed() {
			t.Fatalf("after %d requests", n+1)
		}
	}
	p.save(t)
	var dangling catalogue.Violations // of records that the programs insert
	if err := p.cat.Check(); err != nil && !errors.As(err, &dangling) {
		t.Error(err)
	}
}

func (p *pair) count(t *testing.T, key string) int {
	c, err := p.cat.Collection(key)
	if err != nil {
		t.Fatal(err)
	}
	return c.Count()
}

// load replaces a collection.
func (p *pair) load(t *testing.T, about schema.Description) {
	size := pick(p.generator, []int{0, 1, 2, 7, 21, 42, 43, 60})
	file := `{"` + about.Key + `":` + p.collection(about, size) + `}`
	if err := p.cat.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := p.store.Load(t.Context(), strings.NewReader(file), pgstore.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
}

// insert inserts a record whose id is often in use.
func (p *pair) insert(t *testing.T, about schema.Description) {
	record := p.record(about, p.ids(50)[0])
	want := insert(p.cat, about.Key, canonical(t, about.Key, record))
	got := p.store.Insert(t.Context(), about.Key, []byte(record))
	if errors.Is(want, catalogue.ErrExists) != errors.Is(got, httpapi.ErrConflict) || (want == nil) != (got == nil) {
		t.Errorf("%s: insert of %s: memory = %v, PostgreSQL = %v", about.Key, record, want, got)
	}
}

// index creates an index of up to three fields.
func (p *pair) index(t *testing.T, about schema.Description) {
	var terms []ordering.Term
	all := fieldsOf(p.cat, about.Key)
	for range p.IntN(4) {
		terms = append(terms, ordering.Term{Field: pick(p.generator, all), Desc: p.oneIn(2)})
	}
	if err := p.store.Index(t.Context(), about.Key, terms...); err != nil {
		t.Fatal(err)
	}
}

// canonical returns the JSON of a record as it is stored after loading it, in which strings
// are escaped in one way.
func canonical(t *testing.T, key, record string) []byte {
	c, err := mustNew().Collection(key)
	if err == nil {
		err = c.Load(strings.NewReader("["+record+"]"), catalogue.LoadOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return list.Records[0]
}

// insert inserts a record into a catalogue in memory.
func insert(cat *catalogue.Catalogue, key string, record []byte) error {
	switch key {
	case "events":
		return insertInto(mustIn(resources.Events, cat), record)
	case "labels":
		return insertInto(mustIn(resources.Labels, cat), record)
	case "social-links":
		return insertInto(mustIn(resources.SocialLinks, cat), record)
	}
	c, err := resources.Records(key).In(cat)
	if err != nil {
		return err
	}
	return insertInto(c, record)
}

func insertInto[T any](c *catalogue.Collection[T], record []byte) error {
	var v T
	if err := json.Unmarshal(record, &v); err != nil {
		return err
	}
	_, err := c.Insert(v)
	return err
}

// save compares the saved records of both.
func (p *pair) save(t *testing.T) {
	var want, got bytes.Buffer
	if err := p.cat.Save(&want); err != nil {
		t.Fatal(err)
	}
	if err := p.store.Save(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("saved: -want +got\n%s", cmp.Diff(want.String(), got.String()))
	}
}

// ask sends a request to both and compares the answers. If-None-Match has the last tag
// of each handler for the request.
func (p *pair) ask(t *testing.T, a testRequest) {
	known, conditional := p.tags[a.path+"?"+a.query]
	conditional = conditional && p.tagged && p.oneIn(2)
	var answers [2]*httptest.ResponseRecorder
	var tags [2]string
	for i, handler := range []http.Handler{p.memory, p.sql} {
		r := a.request()
		if conditional {
			r.Header.Set("If-None-Match", known[i])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		answers[i], tags[i] = w, w.Header().Get("Etag")
		w.Header().Del("Date")
		w.Header().Del("Etag")
		if !p.tagged && a.path != "/api/" {
			w.Header().Del("Cache-Control")
		}
	}
	if p.tagged || a.path == "/api/" {
		if (tags[0] == "") != (tags[1] == "") {
			t.Errorf("%v: tags = %q and %q", a, tags[0], tags[1])
		}
		p.tags[a.path+"?"+a.query] = tags
	}
	want, got := answers[0], answers[1]
	diff := cmp.Diff(want.Code, got.Code) + cmp.Diff(want.Header(), got.Header())
	if !bytes.Equal(want.Body.Bytes(), got.Body.Bytes()) {
		diff += cmp.Diff(want.Body.String(), got.Body.String())
	}
	if diff != "" {
		t.Errorf("%v: -memory +PostgreSQL\n%s", a, diff)
	}
}

// request returns an HTTP request. Its path and query may be invalid.
func (a testRequest) request() *http.Request {
	r := &http.Request{
		Method: a.method, Host: "host.example", RequestURI: a.path + "?" + a.query,
		URL:    &url.URL{Path: a.path, RawQuery: a.query},
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	return r
}
