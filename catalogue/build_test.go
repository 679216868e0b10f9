package catalogue

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

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
	recordOf[slowRecord](c.store.current().t.primary.get(id)).Value.gate = g
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
		{"more than are made up for in one go", func(t *testing.T, c *Collection[slowRecord]) { writeSome(t, c, 10*catchUp) }},
		{"a transaction", func(t *testing.T, c *Collection[slowRecord]) {
			err := c.Update(func(tx *Tx[slowRecord]) error {
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
			c.store.replace([]*entry{newEntry(1000, slowRecord{ID: 1000, Value: slow{N: 1}})})
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
			if find(c.store.live.orders, byValue) < 0 || len(c.store.builds) != 0 {
				t.Errorf("orders kept: %d, in the making: %d", len(c.store.live.orders), len(c.store.builds))
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
			err = c.Modify(2+i%40, func(r *slowRecord) error { r.Value.N = 99; return nil })
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
	err := c.Update(func(tx *Tx[slowRecord]) error {
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
	if find(c.store.live.orders, byValue) < 0 {
		t.Error("the order is gone")
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
	if err := c.Check(); err != nil || len(c.store.builds) != 0 {
		t.Error(err, len(c.store.builds))
	}
}

// The last record with a member may go while an order by that is in the making.
func TestOrderByAMemberThatGoes(t *testing.T) {
	c, err := New().Open("books")
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range []string{`{"title":"a","rare":1}`, `{"title":"b"}`} {
		var r resources.Record
		if err := json.Unmarshal([]byte(wire), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(r); err != nil {
			t.Fatal(err)
		}
	}
	rare := []ordering.Term{ordering.Asc("rare")}
	before := c.store.current()
	r, err := before.read(rare, func(_ *snapshot, canon []ordering.Term, fields []ordering.Field[entry]) (*snapshot, order) {
		b := &build{terms: canon, done: make(chan struct{})}
		c.store.builds = append(c.store.builds, b)
		if err := c.Delete(1); err != nil {
			t.Error(err)
		}
		c.store.make(b, before, fields) // of the records before that
		return b.snapshot, b.order
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.order.len(); n != 1 || r.t.primary.len() != 1 || len(c.store.live.orders) != 0 {
		t.Errorf("%d of %d records in order, %d orders kept; want 1 of 1 and none", n, r.t.primary.len(), len(c.store.live.orders))
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
	if len(old.s.own.orders) > maxCombined || len(old.s.own.orders) == 0 {
		t.Errorf("%d orders of its own", len(old.s.own.orders))
	}
	if n := len(events.store.live.orders); n != 2 {
		t.Errorf("the collection has %d orders now", n)
	}
	if err := old.Check(); err != nil {
		t.Error(err)
	}
}

// A current snapshot has the collection make the order, to be kept.
func TestOrdersOfACurrentSnapshot(t *testing.T) {
	house, _ := benchHouse(t, 50)
	events := house.Events()
	if _, err := events.Snapshot().View(pagination.Window{Limit: 1}, ordering.Asc("slug")); err != nil {
		t.Fatal(err)
	}
	if find(events.store.live.orders, []ordering.Term{ordering.Asc("slug")}) < 0 {
		t.Error("it was not kept")
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
		written <- events.Modify(1, func(e *resources.Event) error {
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

// Somebody else may have made the order meanwhile, and a writer written since:
// then it is brought up to date.
func TestOrderMadeByAnotherAndWrittenTo(t *testing.T) {
	house, _ := benchHouse(t, 100)
	c := house.Events()
	if err := c.Delete(7); err != nil {
		t.Fatal(err)
	}
	terms := []ordering.Term{ordering.Asc("name")}
	s, o := c.store.build(terms, nil) // no fields: it would panic if it sorted
	if s.t.primary.len() != 99 || o.len() != 99 {
		t.Errorf("%d records, %d in the order", s.t.primary.len(), o.len())
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}
