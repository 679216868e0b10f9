package pgstore_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// TestFaults makes the inserts of the first writes fail. Deadlocks and serialization failures are
// retried twice, and nothing else is. Each response that is not 201 is a 503 with Retry-After.
func TestFaults(t *testing.T) {
	for _, row := range []struct {
		reason, code  string
		failures      int
		status, tries int
	}{
		{"one deadlock", "40P01", 1, 201, 2},
		{"two serialization failures", "40001", 2, 201, 3},
		{"deadlocks", "40P01", 9, 503, 3},
		{"serialization failures", "40001", 9, 503, 3},
		{"a statement that takes too long", "57014", 9, 503, 1},
		{"a lock that takes too long", "55P03", 9, 503, 1},
		{"a full disk", "53100", 9, 503, 1},
		{"the end of the server", "57P01", 9, 503, 1},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newSharedServers(t)
			_, err := connect(s, s.dsn("trigger")).Exec(fmt.Sprintf(`CREATE SEQUENCE tries;
				CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
					IF nextval('tries') <= %d THEN RAISE EXCEPTION 'as the test wants' USING ERRCODE = '%s'; END IF;
					RETURN NEW;
				END$$;
				CREATE TRIGGER fail BEFORE INSERT ON social_links FOR EACH ROW EXECUTE FUNCTION fail()`, row.failures, row.code))
			s.must(err)
			c := s.client(s.open("store", pgstore.Options{}))
			w := c.post("a link")
			if w.Code != row.status || (w.Code == http.StatusServiceUnavailable) != (w.Header().Get("Retry-After") == "1") {
				t.Errorf("%d %v %s, want %d", w.Code, w.Header(), w.Body, row.status)
			}
			if tries := scalar[int](s, "SELECT last_value FROM tries"); tries != row.tries {
				t.Errorf("%d tries, want %d", tries, row.tries)
			}
			stored := 0
			if row.status == http.StatusCreated {
				stored = 1
			}
			if got := c.count("social-links/"); got != stored {
				t.Errorf("%d links, want %d", got, stored)
			}
		})
	}
}

// TestDeadlock makes a real deadlock with another program, of which PostgreSQL ends the transaction
// of the store.
func TestDeadlock(t *testing.T) {
	s := newSharedServers(t)
	c := s.client(s.open("store", pgstore.Options{Timeout: testTimeout}))
	other, err := connect(s, s.dsn("other")).Begin()
	s.must(err)
	defer other.Rollback()
	_, err = other.Exec("SET LOCAL deadlock_timeout = '1min'; SELECT FROM authors WHERE id = 1 FOR UPDATE")
	s.must(err)
	status := make(chan int)
	go func() { status <- c.post("a link").Code }()
	s.awaitLockWaits("store", 1) // for the author, with the lock of the links
	_, err = other.Exec("SELECT FROM collections WHERE key = 'social-links' FOR UPDATE")
	s.must(err)                  // the deadlock is over
	s.awaitLockWaits("store", 1) // again
	s.must(other.Commit())
	if got := <-status; got != http.StatusCreated {
		t.Errorf("status %d, want 201", got)
	}
	deadlocks := "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
	s.eventually("the deadlock is counted", func() bool { return scalar[int](s, deadlocks) == 1 })
}

// TestStatementTimeout uses a server that ends statements.
func TestStatementTimeout(t *testing.T) {
	s := newSharedServers(t)
	store, err := pgstore.Open(pgstore.Options{DSN: s.dsn("store") + " statement_timeout=100", Timeout: testTimeout})
	s.must(err)
	defer store.Close()
	c := s.client(store)
	release := s.hold("LOCK TABLE books, social_links IN ACCESS EXCLUSIVE MODE")
	for range 2 { // the connection can be used again
		c.unavailable("GET", "/api/books/", "")
		c.unavailable("POST", "/api/social-links/", link("a link"))
	}
	release()
	c.posted("a link")
}

// TestExhaustedPool lets the only connection be used by a call without a time limit.
func TestExhaustedPool(t *testing.T) {
	s := newSharedServers(t)
	store := s.open("store", pgstore.Options{MaxConns: 1, Timeout: 200 * time.Millisecond})
	s.must(store.Insert(t.Context(), "books", []byte(`{"id":3,"name":"`+strings.Repeat("long", 10_000)+`"}`)))
	c := s.client(store)
	begun, release, saved := make(chan struct{}, 100), make(chan struct{}), make(chan error)
	go func() {
		saved <- store.Save(t.Context(), writerFunc(func(p []byte) (int, error) {
			begun <- struct{}{}
			<-release
			return len(p), nil
		}))
	}()
	<-begun
	limit := time.AfterFunc(testTimeout, func() { panic("a request waits for a connection") })
	for range 3 {
		c.unavailable("GET", "/api/books/", "")
		c.unavailable("GET", "/api/events/", "")
		c.unavailable("POST", "/api/social-links/", link("a link"))
	}
	limit.Stop()
	close(release)
	s.must(<-saved)
	if got := c.count("books/"); got != 3 {
		t.Errorf("%d books, want 3", got)
	}
	c.posted("a link")
}

// unavailable sends a request, whose response must be a 503 with Retry-After.
func (c *client) unavailable(method, path, body string) {
	c.Helper()
	r := testRequest{method: method, path: path, body: body, header: map[string]string{"Content-Type": "application/json"}}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r.request())
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
		c.Errorf("%s %s: %d %v %s, want 503", method, path, w.Code, w.Header(), w.Body)
	}
}
