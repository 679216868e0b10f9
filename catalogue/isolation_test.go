package catalogue_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// An account is a record with an amount. Tests move amounts between accounts, so that
// the total shows whether a reader saw half of a batch.
type account struct {
	ID     int    `json:"id"`
	Amount int    `json:"amount"`
	Owner  string `json:"owner"`
	Batch  int    `json:"batch"`
}

var whole = pagination.Window{Limit: math.MaxInt}

// checkAtEnd checks the invariants of a collection or a catalogue when the test ends.
func checkAtEnd(t testing.TB, c interface{ Check() error }) {
	t.Cleanup(func() {
		if err := faultOf(c); err != nil {
			t.Error(err)
		}
	})
}

func accounts(t testing.TB, n int) *catalogue.Collection[account] {
	t.Helper()
	c := mustCollection[account](t, catalogue.Options{Name: "accounts"})
	for i := range n {
		_, err := c.Insert(account{Amount: 100, Owner: fmt.Sprint(i % 3)})
		must(t, err)
	}
	return c
}

// hangTimeout is the time after which an operation that must not block counts as
// blocked. It does not measure speed.
const hangTimeout = 20 * time.Second

// within fails the test if f does not return before hangTimeout.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(hangTimeout):
		t.Fatalf("%s is blocked", what)
	}
}

// during calls the readers repeatedly in goroutines of their own until write has
// returned, and each of them once more after that.
func during(write func(), readers ...func()) {
	var done atomic.Bool
	var group sync.WaitGroup
	for _, read := range readers {
		group.Go(func() {
			for !done.Load() {
				read()
			}
			read()
		})
	}
	write()
	done.Store(true)
	group.Wait()
}

// scaled returns n if BACKLIST_LONG is set, as in CI, otherwise a third of it, and an eighth in short
// tests and under the race detector.
func scaled(n int) int {
	switch {
	case raceEnabled || testing.Short():
		n /= 8
	case os.Getenv("BACKLIST_LONG") == "":
		n /= 3
	}
	return max(1, n)
}

// TestTxAfterBatch checks that the methods of a Tx return ErrTxDone after its batch,
// whether the batch succeeded or failed.
func TestTxAfterBatch(t *testing.T) {
	for name, fail := range map[string]func() error{
		"success": func() error { return nil },
		"error":   func() error { return errOwn },
		"panic":   func() error { panic(errOwn) },
	} {
		c := accounts(t, 2)
		var kept *catalogue.Tx[account]
		_ = caught(func() error {
			return c.Batch(func(tx *catalogue.Tx[account]) error { kept = tx; return fail() })
		})
		_, err1 := kept.Get(1)
		_, err2 := kept.Insert(account{})
		_, err3 := kept.Upsert(account{ID: 1})
		_, err4 := kept.Where().Page(pagination.Window{})
		_, err5 := kept.Where().First()
		for i, err := range []error{err1, err2, err3, err4, err5, kept.Delete(1), kept.Update(1, func(*account) error { return nil })} {
			if !errors.Is(err, catalogue.ErrTxDone) {
				t.Errorf("%s: method %d returned %v, want ErrTxDone", name, i, err)
			}
		}
		if err := c.Check(); err != nil || c.Count() != 2 {
			t.Errorf("%s: count %d, %v, want 2", name, c.Count(), err)
		}
	}
}

// readAll calls Check and every method that reads, by an ordering that has an index and by one
// that has none.
func readAll(t *testing.T, c *catalogue.Collection[product], indexed, fresh string) {
	const n = 30
	s := c.Snapshot()
	for _, by := range []string{"", indexed, fresh, indexed + "," + fresh} {
		page, err1 := c.Page(whole, terms(by)...)
		view, err2 := c.Where().View(whole, terms(by)...)
		ofSnapshot, err3 := s.Where().Page(whole, terms(by)...)
		seq, err4 := c.Where().All(terms(by)...)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Error(err)
			return
		}
		if len(page.Records) != n || view.Len() != n || len(ofSnapshot.Records) != n || len(slices.Collect(seq)) != n {
			t.Errorf("by %q: a read returned fewer than %d records", by, n)
		}
		if _, err := view.JSON(3); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Get(3); err != nil {
		t.Error(err)
	}
	if all := slices.Collect(c.All()); c.Count() != n || len(all) != n {
		t.Errorf("Count() = %d, All() has %d records, want %d", c.Count(), len(all), n)
	}
	equal(t, "fields", productFields, catalogue.FieldNames(c))
	if err := errors.Join(s.Check(), c.Check()); err != nil {
		t.Error(err)
	}
	clone := c.Clone()
	if _, err := clone.Insert(product{}); err != nil || clone.Count() != n+1 {
		t.Errorf("clone: count %d, %v, want %d", clone.Count(), err, n+1)
	}
	if err := clone.Check(); err != nil {
		t.Error(err)
	}
}

