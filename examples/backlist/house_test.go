package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// emptyHouse returns a house without records that permits writes.
func emptyHouse(t *testing.T) *house {
	t.Helper()
	s := &service{config: config{open: true, control: "127.0.0.1:0"}, errorLog: log.New(io.Discard, "", 0)}
	h, err := newHouse(s, mainHouse, mustNew())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// postSlug posts an event and returns the status.
func postSlug(h http.Handler, slug string) int {
	r := httptest.NewRequest("POST", "/api/events/", strings.NewReader(strings.Replace(event, `"slug":"reading"`, fmt.Sprintf(`"slug":%q`, slug), 1)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// slugsOf returns the slugs of all events.
func slugsOf(t *testing.T, c *catalogue.Catalogue) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for e := range mustIn(resources.Events, c).All() {
		all[e.Slug] = true
	}
	return all
}

// TestWritesBesideResets checks what the package documentation promises: writers post
// beside resets and saves. A write that no reset overlapped or followed is there at the end and
// in the last file. A write that ended before the last reset began is in neither.
func TestWritesBesideResets(t *testing.T) {
	h := emptyHouse(t)
	path := filepath.Join(t.TempDir(), "house.json")
	s, err := newSaver(path, "", h)
	if err != nil {
		t.Fatal(err)
	}
	type write struct {
		slug       string
		begin, end int64 // numbers of resets that had ended and begun
	}
	var began, ended atomic.Int64
	var mu sync.Mutex
	var writes []write
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for writer := range 4 {
		running.Go(func() {
			for i, last := 0, false; !last; i++ {
				last = ctx.Err() != nil // each writer's last write is after all resets
				w := write{slug: fmt.Sprintf("w%d-%d", writer, i), begin: ended.Load()}
				if status := postSlug(h, w.slug); status != http.StatusCreated {
					t.Errorf("POST: %d", status)
					return
				}
				w.end = began.Load()
				mu.Lock()
				writes = append(writes, w)
				mu.Unlock()
			}
		})
	}
	running.Go(func() {
		for ctx.Err() == nil {
			if err := s.save(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 40 {
		began.Add(1)
		if err := h.reset(); err != nil {
			t.Error(err)
		}
		ended.Add(1)
		time.Sleep(time.Millisecond)
	}
	stop()
	running.Wait()
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	file := mustNew()
	if err := file.LoadFile(path, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	served, saved, kept := slugsOf(t, h.current.Load().records), slugsOf(t, file), 0
	for _, w := range writes {
		switch {
		case w.begin == ended.Load():
			kept++
			if !served[w.slug] || !saved[w.slug] {
				t.Errorf("%s came after the last reset and is lost; served %t, saved %t", w.slug, served[w.slug], saved[w.slug])
			}
		case w.end < began.Load() && (served[w.slug] || saved[w.slug]):
			t.Errorf("%s came before the last reset and is still there", w.slug)
		}
	}
	if kept == 0 || len(served) != len(saved) {
		t.Errorf("%d writes after the last reset, %d served, %d saved", kept, len(served), len(saved))
	}
}

// TestSlowWriteBesideReset checks that a write that arrived before a reset is answered and
// does not reach the records after it.
func TestSlowWriteBesideReset(t *testing.T) {
	h := emptyHouse(t)
	arrived, proceed := make(chan struct{}), make(chan struct{})
	old := h.current.Load()
	old.fake.Handler = waitFirst(old.fake.Handler, arrived, proceed)
	status := make(chan int)
	go func() { status <- postSlug(h, "slow") }()
	<-arrived
	if err := h.reset(); err != nil {
		t.Fatal(err)
	}
	if got := postSlug(h, "next"); got != http.StatusCreated {
		t.Errorf("POST after the reset: %d", got)
	}
	close(proceed)
	if got := <-status; got != http.StatusCreated {
		t.Errorf("POST beside the reset: %d", got)
	}
	if got := slugsOf(t, h.current.Load().records); len(got) != 1 || !got["next"] {
		t.Errorf("records after the reset: %v, want only next", got)
	}
	if n := len(h.current.Load().fake.Exchanges()); n != 1 {
		t.Errorf("%d exchanges after the reset, want 1", n)
	}
}

// waitFirst returns a handler that announces a request and waits before it passes it on.
func waitFirst(next http.Handler, arrived, proceed chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-proceed
		next.ServeHTTP(w, r)
	})
}

// TestResetRestoresFaults checks that a reset returns to the faults of the flags, with their
// numbers.
func TestResetRestoresFaults(t *testing.T) {
	f, err := parseFault("POST 503")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{config: config{open: true, faults: []fault{f}}, errorLog: log.New(io.Discard, "", 0)}
	h, err := newHouse(s, mainHouse, mustNew())
	if err != nil {
		t.Fatal(err)
	}
	if f, err = parseFault("DELETE cut"); err != nil {
		t.Fatal(err)
	}
	if n, err := h.breakWith(f); n != 2 || err != nil {
		t.Errorf("breakWith = %d, %v, want 2", n, err)
	}
	h.mend(func(number int) bool { return number == 1 })
	if all := h.listFaults(); len(all) != 1 || all[0].number != 2 || all[0].text != "DELETE cut" {
		t.Errorf("faults before the reset: %+v", all)
	}
	if err := h.reset(); err != nil {
		t.Fatal(err)
	}
	if all := h.listFaults(); len(all) != 1 || all[0].number != 1 || all[0].text != "POST 503" {
		t.Errorf("faults after the reset: %+v", all)
	}
}

// TestSaveAfterReset checks that a save does not take the records after a reset for those
// before it, which have the same revisions.
func TestSaveAfterReset(t *testing.T) {
	h := emptyHouse(t)
	path := filepath.Join(t.TempDir(), "house.json")
	s, err := newSaver(path, "", h)
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"first", "second"} {
		if err := h.reset(); err != nil {
			t.Fatal(err)
		}
		postSlug(h, slug)
		if err := s.save(); err != nil {
			t.Fatal(err)
		}
		file := mustNew()
		if err := file.LoadFile(path, catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := slugsOf(t, file); len(got) != 1 || !got[slug] {
			t.Errorf("the file has %v, want %s", got, slug)
		}
	}
}
