package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Customers, orders and coupons. Orders and coupons refer to customers.
var (
	customers = catalogue.Define[schema.Record]("customers", catalogue.Options{Unique: [][]string{{"email"}}, Description: &schema.Description{
		Fields:  []schema.Field{{Name: "email", Kind: schema.Text}, {Name: "balance", Kind: schema.Integer}},
		Actions: schema.AllActions,
	}})
	orders = catalogue.Define[schema.Record]("orders", catalogue.Options{Description: &schema.Description{
		Fields:  []schema.Field{{Name: "customer", Kind: schema.Reference, Refers: "customers", Required: true}},
		Actions: schema.AllActions,
	}})
	coupons = catalogue.Define[schema.Record]("coupons", catalogue.Options{Description: &schema.Description{
		Fields:  []schema.Field{{Name: "customers", Kind: schema.References, Refers: "customers"}},
		Actions: schema.AllActions,
	}})
)

// newShop returns a catalogue of two customers, an order of the first and a coupon for both.
func newShop(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t, orders, customers, coupons)
	const data = `{"customers":[{"id":1,"email":"a@b","balance":10},{"id":2,"email":"c@d","balance":0}],
		"orders":[{"id":1,"customer":1}],"coupons":[{"id":1,"customers":[1,2]}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	return c
}

// ended calls f in a new goroutine and returns its error. It describes a panic and a
// runtime.Goexit by errors.
func ended(f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = errors.New("runtime.Goexit")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
		}()
		err = f()
	}()
	<-done
	return err
}

var errStop = errors.New("stop")

// placeOrder inserts a customer and an order of it.
func placeOrder(b *catalogue.Batch) error {
	people, err := customers.Tx(b)
	if err != nil {
		return err
	}
	id, err := people.Insert(mustRecord(`{"email":"e@f"}`))
	if err != nil {
		return err
	}
	placed, err := orders.Tx(b)
	if err != nil {
		return err
	}
	return second(placed.Insert(mustRecord(fmt.Sprintf(`{"customer":%d}`, id))))
}

func TestBatchErrors(t *testing.T) {
	c := newShop(t)
	var kept *catalogue.Tx[schema.Record]
	err := c.Batch(func(b *catalogue.Batch) (err error) {
		if _, err := catalogue.Define[schema.Record]("order", catalogue.Options{}).Tx(b); !errors.Is(err, catalogue.ErrUnknownCollection) || !strings.Contains(err.Error(), "orders") {
			t.Errorf("unknown key: %v, want ErrUnknownCollection and a suggestion", err)
		}
		if _, err := catalogue.Define[Film]("orders", catalogue.Options{}).Tx(b); !errors.Is(err, catalogue.ErrInvalidType) {
			t.Errorf("other type: %v, want ErrInvalidType", err)
		}
		kept, err = orders.Tx(b)
		return err
	})
	must(t, err)
	if _, err := kept.Insert(mustRecord(`{}`)); !errors.Is(err, catalogue.ErrTxDone) {
		t.Errorf("after the batch: %v, want ErrTxDone", err)
	}
	for _, none := range []*catalogue.Batch{nil, {}} {
		if _, err := orders.Tx(none); !errors.Is(err, catalogue.ErrTxDone) {
			t.Errorf("without a batch: %v, want ErrTxDone", err)
		}
	}
	err = c.Snapshot().Batch(func(*catalogue.Batch) error { t.Error("called"); return nil })
	if !errors.Is(err, catalogue.ErrReadOnly) {
		t.Errorf("of a snapshot: %v, want ErrReadOnly", err)
	}
}

func TestSelectionWriteErrors(t *testing.T) {
	set := func(name string, value any) func(*schema.Record) error {
		return func(r *schema.Record) (err error) {
			*r, err = r.With(name, value)
			return err
		}
	}
	none := func(*schema.Record) error { return nil }
	tests := []struct {
		reason string
		write  func(c *catalogue.Catalogue) (int, error)
		want   error
	}{
		{"the function fails after another record was updated", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c).Where().Update(func(r *schema.Record) error {
				if r.ID == 2 {
					return errStop
				}
				return set("balance", 7)(r)
			})
		}, errStop},
		{"the id is changed", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c).Where().Update(func(r *schema.Record) error { r.ID++; return nil })
		}, catalogue.ErrInvalidID},
		{"two records get the same unique value", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c).Where().Update(set("email", "x"))
		}, catalogue.ErrDuplicate},
		{"an unknown field", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c).Where(ordering.Equal("mail", 1)).Delete()
		}, ordering.ErrUnknownField},
		{"a snapshot", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c).Snapshot().Where().Delete()
		}, catalogue.ErrReadOnly},
		{"a snapshot of the catalogue", func(c *catalogue.Catalogue) (int, error) {
			return mustIn(customers, c.Snapshot()).Where().Update(none)
		}, catalogue.ErrReadOnly},
		{"in a batch, the function writes to a selected record", func(c *catalogue.Catalogue) (n int, err error) {
			err = mustIn(customers, c).Batch(func(tx *catalogue.Tx[schema.Record]) error {
				n, err = tx.Where().Update(func(r *schema.Record) error { return tx.Update(3-r.ID, set("balance", 9)) })
				return err
			})
			return n, err
		}, catalogue.ErrInvalid},
		{"in a batch, the function of an update writes to its record", func(c *catalogue.Catalogue) (int, error) {
			return 0, mustIn(customers, c).Batch(func(tx *catalogue.Tx[schema.Record]) error {
				return tx.Update(1, func(*schema.Record) error { return tx.Update(1, set("balance", 9)) })
			})
		}, catalogue.ErrInvalid},
		{"after the batch", func(c *catalogue.Catalogue) (int, error) {
			var kept catalogue.Selection[schema.Record]
			mustIn(customers, c).Batch(func(tx *catalogue.Tx[schema.Record]) error { kept = tx.Where(); return nil })
			return kept.Delete()
		}, catalogue.ErrTxDone},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := newShop(t)
			before := saved(t, c)
			if n, err := test.write(c); n != 0 || !errors.Is(err, test.want) {
				t.Errorf("%d, %v, want 0, %v", n, err, test.want)
			}
			equal(t, "the result", before, saved(t, c))
		})
	}
}

// TestWritesThatShareAReference checks that writes to two collections that refer to a third
// run side by side, and that a deletion from the third waits for both.
func TestWritesThatShareAReference(t *testing.T) {
	c := newShop(t)
	ctx := t.Context()
	people, _ := c.Collection("customers")
	placed, _ := c.Collection("orders")
	given, _ := c.Collection("coupons")
	inside, finish := make(chan struct{}), make(chan struct{})
	updated := make(chan error, 1)
	go func() {
		_, err := placed.Update(ctx, "1", catalogue.Edit{Body: []byte(`{"customer":2}`), Partial: true, Precondition: func([]byte) error {
			close(inside)
			<-finish
			return nil
		}})
		updated <- err
	}()
	<-inside
	if _, err := given.Create(ctx, []byte(`{"customers":[2]}`), schema.Record{}); err != nil { // would hang if it waited
		t.Error(err)
	}
	deleted := make(chan error, 1)
	go func() { deleted <- people.Delete(ctx, "2", schema.Filter{}, nil) }()
	select {
	case err := <-deleted:
		t.Errorf("Delete returned %v while an order that refers to the record was written", err)
		deleted <- err
	case <-time.After(20 * time.Millisecond): // it waits
	}
	close(finish)
	must(t, <-updated)
	if err := <-deleted; !errors.Is(err, catalogue.ErrReferenced) {
		t.Errorf("Delete: %v, want ErrReferenced", err)
	}
}

// TestWritesDoNotDeadlock makes all kinds of writes and copies in parallel.
func TestWritesDoNotDeadlock(t *testing.T) {
	c := newShop(t)
	ctx := context.Background()
	duration := time.Duration(scaled(2000)) * time.Millisecond
	data := saved(t, c)
	end := time.Now().Add(duration)
	var writers sync.WaitGroup
	for seed := range uint64(6) {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 0))
			for time.Now().Before(end) {
				randomWrite(ctx, c, rng, data)
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(duration + time.Minute):
		panic("deadlock") // shows all goroutines
	}
}

// randomWrite makes one write or copy. Its error does not matter.
func randomWrite(ctx context.Context, c *catalogue.Catalogue, rng *rand.Rand, data string) {
	definitions := []catalogue.Definition[schema.Record]{orders, customers, coupons}
	d := definitions[rng.IntN(3)]
	coll, _ := d.In(c)
	encoded, _ := c.Collection(d.Key())
	id := rng.IntN(20) + 1
	switch rng.IntN(12) {
	case 0:
		c.Batch(func(b *catalogue.Batch) error {
			for _, d := range definitions[rng.IntN(3):] {
				tx, _ := d.Tx(b)
				tx.Insert(mustRecord(fmt.Sprintf(`{"email":"%d"}`, rng.Int())))
				tx.Where(ordering.AtMost("id", id)).Delete()
				c.Snapshot()
			}
			return nil
		})
	case 1:
		c.Load(strings.NewReader(data), catalogue.LoadOptions{})
	case 2:
		c.Clone().Save(io.Discard)
	case 3:
		coll.Load(strings.NewReader(`[{"id":1}]`), catalogue.LoadOptions{})
	case 4:
		coll.ReplaceAll(coll.All())
	case 5:
		coll.Update(id, func(r *schema.Record) error { coll.Snapshot(); return nil })
	case 6:
		coll.Delete(id)
	case 7:
		coll.Where(ordering.AtLeast("id", 10)).Update(func(r *schema.Record) (err error) {
			*r, err = r.With("balance", rng.IntN(9))
			return err
		})
	case 8:
		encoded.Delete(ctx, fmt.Sprint(id), schema.Filter{}, nil)
	case 9:
		encoded.Update(ctx, fmt.Sprint(id), catalogue.Edit{Body: fmt.Appendf(nil, `{"customer":%d}`, rng.IntN(3)), Partial: true})
	default:
		encoded.Create(ctx, fmt.Appendf(nil, `{"email":"%d","balance":1,"customer":%d,"customers":[%[2]d]}`, rng.Int(), rng.IntN(9)), schema.Record{})
	}
}

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
