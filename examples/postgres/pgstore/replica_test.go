package pgstore_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func TestReplica(t *testing.T) {
	t.Parallel() // with TestCrash; both mostly wait
	s := newServers(t)
	// The setting is copied to the replica.
	_, err := connect(t, s.primary.DSN("postgres")).Exec("ALTER SYSTEM SET max_standby_streaming_delay = '10ms'")
	s.must(err)
	s.follow()
	s.run("reads", testReplicaReads)
	s.run("lag", testReplicaLag)
	s.run("restarts", testReplicaRestarts)
	s.run("primary down", testPrimaryDown)
	s.run("primary down after replica failed", testPrimaryDownAfterReplica)
	s.run("no older pages", testNoOlderPages)
	s.run("canceled read", testCanceledRead)
}

// testReplicaReads checks that a store that has written nothing reads from the replica.
func testReplicaReads(s *servers) {
	writer := s.client(s.open("writer", pgstore.Options{}))
	reader := s.client(s.open("reader", pgstore.Options{}))
	s.pauseReplay()
	writer.posted("not replayed")
	if got := reader.count("social-links/"); got != 0 {
		s.Errorf("count = %d, want 0 as on the replica", got)
	}
	if n := s.connections(s.primary, "reader"); n != 0 {
		s.Errorf("%d connections of the reader to the primary, want 0", n)
	}
	s.resumeReplay()
	s.catchUp()
	if got := reader.count("social-links/"); got != 1 {
		s.Errorf("count = %d, want 1 as on the replica", got)
	}
}

// testReplicaLag checks that a store sees its own writes at once, also in requests with
// tags, and reads other collections from the replica.
func testReplicaLag(s *servers) {
	store := s.open("store", pgstore.Options{})
	c := s.client(store)
	other := s.open("other", pgstore.Options{})
	const all, byID = "social-links/", "social-links/?ordering=-id"
	var tags []string
	for range 3 {
		c.get(byID, "")
		tags = append(tags, c.get(all, "").tag)
	}
	if tags[0] == "" || tags[2] != tags[0] || c.get(all, tags[0]).status != http.StatusNotModified {
		s.Fatalf("tags before any write = %q", tags)
	}
	s.pauseReplay()
	record := c.posted("mine")
	for range 3 {
		p := c.get(all, tags[0])
		if p.status != http.StatusOK || p.Count != 1 || len(p.Results) != 1 || string(p.Results[0]) != record || p.tag == tags[0] {
			s.Errorf("page after the POST = %+v", p)
		}
		if got := c.count(byID); got != 1 {
			s.Errorf("count of a page requested before = %d, want 1", got)
		}
	}
	links := collectionOf(store, "social-links")
	want := scalar[uint64](s, s.primary, "SELECT revision FROM collections WHERE key = 'social-links'")
	if got, err := links.Revision(s.Context()); err != nil || got != want {
		s.Errorf("Revision = %d, %v; want %d as on the primary", got, err, want)
	}

	// Fields of open records are read from the database.
	s.must(store.Insert(s.Context(), "books", []byte(`{"id":3,"name":"Emma","pages":1}`)))
	if known := knownOf(s, collectionOf(store, "books"), "pages"); known == nil {
		s.Error("books cannot be ordered by pages")
	}

	s.must(other.Insert(s.Context(), "authors", []byte(`{"id":2}`)))
	if got := c.count("authors/"); got != 1 {
		s.Errorf("count of authors = %d, want 1 as on the replica", got)
	}

	s.resumeReplay()
	s.catchUp()
	s.pauseReplay()
	s.must(other.Insert(s.Context(), "social-links", []byte(`{"id":9,"title":"t","url":"https://x.example/","logo":null,"type":"web","author":1}`)))
	if got := c.count("social-links/?limit=1"); got != 1 {
		s.Errorf("count = %d, want 1 as on the replica that has caught up", got)
	}
}

