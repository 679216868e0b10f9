package catalogue_test

import (
	"errors"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A write whose record panics in MarshalJSON has no effect, even if the function of the batch
// recovers.
func TestPanicInMarshalJSONWritesNothing(t *testing.T) {
	hook := new(func())
	fails := func() { panic("MarshalJSON panics") }
	c := hookRecords(t, 3, hook)
	attempt := func(write func()) {
		defer func() { recover() }()
		*hook = fails
		defer func() { *hook = nil }()
		write()
	}
	attempt(func() { c.Delete(2) })
	attempt(func() { c.Update(1, func(r *hookRecord) error { r.Value.N = 9; return nil }) })
	err := c.Batch(func(tx *catalogue.Tx[hookRecord]) error {
		attempt(func() { tx.Insert(hookRecord{Value: hookValue{hook: hook}}) })
		return nil
	})
	if err != nil || c.Count() != 3 {
		t.Errorf("after single writes: %d records, %v, want 3", c.Count(), err)
	}
	for _, writes := range []int{1, 16} { // 16 are too many to apply in place
		attempt(func() {
			c.Batch(func(tx *catalogue.Tx[hookRecord]) error {
				*hook = nil
				for range writes {
					tx.Insert(hookRecord{Value: hookValue{hook: hook}})
				}
				*hook = fails
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

func exists(ch catalogue.Change[hookRecord]) bool { _, ok := ch.After(); return ok }

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
