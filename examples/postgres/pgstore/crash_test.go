package pgstore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// TestCrash ends the database in several ways under load. Answered pages and posts must
// be correct and permanent, all other answers must be 503, and the program must
// continue when the database is back.
func TestCrash(t *testing.T) {
	t.Parallel() // with TestReplica; both mostly wait
	s := newServers(t)
	kills := 5
	if testing.Short() {
		kills = 3
	}
	for _, c := range []struct {
		name        string
		times       int
		timeout     time.Duration
		end, resume func() error
	}{
		{"killed", kills, 0, s.primary.Kill, s.primary.Start},
		{"immediate shutdown", 1, 0, func() error { return s.primary.Shutdown(pgtest.Immediate) }, s.primary.Start},
		{"fast shutdown", 1, 0, func() error { return s.primary.Shutdown(pgtest.Fast) }, s.primary.Start},
		{"frozen", 1, 400 * time.Millisecond, s.primary.Freeze, s.primary.Thaw},
	} {
		s.run(c.name, func(s *servers) {
			store := s.open("store", pgstore.Options{Timeout: c.timeout})
			s.must(store.Load(s.Context(), strings.NewReader(baseRecords())))
			l := s.serve(store)
			for range c.times {
				l.awaitProgress(5 + rand.Int64N(30))
				l.phase.Add(1)
				s.must(c.end())
				l.phase.Add(1)
				l.awaitRefusals()
				l.phase.Add(1)
				s.must(c.resume())
				l.phase.Add(1)
			}
			l.awaitProgress(10)
			l.end()
			l.compareStored()
			s.Logf("%d pages, %d not modified, %d created, %d answers of 503, %d of them while the database was up; slowest answer %v",
				l.pages.Load(), l.notModified.Load(), l.created.Load(), l.unavailable.Load(), l.unexpected.Load(), time.Duration(l.slowest.Load()).Round(time.Millisecond))
		})
	}
}

// baseRecords returns a file of the initial records.
func baseRecords() string {
	var books []string
	for id := range 60 {
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"base%02d"}`, id+1, id*7%60))
	}
	return `{"authors":[{"id":1}],"books":[` + strings.Join(books, ",") + `]}`
}

// awaitProgress waits until more records were created and more pages read.
func (l *traffic) awaitProgress(more int64) {
	l.Helper()
	created, pages := l.created.Load(), l.pages.Load()
	l.eventually("records are created and pages read", func() bool {
		return l.created.Load() >= created+more && l.pages.Load() >= pages+more
	})
}

// awaitRefusals waits until requests are answered with 503.
func (l *traffic) awaitRefusals() {
	l.Helper()
	unavailable := l.unavailable.Load()
	l.eventually("requests are refused", func() bool { return l.unavailable.Load() >= unavailable+2*(readers+writers) })
}

// compareStored compares the clients' expectations with the stored records.
func (l *traffic) compareStored() {
	l.Helper()
	db := connect(l, l.dsn(l.primary, "compare"))
	defer db.Close()
	for key, expected := range l.expected {
		stored := map[int]string{}
		rows, err := db.Query("SELECT id, record FROM " + strings.ReplaceAll(key, "-", "_"))
		l.must(err)
		for rows.Next() {
			var id int
			var record string
			l.must(rows.Scan(&id, &record))
			stored[id] = record
		}
		l.must(rows.Err())
		if err := expected.compare(stored); err != nil {
			l.Errorf("%s: %v", key, err)
		}
	}
}
