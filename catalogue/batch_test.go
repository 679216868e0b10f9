package catalogue_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A panicValue is a value whose MarshalJSON panics while *panic is true.
type panicValue struct {
	N     int
	panic *bool
}

func (v *panicValue) MarshalJSON() ([]byte, error) {
	if v.panic != nil && *v.panic {
		panic("MarshalJSON panics")
	}
	return json.Marshal(v.N)
}

func (v *panicValue) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &v.N) }

func (v panicValue) Clone() panicValue { return v }

type panicRecord struct {
	ID    int        `json:"id"`
	Value panicValue `json:"value"`
}

// A write whose record panics in MarshalJSON has no effect, even if the function of the batch
// recovers.
func TestPanicInMarshalJSONWritesNothing(t *testing.T) {
	c := mustCollection[panicRecord](t, catalogue.Options{History: 100})
	fail := new(bool)
	for i := range 3 {
		_, err := c.Insert(panicRecord{Value: panicValue{N: i, panic: fail}})
		must(t, err)
	}
	_, err := c.Where().View(pagination.Window{Limit: 1}, ordering.Asc("value"))
	must(t, err)
	attempt := func(write func()) {
		defer func() { recover() }()
		*fail = true
		defer func() { *fail = false }()
		write()
	}
	attempt(func() { c.Delete(2) })
	attempt(func() { c.Update(1, func(r *panicRecord) error { r.Value.N = 9; return nil }) })
	err = c.Batch(func(tx *catalogue.Tx[panicRecord]) error {
		attempt(func() { tx.Insert(panicRecord{Value: panicValue{panic: fail}}) })
		return nil
	})
	if err != nil || c.Count() != 3 {
		t.Errorf("after single writes: %d records, %v, want 3", c.Count(), err)
	}
	for _, writes := range []int{1, 16} { // 16 are too many to apply in place
		attempt(func() {
			c.Batch(func(tx *catalogue.Tx[panicRecord]) error {
				*fail = false
				for range writes {
					tx.Insert(panicRecord{Value: panicValue{panic: fail}})
				}
				*fail = true
				return nil
			})
			t.Errorf("Batch of %d writes does not panic", writes)
		})
		if c.Count() != 3 {
			t.Errorf("after a Batch of %d writes: %d records, want 3", writes, c.Count())
		}
	}
	must(t, c.Delete(3))
	changes, _, err := c.Since(3)
	if err != nil || len(changes) != 1 || changes[0].Identity.ID != 3 || exists(changes[0]) {
		t.Errorf("Since(3) = %v, %v, want only the deletion of 3", changes, err)
	}
}

func exists(ch catalogue.Change[panicRecord]) bool { _, ok := ch.After(); return ok }

// An update in a batch does not overwrite what its function wrote to the same record.
func TestUpdateWhoseFunctionWrites(t *testing.T) {
	type counter struct {
		ID int `json:"id"`
		N  int `json:"n"`
	}
	for reason, write := range map[string]func(tx *catalogue.Tx[counter]) error{
		"of a record": func(tx *catalogue.Tx[counter]) error {
			return tx.Update(1, func(r *counter) error {
				r.N = 2
				return tx.Update(1, func(r *counter) error { r.N = 3; return nil })
			})
		},
		"of a selection": func(tx *catalogue.Tx[counter]) error {
			_, err := tx.Where(ordering.Less("id", 3)).Update(func(r *counter) error {
				r.N = 2
				_, err := tx.Upsert(counter{ID: 1, N: 3})
				return err
			})
			return err
		},
	} {
		c := mustCollection[counter](t, catalogue.Options{})
		for range 3 {
			_, err := c.Insert(counter{})
			must(t, err)
		}
		err := c.Batch(func(tx *catalogue.Tx[counter]) error {
			if err := write(tx); !errors.Is(err, catalogue.ErrInvalid) {
				t.Errorf("%s: error %v, want %v", reason, err, catalogue.ErrInvalid)
			}
			return nil
		})
		if r, _ := c.Get(1); err != nil || r.N != 3 {
			t.Errorf("%s: the record is %v, %v, want what the function wrote", reason, r, err)
		}
	}
}

// A slowValue is a value whose MarshalJSON, which makes its key, can be paused.
type slowValue struct {
	N     int
	pause *pause
}

// A pause stops the goroutine that reaches it first until resume is closed.
type pause struct {
	reached, resume chan struct{}
	once            sync.Once
	panics          bool // when resumed
}

func (v slowValue) Clone() slowValue { return v }

func (v slowValue) MarshalJSON() ([]byte, error) {
	if p := v.pause; p != nil {
		p.once.Do(func() {
			close(p.reached)
			<-p.resume
			if p.panics {
				panic("MarshalJSON panics")
			}
		})
	}
	return json.Marshal(v.N)
}

type slowRecord struct {
	ID    int       `json:"id"`
	Value slowValue `json:"value"`
	N     int       `json:"n"`
}

// pauseAtKey makes the next goroutine pause that makes the key of a stored record.
func pauseAtKey(c *catalogue.Collection[slowRecord], id int, panics bool) *pause {
	p := &pause{reached: make(chan struct{}), resume: make(chan struct{}), panics: panics}
	layout.Typed[slowRecord](layout.RecordOf(catalogue.StoreOf(c).Get(id))).Value.pause = p
	return p
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// An old snapshot keeps the indexes that it builds, within bounds.
func TestIndexesOfOldSnapshot(t *testing.T) {
	cat, _ := benchHouse(t, 200)
	events := mustIn(resources.Events, cat)
	old := events.Snapshot()
	must(t, events.Delete(1))
	for _, f := range catalogue.FieldNames(events) {
		for range 2 {
			if v, err := old.Where().View(pagination.Window{Limit: 1000}, ordering.Asc(f), ordering.Desc("slug")); err != nil || v.Len() != 200 {
				t.Fatalf("View ordered by %s: %d records, %v, want 200", f, v.Len(), err)
			}
		}
	}
	must(t, old.Check())
}
