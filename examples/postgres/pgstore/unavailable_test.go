package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// newSharedServers returns a database on the shared server, with an author and two books.
func newSharedServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{T: t, database: newDatabase(t, template), server: shared}
	store := s.open("loader", pgstore.Options{})
	s.must(store.Load(t.Context(), strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"name":"Emma"},{"id":2,"name":"Persuasion"}]}`), pgstore.LoadOptions{}))
	t.Cleanup(s.check)
	return s
}

// hold runs a statement that takes a lock, and holds the lock until release is called.
func (s *servers) hold(statement string) (release func()) {
	s.Helper()
	tx, err := connect(s, s.dsn("holder")).Begin()
	s.must(err)
	release = sync.OnceFunc(func() { s.must(tx.Rollback()) })
	s.Cleanup(release)
	_, err = tx.Exec(statement)
	s.must(err)
	return release
}

// awaitLockWaits blocks until the given number of a store's connections wait for a lock.
func (s *servers) awaitLockWaits(name string, connections int) {
	s.Helper()
	s.eventually("connections wait for a lock", func() bool {
		return scalar[int](s, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", name) == connections
	})
}

// TestStaleConnections checks that no request fails because the server has ended the
// connections of the pool, as a restart does.
func TestStaleConnections(t *testing.T) {
	s := newSharedServers(t)
	const conns = 5
	c := s.client(s.open("store", pgstore.Options{MaxConns: conns}))
	ended := func() {
		t.Helper()
		release := s.hold("LOCK TABLE books IN ACCESS EXCLUSIVE MODE")
		var readers sync.WaitGroup
		for i := range conns {
			readers.Go(func() { c.count(fmt.Sprintf("books/?limit=%d", 1+i)) })
		}
		s.awaitLockWaits("store", conns)
		release()
		readers.Wait()
		scalar[int](s, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'store'")
		s.eventually("the connections have ended", func() bool { return s.connections("store") == 0 })
	}
	ended()
	if got := c.count("books/?ordering=name"); got != 2 {
		t.Errorf("count = %d, want 2", got)
	}
	ended()
	c.posted("a link")
}

// TestTimeoutAtAnyMoment uses many timeouts and checks that each response is complete or a
// 503.
func TestTimeoutAtAnyMoment(t *testing.T) {
	s := newSharedServers(t)
	statuses := map[int]int{}
	for timeout := 6 * time.Millisecond; timeout > time.Millisecond; timeout -= 100 * time.Microsecond {
		store := s.open("store", pgstore.Options{MaxConns: 2, Timeout: timeout})
		c := &client{t, handle(t, store, httpapi.Options{
			Authorizer: httpapi.AllowAll,
			OnError: func(r *http.Request, err error) {
				if !errors.Is(err, httpapi.ErrUnavailable) {
					t.Errorf("%s %s: %v", r.Method, r.URL, err)
				}
			},
		})}
		for range 3 {
			statuses[c.get("books/?ordering=-name", "").status]++
			w := c.post("a link")
			statuses[w.Code]++
			if w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "1" {
				t.Errorf("503 %v %s", w.Header(), w.Body)
			}
		}
		s.must(store.Close())
		s.eventually("the connections have ended", func() bool { return s.connections("store") == 0 })
	}
	t.Logf("statuses: %v", statuses)
	for status := range statuses {
		if status != http.StatusOK && status != http.StatusCreated && status != http.StatusServiceUnavailable {
			t.Errorf("%d answers with status %d", statuses[status], status)
		}
	}
}

// TestWriterWaits checks that a writer that waits for another program stops at the
// timeout and stores nothing, and that readers do not wait.
func TestWriterWaits(t *testing.T) {
	const locked = "SELECT FROM collections WHERE key = 'social-links' FOR UPDATE"
	t.Run("one connection", func(t *testing.T) {
		s := newSharedServers(t)
		c := s.client(s.open("store", pgstore.Options{MaxConns: 1, Timeout: 300 * time.Millisecond}))
		release := s.hold(locked)
		for range 2 {
			if got := c.count("social-links/"); got != 0 {
				t.Errorf("count = %d, want 0", got)
			}
			if w := c.post("timeout"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		release()
		c.posted("stored")
		if got := c.count("social-links/"); got != 1 {
			t.Errorf("count = %d, want 1", got)
		}
	})
	t.Run("many writers", func(t *testing.T) {
		s := newSharedServers(t)
		c := s.client(s.open("store", pgstore.Options{MaxConns: 3, Timeout: testTimeout}))
		release := s.hold(locked)
		var writers sync.WaitGroup
		const posts = 10
		for i := range posts {
			writers.Go(func() {
				if w := c.post(fmt.Sprintf("link %d", i)); w.Code != http.StatusCreated {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		s.eventually("a writer waits", func() bool {
			return scalar[int](s, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'store' AND wait_event_type = 'Lock'") > 0
		})
		for i := range posts {
			if got := c.count(fmt.Sprintf("social-links/?limit=%d", 1+i)); got != 0 {
				t.Errorf("count = %d, want 0", got)
			}
		}
		release()
		writers.Wait()
		if got := c.count("social-links/"); got != posts {
			t.Errorf("count = %d, want %d", got, posts)
		}
	})
}

// TestServerEndsTransaction uses a server that ends long transactions.
func TestServerEndsTransaction(t *testing.T) {
	s := newSharedServers(t)
	store, err := pgstore.Open(pgstore.Options{DSN: s.dsn("store") + " idle_in_transaction_session_timeout=1"})
	s.must(err)
	defer store.Close()
	s.must(s.open("writer", pgstore.Options{}).Insert(t.Context(), "authors", []byte(`{"id":2,"name":"`+strings.Repeat("long", 10_000)+`"}`)))
	err = store.Save(t.Context(), writerFunc(func(p []byte) (int, error) {
		s.eventually("the transaction has ended", func() bool { return s.connections("store") == 0 })
		return len(p), nil
	}))
	if !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("Save = %v, want %v", err, httpapi.ErrUnavailable)
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
		"Load": func(ctx context.Context) error {
			return store.Load(ctx, strings.NewReader(`{"books":[{"id":1}]}`), pgstore.LoadOptions{})
		},
		"Insert": func(ctx context.Context) error { return store.Insert(ctx, "authors", []byte(`{"id":7}`)) },
		"Check":  store.Check,
		"Index":  func(ctx context.Context) error { return store.Index(ctx, "events") },
	} {
		for range 2 { // the driver does not check a connection that was used a moment ago
			_, err := collectionOf(store, "authors").Revision(t.Context())
			s.must(err)
		}
		scalar[int](s, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'store'")
		s.eventually("the connection has ended", func() bool { return s.connections("store") == 0 })
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