// TestReadersDoNotWait checks that no read waits for a Batch or an Update that is
// blocked, not even the first read after a write.
func TestReadersDoNotWait(t *testing.T) {
	for name, block := range map[string]func(c *catalogue.Collection[product], wait func()) error{
		"batch": func(c *catalogue.Collection[product], wait func()) error {
			return c.Batch(func(tx *catalogue.Tx[product]) error {
				for id := 1; id <= 20; id++ {
					if err := tx.Delete(id); err != nil {
						return err
					}
				}
				_, err := tx.Insert(product{})
				wait()
				return err
			})
		},
		"update": func(c *catalogue.Collection[product], wait func()) error {
			return c.Update(3, func(p *product) error { p.Name = "new"; wait(); return nil })
		},
		"update in a batch": func(c *catalogue.Collection[product], wait func()) error {
			return c.Batch(func(tx *catalogue.Tx[product]) error {
				if err := tx.Delete(9); err != nil {
					return err
				}
				return tx.Update(3, func(p *product) error { p.Name = "new"; wait(); return nil })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := products(t, 30, catalogue.Options{})
			_, err := c.Page(whole, terms("name")...)
			must(t, err)
			_, err = c.Upsert(product{ID: 5, Name: "written, not read yet"})
			must(t, err)
			inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				done <- block(c, func() { close(inside); <-release })
			}()
			<-inside
			within(t, "a read", func() { readAll(t, c, "name", "rank") })
			within(t, "a second read", func() { readAll(t, c, "name", "-words") })
			close(release)
			within(t, "the write", func() {
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A slowReader returns its text and then blocks until it is released.
type slowReader struct {
	text    io.Reader
	inside  chan struct{}
	release chan struct{}
	once    sync.Once
}

func (r *slowReader) Read(p []byte) (int, error) {
	if n, err := r.text.Read(p); n > 0 || err != io.EOF {
		return n, err
	}
	r.once.Do(func() { close(r.inside) })
	<-r.release
	return 0, io.EOF
}

// TestReadersDoNotWaitForLoad checks that reads do not wait for a Load from a slow
// reader and see nothing of it before it ends.
func TestReadersDoNotWaitForLoad(t *testing.T) {
	cat := dataset(t)
	slow := &slowReader{text: strings.NewReader(`{"events":[]}`), inside: make(chan struct{}), release: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- cat.Load(slow, catalogue.LoadOptions{}) }()
	<-slow.inside
	within(t, "a read", func() {
		for _, by := range []string{"", "slug", "-labels,name"} {
			page, err := mustIn(resources.Events, cat).Page(whole, terms(by)...)
			if err != nil || page.Count != 90 || len(page.Records) != 90 {
				t.Errorf("page by %q: %d records, count %d, %v, want 90", by, len(page.Records), page.Count, err)
			}
		}
		if err := cat.Save(io.Discard); err != nil {
			t.Error(err)
		}
		if n := mustIn(resources.Events, cat.Clone()).Count(); n != 90 {
			t.Errorf("clone: count %d, want 90", n)
		}
	})
	close(slow.release)
	within(t, "the load", func() {
		if err := <-done; err != nil || mustIn(resources.Events, cat).Count() != 0 {
			t.Errorf("after Load: count %d, %v, want 0", mustIn(resources.Events, cat).Count(), err)
		}
	})
}
