package recipes

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

func TestSessions(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s, err := NewSessions(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	start := func(user string, lasts time.Duration) string {
		t.Helper()
		session, err := s.Start(user, lasts)
		if err != nil || len(session.Token) < 20 {
			t.Fatalf("Start returns %v, %v", session, err)
		}
		return session.Token
	}
	check := func(when, token, want string) {
		t.Helper()
		if got, ok := s.Get(token); got.User != want || ok != (want != "") {
			t.Errorf("%s: the session is of %q, %t, want %q", when, got.User, ok, want)
		}
	}
	ann, bob, eve := start("ann", time.Minute), start("bob", time.Hour), start("eve", time.Minute)
	check("at first", ann, "ann")
	check("no token", "", "")
	check("an unknown token", "x", "")
	now = now.Add(30 * time.Second)
	if err := s.Extend(ann, time.Minute); err != nil {
		t.Error(err)
	}
	now = now.Add(30 * time.Second)
	check("extended", ann, "ann")
	check("the last instant has passed", eve, "")
	if n, err := s.DeleteExpired(); n != 1 || err != nil {
		t.Errorf("DeleteExpired returns %d, %v, want 1: the session of eve", n, err)
	}
	if err := s.Extend(eve, time.Hour); !errors.Is(err, catalogue.ErrNotFound) {
		t.Errorf("Extend of a session that has expired: %v", err)
	}
	if err := s.End(bob); err != nil {
		t.Error(err)
	}
	check("ended", bob, "")
	check("another one", ann, "ann")
}

// TestSessionsConcurrently starts and extends sessions beside deletions of those that have expired.
func TestSessionsConcurrently(t *testing.T) {
	s, err := NewSessions(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for i := range 200 {
				session, err := s.Start("ann", time.Duration(i%2)*time.Hour)
				if err != nil {
					t.Error(err)
				}
				if _, ok := s.Get(session.Token); ok != (i%2 == 1) {
					t.Errorf("session %d: found %t", i, ok)
				}
				if _, err := s.DeleteExpired(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	users.Wait()
	if n := s.all.Count(); n != 8*100 {
		t.Errorf("%d sessions remain, want 800", n)
	}
	if err := s.all.Check(); err != nil {
		t.Error(err)
	}
}
