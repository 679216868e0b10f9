package catalogue

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// slow is a value whose key takes its time, and tells when it is taken.
type slow struct {
	N    int
	gate *gate
}

type gate struct {
	entered, leave chan struct{}
	once           sync.Once
	panics         bool
}

func (s slow) Clone() slow { return s }

func (s slow) MarshalJSON() ([]byte, error) {
	if s.gate != nil {
		s.gate.once.Do(func() {
			close(s.gate.entered)
			<-s.gate.leave
			if s.gate.panics {
				panic("no key today")
			}
		})
	}
	return json.Marshal(s.N)
}

type slowRecord struct {
	ID    int  `json:"id"`
	Value slow `json:"value"`
	N     int  `json:"n"`
}

// checkAtEnd looks at the invariants of a collection or a house when the test is
// over.
func checkAtEnd(t *testing.T, c interface{ Check() error }) {
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
}

func slowCollection(t *testing.T, n int) *Collection[slowRecord] {
	t.Helper()
	c, err := NewCollection[slowRecord](Options{Name: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := c.Insert(slowRecord{Value: slow{N: i % 7}, N: i}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// halt puts a gate into the stored record with an id: the next one who takes
// its key waits there.
func halt(c *Collection[slowRecord], id int, panics bool) *gate {
	g := &gate{entered: make(chan struct{}), leave: make(chan struct{}), panics: panics}
	recordOf[slowRecord](c.store.Get(id)).Value.gate = g
	return g
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// While an order is in the making everything else goes on, and what is written
// meanwhile is in it when it is ready.
func TestOrderMadeWhileOthersWrite(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(t *testing.T, c *Collection[slowRecord])
	}{
		{"few single writes", func(t *testing.T, c *Collection[slowRecord]) { writeSome(t, c, 5) }},
		{"more than are made up for in one go", func(t *testing.T, c *Collection[slowRecord]) { writeSome(t, c, 320) }},
		{"a transaction", func(t *testing.T, c *Collection[slowRecord]) {
			err := c.Batch(func(tx *Tx[slowRecord]) error {
				for i := range 100 {
					if _, err := tx.Insert(slowRecord{Value: slow{N: i % 5}}); err != nil {
						return err
					}
				}
				return tx.Delete(3)
			})
			if err != nil {
				t.Fatal(err)
			}
		}},
		{"all records replaced", func(t *testing.T, c *Collection[slowRecord]) {
			store.Replace([]store.Replacement{{Store: c.store, Entries: []*store.Entry{newEntry(1000, slowRecord{ID: 1000, Value: slow{N: 1}})}}})
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := slowCollection(t, 50)
			g := halt(c, 1, false)
			made := make(chan error)
			for range 3 { // who comes second waits for the first
				go func() {
					v, err := c.View(pagination.Window{Limit: 1 << 20}, byValue...)
					if err == nil && v.Len() != v.Count() {
						err = fmt.Errorf("%d records of %d", v.Len(), v.Count())
					}
					made <- err
				}()
			}
			<-g.entered
			row.write(t, c)
			if _, err := c.View(pagination.Window{Limit: 5}, ordering.Asc("n")); err != nil {
				t.Error(err)
			}
			close(g.leave)
			for range 3 {
				if err := <-made; err != nil {
					t.Error(err)
				}
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func writeSome(t *testing.T, c *Collection[slowRecord], n int) {
	t.Helper()
	for i := range n {
		id, err := c.Insert(slowRecord{Value: slow{N: i % 3}, N: -i})
		if err == nil && i%2 == 0 {
			err = c.Update(2+i%40, func(r *slowRecord) error { r.Value.N = 99; return nil })
		}
		if err == nil && i%5 == 0 {
			err = c.Delete(id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A transaction that began before an order was ready brings it up to date.
func TestOrderMadeInsideATransaction(t *testing.T) {
	c := slowCollection(t, 20)
	err := c.Batch(func(tx *Tx[slowRecord]) error {
		if _, err := tx.Insert(slowRecord{Value: slow{N: 3}, N: 7}); err != nil {
			return err
		}
		if v, err := c.View(pagination.Window{Limit: 100}, byValue...); err != nil || v.Len() != 20 {
			return fmt.Errorf("a reader meanwhile sees %d, %v", v.Len(), err)
		}
		return tx.Delete(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// A record's own method that panics when its key is taken hurts only who asked.
func TestOrderWhoseMakingPanics(t *testing.T) {
	c := slowCollection(t, 20)
	g := halt(c, 1, true)
	close(g.leave)
	panicked := func() (reason any) {
		defer func() { reason = recover() }()
		c.View(pagination.Window{Limit: 1}, byValue...)
		return nil
	}()
	if panicked == nil {
		t.Fatal("the panic was swallowed")
	}
	if v, err := c.View(pagination.Window{Limit: 100}, byValue...); err != nil || v.Len() != 20 {
		t.Errorf("asked again: %d records, %v", v.Len(), err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// An old snapshot sorts for itself alone, keeps what it sorted, and keeps it
// within bounds.
func TestOrdersOfAnOldSnapshot(t *testing.T) {
	house, _ := benchHouse(t, 200)
	events := house.Events()
	old := events.Snapshot()
	if err := events.Delete(1); err != nil {
		t.Fatal(err)
	}
	for _, f := range events.Fields() {
		for range 2 {
			if v, err := old.View(pagination.Window{Limit: 1000}, ordering.Asc(f), ordering.Desc("slug")); err != nil || v.Len() != 200 {
				t.Fatalf("by %s: %d records, %v", f, v.Len(), err)
			}
		}
	}
	if err := old.schema.checkState(old.state, old.state.Check()); err != nil {
		t.Error(err)
	}
}

// No reader waits for a writer's callback, in whatever order it reads.
func TestReadersDoNotWaitForWriters(t *testing.T) {
	house, _ := benchHouse(t, 50)
	checkAtEnd(t, house)
	events := house.Events()
	inside, leave := make(chan struct{}), make(chan struct{})
	written := make(chan error)
	go func() {
		written <- events.Update(1, func(e *resources.Event) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	read := make(chan error)
	go func() {
		for _, f := range events.Fields() { // known orders and new ones
			if _, err := events.Page(pagination.Window{Limit: 5}, ordering.Asc(f), ordering.Desc("name")); err != nil {
				read <- err
				return
			}
		}
		house.Clone()
		read <- nil
	}()
	select {
	case err := <-read:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("reads wait for a writer")
	}
	close(leave)
	if err := <-written; err != nil {
		t.Error(err)
	}
}