// testReplicaRestarts checks that no read fails when the replica fails, and that it is
// used again afterwards.
func testReplicaRestarts(s *servers) {
	c := s.client(s.open("store", pgstore.Options{Timeout: 800 * time.Millisecond}))
	other := s.client(s.open("other", pgstore.Options{}))
	for _, failure := range []struct {
		how         string
		end, resume func() error
	}{
		{"killed", func() error { return s.replica.Shutdown("immediate") }, s.replica.Start},
		{"shut down", func() error { return s.replica.Shutdown("fast") }, s.replica.Start},
		{"frozen", s.replica.Freeze, s.replica.Thaw},
	} {
		n := c.count("social-links/") // opens a connection to the replica
		s.must(failure.end())
		for range 5 {
			other.posted(failure.how)
			n++
			if got := c.count("social-links/?limit=5"); got != n {
				s.Errorf("%s: count = %d, want %d as on the primary", failure.how, got, n)
			}
			c.count("books/?ordering=name")
		}
		s.must(failure.resume())
		s.eventually("the replica is used again", func() bool {
			c.count("social-links/?limit=6")
			return s.connections(s.replica, "store") > 0
		})
	}
}

// testPrimaryDown checks that reads continue without the primary, and that posts are
// answered with 503.
func testPrimaryDown(s *servers) {
	store := s.open("store", pgstore.Options{Timeout: 5 * time.Second})
	c := s.client(store)
	c.posted("before")
	s.must(s.primary.Shutdown("fast")) // sends all data to the replica
	s.catchUpTo(1)
	for range 3 {
		if got := c.count("social-links/?ordering=url"); got != 1 {
			s.Errorf("count = %d, want 1", got)
		}
		if w := c.post("refused"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			s.Errorf("POST = %d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	s.must(s.primary.Start())
	c.posted("after")
	if got := c.count("social-links/"); got != 2 {
		s.Errorf("count = %d, want 2", got)
	}
}

// catchUpTo waits for a count of social links on the replica, without the primary.
func (s *servers) catchUpTo(count int) {
	s.Helper()
	s.eventually("the replica has all links", func() bool {
		return scalar[int](s, s.replica, "SELECT count FROM collections WHERE key = 'social-links'") >= count
	})
}

// testPrimaryDownAfterReplica checks that a replica that has just failed is asked if the
// primary is unavailable.
func testPrimaryDownAfterReplica(s *servers) {
	c := s.client(s.open("store", pgstore.Options{Timeout: time.Second}))
	s.must(s.replica.Freeze())
	c.count("books/")
	s.must(s.replica.Thaw())
	s.must(s.primary.Shutdown("fast"))
	for range 5 {
		if got := c.count("books/"); got != 2 {
			s.Errorf("count = %d, want 2", got)
		}
	}
}

// testNoOlderPages checks that after a page of the primary, a replica that is available
// again does not answer with an older one.
func testNoOlderPages(s *servers) {
	store := s.open("store", pgstore.Options{Timeout: 800 * time.Millisecond})
	c := s.client(store)
	s.pauseReplay()
	s.client(s.open("other", pgstore.Options{})).posted("news")
	s.must(s.replica.Freeze())
	first := c.get("social-links/", "")
	if first.Count != 1 {
		s.Fatalf("count on the primary = %d, want 1", first.Count)
	}
	s.must(s.replica.Thaw())
	for asked := false; !asked; { // until the replica is asked again
		asked = s.connections(s.replica, "store") > 0
		if got := c.count("social-links/"); got != 1 {
			s.Fatalf("count = %d after a page with count 1", got)
		}
		if got := c.get("social-links/", first.tag); got.status != http.StatusNotModified {
			s.Fatalf("status = %d with the tag of the newest page, want 304", got.status)
		}
		if n, _, err := pageOf(s.Context(), collectionOf(store, "social-links"), pagination.Window{Limit: 1}, byID...); n != 1 || err != nil {
			s.Fatalf("List = %d, %v; want 1", n, err)
		}
	}
}

var byID = []ordering.Term{ordering.Asc("id")}

// testCanceledRead checks that the primary answers a read that the replica cancels
// because it conflicts with replay.
func testCanceledRead(s *servers) {
	db := connect(s, s.dsn(s.primary, "owner"))
	c := s.client(s.open("store", pgstore.Options{Timeout: testTimeout}))

	tx, err := db.Begin()
	s.must(err)
	defer tx.Rollback() // has no effect the second time
	lock := func(table string) {
		s.Helper()
		_, err := tx.Exec("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE")
		s.must(err)
		_, err = db.Exec("SELECT pg_logical_emit_message(true, '', 'sends the log')")
		s.must(err)
	}
	lock("books") // replayed on the replica
	s.eventually("the table is locked on the replica", func() bool {
		return scalar[bool](s, s.replica, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'books'::regclass AND mode = 'AccessExclusiveLock')")
	})
	counts := make(chan int)
	go func() { counts <- c.count("books/") }()
	s.eventually("the read waits for the lock", func() bool {
		return scalar[bool](s, s.replica, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'store' AND wait_event_type = 'Lock')")
	})
	lock("collections") // conflicts with the read
	s.eventually("the primary is asked", func() bool { return s.connections(s.primary, "store") > 0 })
	s.must(tx.Rollback())
	if got := <-counts; got != 2 {
		s.Errorf("count = %d, want 2", got)
	}
	if !strings.Contains(s.replica.Log(), "due to conflict with recovery") {
		s.Error("the replica has not canceled the read")
	}
}

// TestLostRevision lowers a revision, as a failover that loses writes does. Pages have
// no tag until the revision is higher than before, since it may be reused.
func TestLostRevision(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1}]}`)
	var errs []error
	handler := handle(t, store, httpapi.Options{ETags: true, OnError: recordErrors(&errs)})
	get := func() (status int, tag, body string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/books/", nil))
		return w.Code, w.Header().Get("ETag"), w.Body.String()
	}
	_, tag, body := get()
	if tag == "" || errs != nil {
		t.Fatalf("before: tag %q, errors %v", tag, errs)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision - 1 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	status, tag, after := get()
	if status != 200 || tag != "" || after != body || len(errs) != 1 {
		t.Errorf("lower revision: status %d, tag %q, body %q, errors %v; want 200, no tag, %q, one error", status, tag, after, errs, body)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision + 2 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	if status, tag, _ := get(); status != 200 || tag == "" || len(errs) != 1 {
		t.Errorf("higher revision: status %d, tag %q, errors %v; want 200, a tag, no more errors", status, tag, errs)
	}
}

func TestCreateReadOnly(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	_, err := collectionOf(store, "books").Create(t.Context(), []byte(`{}`))
	if !errors.Is(err, catalogue.ErrReadOnly) {
		t.Errorf("Create = %v, want %v", err, catalogue.ErrReadOnly)
	}
}

// TestCallsOnStaleConnections ends a connection before each call of a method, which
// must not fail.
func TestCallsOnStaleConnections(t *testing.T) {
	s := newSharedServers(t)
	store := s.open("store", pgstore.Options{MaxConns: 1})
	for name, call := range map[string]func(context.Context) error{
		"Revision": func(ctx context.Context) error {
			_, err := collectionOf(store, "books").Revision(ctx)
			return err
		},
		"Load":   func(ctx context.Context) error { return store.Load(ctx, strings.NewReader(`{"books":[{"id":1}]}`)) },
		"Insert": func(ctx context.Context) error { return store.Insert(ctx, "authors", []byte(`{"id":7}`)) },
		"Check":  store.Check,
		"Index":  func(ctx context.Context) error { return store.Index(ctx, "events") },
	} {
		for range 2 { // the driver does not check a connection that was used a moment ago
			_, err := collectionOf(store, "authors").Revision(t.Context())
			s.must(err)
		}
		scalar[int](s, s.primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'store'")
		s.eventually("the connection has ended", func() bool { return s.connections(s.primary, "store") == 0 })
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
