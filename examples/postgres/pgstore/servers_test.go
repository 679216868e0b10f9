package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
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

// patience is how long a test waits for what takes a second at the most.
const patience = 20 * time.Second

// servers are a primary and, perhaps, its replica, for a test to break, and the
// database of a test.
type servers struct {
	*testing.T
	primary, replica *pgtest.Server
	database         string
}

// newServers starts a primary with a little house in it.
func newServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{T: t, primary: pgtest.New(t), database: "house"}
	s.must(s.primary.CreateDatabase(t.Context(), s.database, ""))
	store, err := pgstore.Open(pgstore.Options{Primary: s.dsn(s.primary, "loader")})
	s.must(err)
	defer store.Close()
	s.must(store.Migrate(t.Context()))
	s.must(store.Load(t.Context(), strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"name":"Emma"},{"id":2,"name":"Persuasion"}]}`)))
	return s
}

// follow gives it a replica.
func (s *servers) follow() {
	s.Helper()
	replica, err := s.primary.Replica()
	s.must(err)
	s.Cleanup(func() { s.must(replica.Stop()) })
	s.replica = replica
}

// run runs a test in a database of its own, and makes good what it did to servers.
func (s *servers) run(name string, test func(*servers)) {
	s.Run(name, func(t *testing.T) {
		own := *s
		own.T, own.database = t, "house"+strconv.FormatInt(databases.Add(1), 10)
		own.must(s.primary.CreateDatabase(t.Context(), own.database, s.database))
		if s.replica != nil {
			own.catchUp()
		}
		t.Cleanup(func() {
			own.runs(s.primary)
			if s.replica != nil {
				own.runs(s.replica)
				own.must(s.replica.ResumeReplay())
			}
			own.whole()
		})
		test(&own)
	})
}

// runs has a server running.
func (s *servers) runs(server *pgtest.Server) {
	if err := server.Start(); err != nil && !errors.Is(err, pgtest.ErrRunning) {
		s.Error(err)
	}
	s.must(server.Thaw())
}

func (s *servers) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// dsn is the house of a server, for somebody of whom it can tell who it is.
func (s *servers) dsn(server *pgtest.Server, who string) string {
	return server.DSN(s.database) + " application_name=" + who
}

// open makes a store; with a replica it reads from that.
func (s *servers) open(who string, opts pgstore.Options) *pgstore.Store {
	s.Helper()
	opts.Primary = s.dsn(s.primary, who)
	if s.replica != nil {
		opts.Replica = s.dsn(s.replica, who)
	}
	store, err := pgstore.Open(opts)
	s.must(err)
	s.Cleanup(func() { s.must(store.Close()) })
	return store
}

// scalar is what a server answers to a question.
func scalar[T any](s *servers, server *pgtest.Server, question string, args ...any) T {
	s.Helper()
	db := connect(s, s.dsn(server, "scalar"))
	defer db.Close()
	var answer T
	s.must(db.QueryRow(question, args...).Scan(&answer))
	return answer
}

// catchUp waits until the replica has all that the primary has written.
func (s *servers) catchUp() {
	s.Helper()
	all := *s
	all.database = "postgres" // the test's own may not have come yet
	written := scalar[string](&all, s.primary, "SELECT pg_current_wal_flush_lsn()::text")
	s.eventually("the replica has caught up", func() bool {
		return scalar[bool](&all, s.replica, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", written)
	})
}

// eventually asks until the answer is yes.
func (s *servers) eventually(what string, yes func() bool) {
	s.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); !yes(); <-look.C {
		if time.Now().After(end) {
			s.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// client asks a handler. What OnError is told is noted, for messages.
type client struct {
	*testing.T
	handler http.Handler
}

// client serves a store with all that a handler has for readers.
func (s *servers) client(store *pgstore.Store) *client {
	s.Helper()
	return &client{s.T, handle(s, store, httpapi.Options{
		ETags:      true,
		Authorizer: httpapi.AllowAll,
		OnError:    func(r *http.Request, err error) { s.Logf("%s %s: %v", r.Method, r.URL, err) },
	})}
}

// page is what a client sees of one.
type page struct {
	status int
	tag    string
	Count  int
	// Results are records as they are written.
	Results []json.RawMessage
}

// get asks for a page; tag is one that the client has, or "".
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

// count asks for a page that has to be there.
func (c *client) count(target string) int {
	c.Helper()
	p := c.get(target, "")
	if p.status != http.StatusOK {
		c.Errorf("GET %s: status %d", target, p.status)
		return -1
	}
	return p.Count
}

// post sends a social link of a title and returns the answer.
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

// posted is post where nothing is in its way.
func (c *client) posted(title string) (record string) {
	c.Helper()
	w := c.post(title)
	if w.Code != http.StatusCreated {
		c.Fatalf("POST %s: %d %s", title, w.Code, w.Body)
	}
	return w.Body.String()
}

// connections is how many a store of that name has to a server.
func (s *servers) connections(server *pgtest.Server, who string) int {
	s.Helper()
	return scalar[int](s, server, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", who)
}

// whole says that nothing is broken.
func (s *servers) whole() {
	s.Helper()
	store, err := pgstore.Open(pgstore.Options{Primary: s.dsn(s.primary, "checker")})
	s.must(err)
	defer store.Close()
	if err := store.Check(context.Background()); err != nil {
		s.Error(err)
	}
}
