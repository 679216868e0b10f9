package pgstore_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A replica and what becomes of it, in turn; each in a database of its own.
func TestReplica(t *testing.T) {
	t.Parallel() // to TestCrash: both mostly wait
	s := newServers(t)
	// The replica gets it with the data.
	_, err := connect(t, s.primary.DSN("postgres")).Exec("ALTER SYSTEM SET max_standby_streaming_delay = '10ms'")
	s.must(err)
	s.follow()
	s.run("is read", replicaIsRead)
	s.run("is behind what was written", replicaIsBehind)
	s.run("goes and comes back", replicaGoesAndComesBack)
	s.run("alone", replicaAlone)
	s.run("rests, and is alone", replicaRestsAlone)
	s.run("does not turn back time", replicaDoesNotTurnBackTime)
	s.run("cancels a read", replicaCancelsARead)
}

// A store that wrote nothing shows what the replica has, however old.
func replicaIsRead(s *servers) {
	writer := s.client(s.open("writer", pgstore.Options{}))
	reader := s.client(s.open("reader", pgstore.Options{}))
	s.must(s.replica.PauseReplay())
	writer.posted("unheard of")
	if got := reader.count("social-links/"); got != 0 {
		s.Errorf("a page of %d, the replica has none", got)
	}
	if n := s.connections(s.primary, "reader"); n != 0 {
		s.Errorf("%d connections to the primary of somebody who only reads", n)
	}
	s.must(s.replica.ResumeReplay())
	s.catchUp()
	if got := reader.count("social-links/"); got != 1 {
		s.Errorf("a page of %d when the replica has 1", got)
	}
}

// Who posted sees it at once and for good, whatever was tagged, and of all
// else still what the replica has.
func replicaIsBehind(s *servers) {
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
		s.Fatalf("tags before anything is written: %q", tags)
	}
	s.must(s.replica.PauseReplay())
	record := c.posted("mine")
	for range 3 {
		p := c.get(all, tags[0])
		if p.status != http.StatusOK || p.Count != 1 || len(p.Results) != 1 || string(p.Results[0]) != record || p.tag == tags[0] {
			s.Errorf("after the POST: %+v", p)
		}
		if got := c.count(byID); got != 1 {
			s.Errorf("a page that was asked for before has %d", got)
		}
	}
	links := store.Collections()["social-links"].(interface {
		Revision(context.Context) (uint64, error)
	})
	want := scalar[uint64](s, s.primary, "SELECT revision FROM collections WHERE key = 'social-links'")
	if got, err := links.Revision(s.Context()); err != nil || got != want {
		s.Errorf("revision %d, %v; the primary has %d", got, err, want)
	}

	// Fields of open records are in the database, too.
	s.must(store.Insert(s.Context(), "books", []byte(`{"id":3,"name":"Emma","pages":1}`)))
	if names, err := store.Collections()["books"].Fields(s.Context()); err != nil || !slices.Contains(names, "pages") {
		s.Errorf("fields of books: %v, %v", names, err)
	}

	s.must(other.Insert(s.Context(), "authors", []byte(`{"id":2}`)))
	if got := c.count("authors/"); got != 1 {
		s.Errorf("%d authors: of a collection that it did not write to the replica is asked", got)
	}

	s.must(s.replica.ResumeReplay())
	s.catchUp()
	s.must(s.replica.PauseReplay())
	s.must(other.Insert(s.Context(), "social-links", []byte(`{"id":9,"title":"t","url":"https://x.example/","logo":null,"type":"web","author":1}`)))
	if got := c.count("social-links/?limit=1"); got != 1 {
		s.Errorf("a page of %d: a replica that has caught up is asked again", got)
	}
}

// Whatever becomes of the replica, no read fails, and it is used again when it is
// back.
func replicaGoesAndComesBack(s *servers) {
	c := s.client(s.open("store", pgstore.Options{Timeout: 800 * time.Millisecond}))
	other := s.client(s.open("other", pgstore.Options{}))
	for _, gone := range []struct {
		how        string
		away, back func() error
	}{
		{"killed", s.replica.Kill, s.replica.Start},
		{"shut down", func() error { return s.replica.Shutdown(pgtest.Fast) }, s.replica.Start},
		{"frozen", s.replica.Freeze, s.replica.Thaw},
	} {
		n := c.count("social-links/") // on a connection to the replica that is kept
		s.must(gone.away())
		for range 5 {
			other.posted(gone.how)
			n++
			if got := c.count("social-links/?limit=5"); got != n {
				s.Errorf("%s: a page of %d, the primary has %d", gone.how, got, n)
			}
			c.count("books/?ordering=name")
		}
		s.must(gone.back())
		s.eventually("the replica is used again", func() bool {
			c.count("social-links/?limit=6")
			return s.connections(s.replica, "store") > 0
		})
	}
}

