package catalogue

import (
	"encoding/json"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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
	c, err := NewCollection[panicRecord](Options{History: 100})
	if err != nil {
		t.Fatal(err)
	}
	fail := new(bool)
	for i := range 3 {
		if _, err := c.Insert(panicRecord{Value: panicValue{N: i, panic: fail}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Where().View(pagination.Window{Limit: 1}, ordering.Asc("value")); err != nil {
		t.Fatal(err)
	}
	attempt := func(write func()) {
		defer func() { recover() }()
		*fail = true
		defer func() { *fail = false }()
		write()
	}
	attempt(func() { c.Delete(2) })
	attempt(func() { c.Update(1, func(r *panicRecord) error { r.Value.N = 9; return nil }) })
	err = c.Batch(func(tx *Tx[panicRecord]) error {
		attempt(func() { tx.Insert(panicRecord{Value: panicValue{panic: fail}}) })
		return nil
	})
	if err != nil || c.Count() != 3 {
		t.Errorf("after single writes: %d records, %v, want 3", c.Count(), err)
	}
	for _, writes := range []int{1, 16} { // 16 are too many to apply in place
		attempt(func() {
			c.Batch(func(tx *Tx[panicRecord]) error {
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
	if err := c.Delete(3); err != nil {
		t.Error(err)
	}
	changes, _, err := c.Since(3)
	if err != nil || len(changes) != 1 || changes[0].ID != 3 || changes[0].after != nil {
		t.Errorf("Since(3) = %v, %v, want only the deletion of 3", changes, err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}
