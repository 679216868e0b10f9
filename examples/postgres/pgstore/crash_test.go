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

// However the database ends, and whenever, under load: what was answered is so and
// stays so, all else is a 503, and when it is back the same program goes on.
func TestCrash(t *testing.T) {
	t.Parallel() // to TestReplica: both mostly wait
	s := newServers(t)
	kills := 5
	if testing.Short() {
		kills = 3
	}
	for _, c := range []struct {
		name       string
		times      int
		timeout    time.Duration
		away, back func() error
	}{
		{"killed", kills, 0, s.primary.Kill, s.primary.Start},
		{"shut down at once", 1, 0, func() error { return s.primary.Shutdown(pgtest.Immediate) }, s.primary.Start},
		{"shut down", 1, 0, func() error { return s.primary.Shutdown(pgtest.Fast) }, s.primary.Start},
		{"hangs", 1, 400 * time.Millisecond, s.primary.Freeze, s.primary.Thaw},
	} {
		s.run(c.name, func(s *servers) {
			store := s.open("store", pgstore.Options{Timeout: c.timeout})
			s.must(store.Load(s.Context(), strings.NewReader(baseHouse())))
			l := s.serve(store)
			for range c.times {
				l.goesOn(5 + rand.Int64N(30))
				l.phase.Add(1)
				s.must(c.away())
				l.phase.Add(1)
				l.isRefused()
				l.phase.Add(1)
				s.must(c.back())
				l.phase.Add(1)
			}
			l.goesOn(10)
			l.end()
			l.settle()
			s.Logf("%d pages, %d not modified, %d created, %d answers of 503, %d of them while the database was there; the slowest took %v",
				l.pages.Load(), l.notModified.Load(), l.created.Load(), l.unavailable.Load(), l.undue.Load(), time.Duration(l.slowest.Load()).Round(time.Millisecond))
		})
	}
}

// baseHouse is what is there from the start.
func baseHouse() string {
	var books []string
	for id := range 60 {
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"base%02d"}`, id+1, id*7%60))
	}
	return `{"authors":[{"id":1}],"books":[` + strings.Join(books, ",") + `]}`
}

// goesOn waits until so many records and pages more were given.
func (l *traffic) goesOn(more int64) {
	l.Helper()
	created, pages := l.created.Load(), l.pages.Load()
	l.eventually("pages and records are given", func() bool {
		return l.created.Load() >= created+more && l.pages.Load() >= pages+more
	})
}

// isRefused waits until everybody was told to come again.
func (l *traffic) isRefused() {
	l.Helper()
	unavailable := l.unavailable.Load()
	l.eventually("requests are refused", func() bool { return l.unavailable.Load() >= unavailable+2*(readers+writers) })
}

// settle compares what clients know with what is stored.
func (l *traffic) settle() {
	l.Helper()
	db := connect(l, l.dsn(l.primary, "settle"))
	defer db.Close()
	for key, book := range l.ledgers {
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
		if err := book.settle(stored); err != nil {
			l.Errorf("%s: %v", key, err)
		}
	}
}