// Without the primary reads go on, and writes are told to come again.
func replicaAlone(s *servers) {
	store := s.open("store", pgstore.Options{Timeout: 5 * time.Second})
	c := s.client(store)
	c.posted("before")
	s.must(s.primary.Shutdown(pgtest.Fast)) // sends the replica all there is
	s.catchUpTo(1)
	for range 3 {
		if got := c.count("social-links/?ordering=url"); got != 1 {
			s.Errorf("a page of %d", got)
		}
		if w := c.post("meanwhile"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			s.Errorf("POST: %d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	s.must(s.primary.Start())
	c.posted("after")
	if got := c.count("social-links/"); got != 2 {
		s.Errorf("a page of %d", got)
	}
}

// catchUpTo waits for a count of social links, where there is no primary to be asked.
func (s *servers) catchUpTo(count int) {
	s.Helper()
	s.eventually("the replica has all links", func() bool {
		return scalar[int](s, s.replica, "SELECT count FROM collections WHERE key = 'social-links'") >= count
	})
}

// A replica that failed a moment ago is better than a primary that is away.
func replicaRestsAlone(s *servers) {
	c := s.client(s.open("store", pgstore.Options{Timeout: time.Second}))
	s.must(s.replica.Freeze())
	c.count("books/")
	s.must(s.replica.Thaw())
	s.must(s.primary.Shutdown(pgtest.Fast))
	for range 5 {
		if got := c.count("books/"); got != 2 {
			s.Errorf("a page of %d", got)
		}
	}
}

// Who has seen a page of the primary is not shown an older one by a replica that
// comes back.
func replicaDoesNotTurnBackTime(s *servers) {
	store := s.open("store", pgstore.Options{Timeout: 800 * time.Millisecond})
	c := s.client(store)
	s.must(s.replica.PauseReplay())
	s.client(s.open("other", pgstore.Options{})).posted("news")
	s.must(s.replica.Freeze())
	first := c.get("social-links/", "")
	if first.Count != 1 {
		s.Fatalf("a page of %d of the primary", first.Count)
	}
	s.must(s.replica.Thaw())
	for asked := false; !asked; { // the replica, which rests for a while
		asked = s.connections(s.replica, "store") > 0
		if got := c.count("social-links/"); got != 1 {
			s.Fatalf("a page of %d after one of 1", got)
		}
		if got := c.get("social-links/", first.tag); got.status != http.StatusNotModified {
			s.Fatalf("status %d for who has the newest page", got.status)
		}
		if n, _, err := store.Collections()["social-links"].Page(s.Context(), pagination.Window{Limit: 1}, byID); n != 1 || err != nil {
			s.Fatalf("a page of %d, %v", n, err)
		}
	}
}

var byID = []ordering.Term{ordering.Asc("id")}

// A read that the replica cancels, because it is in the way of what is replayed, is
// answered by the primary.
func replicaCancelsARead(s *servers) {
	db := connect(s, s.dsn(s.primary, "owner"))
	c := s.client(s.open("store", pgstore.Options{Timeout: patience}))

	tx, err := db.Begin()
	s.must(err)
	defer tx.Rollback() // does nothing the second time
	lock := func(table string) {
		s.Helper()
		_, err := tx.Exec("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE")
		s.must(err)
		_, err = db.Exec("SELECT pg_logical_emit_message(true, '', 'so that the log is sent')")
		s.must(err)
	}
	lock("books") // which a replica does as well
	s.eventually("the table is locked on the replica", func() bool {
		return scalar[bool](s, s.replica, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'books'::regclass AND mode = 'AccessExclusiveLock')")
	})
	counts := make(chan int)
	go func() { counts <- c.count("books/") }()
	s.eventually("the page waits", func() bool {
		return scalar[bool](s, s.replica, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'store' AND wait_event_type = 'Lock')")
	})
	lock("collections") // which the reader has read
	s.eventually("the primary is asked", func() bool { return s.connections(s.primary, "store") > 0 })
	s.must(tx.Rollback())
	if got := <-counts; got != 2 {
		s.Errorf("a page of %d", got)
	}
	if !strings.Contains(s.replica.Log(), "due to conflict with recovery") {
		s.Error("the replica has cancelled nothing")
	}
}
