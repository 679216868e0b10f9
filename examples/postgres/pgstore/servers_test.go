package pgstore_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// testTimeout is the time limit of operations that usually take a second or less.
const testTimeout = 20 * time.Second

// servers is a server with the database of a test.
type servers struct {
	*testing.T
	server   *pgtest.Server
	database string
}

// newServers starts a server with a few records.
func newServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{T: t, server: pgtest.New(t), database: "house"}
	s.must(onServer(t.Context(), s.server, "CREATE DATABASE house"))
	store, err := pgstore.Open(pgstore.Options{DSN: s.dsn("loader")})
	s.must(err)
	defer store.Close()
	s.must(store.Migrate(t.Context()))
	s.must(store.Load(t.Context(), strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"name":"Emma"},{"id":2,"name":"Persuasion"}]}`), pgstore.LoadOptions{}))
	return s
}

// run runs a subtest in a new database and restores the server afterwards.
func (s *servers) run(name string, test func(*servers)) {
	s.Run(name, func(t *testing.T) {
		own := *s
		own.T, own.database = t, "house"+strconv.FormatInt(databases.Add(1), 10)
		own.must(onServer(t.Context(), s.server, "CREATE DATABASE "+own.database+" TEMPLATE "+s.database))
		t.Cleanup(func() {
			if s.server.Running() {
				own.must(s.server.Thaw())
			} else {
				own.must(s.server.Start())
			}
			own.check()
		})
		test(&own)
	})
}

func (s *servers) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// dsn returns the connection string of the database, with an application name.
func (s *servers) dsn(name string) string {
	return s.server.DSN(s.database) + " application_name=" + name
}

func (s *servers) open(name string, opts pgstore.Options) *pgstore.Store {
	s.Helper()
	opts.DSN = s.dsn(name)
	store, err := pgstore.Open(opts)
	s.must(err)
	s.Cleanup(func() { s.must(store.Close()) })
	return store
}

// scalar returns the single value of a query.
func scalar[T any](s *servers, query string, args ...any) T {
	s.Helper()
	db := connect(s, s.dsn("scalar"))
	defer db.Close()
	var answer T
	s.must(db.QueryRow(query, args...).Scan(&answer))
	return answer
}

// eventually polls a condition until it is true.
func (s *servers) eventually(what string, condition func() bool) {
	s.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(testTimeout); !condition(); <-tick.C {
		if time.Now().After(end) {
			s.Fatalf("not true after %v: %s", testTimeout, what)
		}
	}
}

// client sends requests to a handler.
type client struct {
	*testing.T
	handler http.Handler
}

// client returns a client of a handler with entity tags. Errors are logged.
func (s *servers) client(store *pgstore.Store) *client {
	s.Helper()
	return &client{s.T, handle(s, store, httpapi.Options{
		ETags:      true,
		Authorizer: httpapi.AllowAll,
		OnError:    func(r *http.Request, err error) { s.Logf("%s %s: %v", r.Method, r.URL, err) },
	})}
}

// page is an answer to a request for a page.
type page struct {
	status  int
	tag     string
	Count   int
	Results []json.RawMessage
}

// get requests a page. If tag is not "", the request has If-None-Match.
func (c *client) get(target, tag string) page {
	c.Helper()
	r := httptest.NewRequest("GET", "/api/"+target, nil)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	p := page{status: w.Code, tag: w.Header().Get("ETag")}
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			c.Errorf("GET %s: %v", target, err)
		}
	}
	return p
}

// count requests a page and returns the count. Other statuses than 200 are errors.
func (c *client) count(target string) int {
	c.Helper()
	p := c.get(target, "")
	if p.status != http.StatusOK {
		c.Errorf("GET %s: status %d", target, p.status)
		return -1
	}
	return p.Count
}

// post posts a social link and returns the answer.
func (c *client) post(title string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/api/social-links/", strings.NewReader(link(title)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

func link(title string) string {
	return `{"title":"` + title + `","url":"https://x.example/","type":"web","author":1}`
}

// posted posts a social link and returns the stored record. Failures end the test.
func (c *client) posted(title string) (record string) {
	c.Helper()
	w := c.post(title)
	if w.Code != http.StatusCreated {
		c.Fatalf("POST %s: %d %s", title, w.Code, w.Body)
	}
	return w.Body.String()
}

// connections returns the number of connections with an application name.
func (s *servers) connections(name string) int {
	s.Helper()
	return scalar[int](s, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name)
}

// check checks the database.
func (s *servers) check() {
	s.Helper()
	store, err := pgstore.Open(pgstore.Options{DSN: s.dsn("checker")})
	s.must(err)
	defer store.Close()
	if err := store.Check(context.Background()); err != nil {
		s.Error(err)
	}
}
