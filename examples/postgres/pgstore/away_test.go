package pgstore_test

import (
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

// unbroken is a database on the server that nobody breaks, with an author and two
// books in it.
func unbroken(t *testing.T) *servers {
	t.Helper()
	s := &servers{T: t, database: newDatabase(t, template), primary: shared}
	store := s.open("loader", pgstore.Options{})
	s.must(store.Load(t.Context(), strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"name":"Emma"},{"id":2,"name":"Persuasion"}]}`)))
	t.Cleanup(s.whole)
	return s
}

// hold keeps others from what a statement locks until release is called.
func (s *servers) hold(statement string) (release func()) {
	s.Helper()
	tx, err := connect(s, s.dsn(s.primary, "holder")).Begin()
	s.must(err)
	release = sync.OnceFunc(func() { s.must(tx.Rollback()) })
	s.Cleanup(release)
	_, err = tx.Exec(statement)
	s.must(err)
	return release
}

// waiting waits until so many of a store's connections wait for a lock.
func (s *servers) waiting(who string, connections int) {
	s.Helper()
	s.eventually("they wait", func() bool {
		return scalar[int](s, s.primary, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", who) == connections
	})
}

// Connections that the server has ended, as one that was restarted has, cost nobody
// an answer: nothing was done with them.
func TestStaleConnections(t *testing.T) {
	s := unbroken(t)
	const conns = 5
	c := s.client(s.open("store", pgstore.Options{MaxConns: conns}))
	ended := func() {
		t.Helper()
		release := s.hold("LOCK TABLE books IN ACCESS EXCLUSIVE MODE")
		var readers sync.WaitGroup
		for i := range conns {
			readers.Go(func() { c.count(fmt.Sprintf("books/?limit=%d", 1+i)) })
		}
		s.waiting("store", conns)
		release()
		readers.Wait()
		scalar[int](s, s.primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'store'")
		s.eventually("they are gone", func() bool { return s.connections(s.primary, "store") == 0 })
	}
	ended()
	if got := c.count("books/?ordering=name"); got != 2 {
		t.Errorf("a page of %d", got)
	}
	ended()
	c.posted("a link")
}

// Whenever the time is over, the answer is whole or says so.
func TestTimeoutAtAnyMoment(t *testing.T) {
	s := unbroken(t)
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
		s.eventually("the server has noticed", func() bool { return s.connections(s.primary, "store") == 0 })
	}
	t.Logf("statuses: %v", statuses)
	for status := range statuses {
		if status != http.StatusOK && status != http.StatusCreated && status != http.StatusServiceUnavailable {
			t.Errorf("%d answers of %d", statuses[status], status)
		}
	}
}

// A writer that waits for another, of another program, gives up in time and leaves
// nothing behind; nobody who reads waits for it, however many there are.
func TestWriterWaits(t *testing.T) {
	const locked = "SELECT FROM collections WHERE key = 'social-links' FOR UPDATE"
	t.Run("with the one connection", func(t *testing.T) {
		s := unbroken(t)
		c := s.client(s.open("store", pgstore.Options{MaxConns: 1, Timeout: 300 * time.Millisecond}))
		release := s.hold(locked)
		for range 2 {
			if got := c.count("social-links/"); got != 0 {
				t.Errorf("a page of %d", got)
			}
			if w := c.post("given up"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		release()
		c.posted("stored")
		if got := c.count("social-links/"); got != 1 {
			t.Errorf("a page of %d: what was given up has to be gone", got)
		}
	})
	t.Run("many of them", func(t *testing.T) {
		s := unbroken(t)
		c := s.client(s.open("store", pgstore.Options{MaxConns: 3, Timeout: patience}))
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
		s.eventually("one waits", func() bool {
			return scalar[int](s, s.primary, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'store' AND wait_event_type = 'Lock'") > 0
		})
		for i := range posts {
			if got := c.count(fmt.Sprintf("social-links/?limit=%d", 1+i)); got != 0 {
				t.Errorf("a page of %d", got)
			}
		}
		release()
		writers.Wait()
		if got := c.count("social-links/"); got != posts {
			t.Errorf("a page of %d, %d were posted", got, posts)
		}
	})
}

// A server that ends transactions which take too long, as some are set to do, is one
// that is away for a moment.
func TestTransactionIsEnded(t *testing.T) {
	s := unbroken(t)
	store, err := pgstore.Open(pgstore.Options{Primary: s.dsn(s.primary, "store") + " idle_in_transaction_session_timeout=1"})
	s.must(err)
	defer store.Close()
	s.must(s.open("writer", pgstore.Options{}).Insert(t.Context(), "authors", []byte(`{"id":2,"name":"`+strings.Repeat("long", 10_000)+`"}`)))
	err = store.Save(t.Context(), writerFunc(func(p []byte) (int, error) {
		s.eventually("it is ended", func() bool { return s.connections(s.primary, "store") == 0 })
		return len(p), nil
	}))
	if !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("%v is no error of a database that is away", err)
	}
}
