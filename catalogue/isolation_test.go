package catalogue_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// An account is a record whose amounts are to add up.
type account struct {
	ID     int    `json:"id"`
	Amount int    `json:"amount"`
	Owner  string `json:"owner"`
	Batch  int    `json:"batch"`
}

var whole = pagination.Window{Limit: math.MaxInt}

// checkAtEnd looks at the invariants of a collection or a house when the test is
// over.
func checkAtEnd(t testing.TB, c interface{ Check() error }) {
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
}

func accounts(t testing.TB, n int) *catalogue.Collection[account] {
	t.Helper()
	c, err := catalogue.NewCollection[account](catalogue.Options{Name: "accounts"})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	for i := range n {
		if _, err := c.Insert(account{Amount: 100, Owner: fmt.Sprint(i % 3)}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// hang is how long something that must not wait may take before it is taken
// for dead. It is no measure of speed.
const hang = 20 * time.Second

// within fails if f has not ended before the deadline for hanging.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(hang):
		t.Fatalf("%s hangs", what)
	}
}

// during runs readers over and over until write has returned.
func during(write func(), readers ...func()) {
	var over atomic.Bool
	var group sync.WaitGroup
	for _, read := range readers {
		group.Go(func() {
			for !over.Load() {
				read()
			}
			read()
		})
	}
	write()
	over.Store(true)
	group.Wait()
}

func scaled(n int) int {
	if raceEnabled || testing.Short() {
		return max(1, n/8)
	}
	return n
}

// TestNoDirtyRead: what an Update has written, and what it will take back, is
// seen by nobody else.
func TestNoDirtyRead(t *testing.T) {
	c := accounts(t, 10)
	read := func() {
		for _, by := range []string{"", "-amount", "owner,-amount"} {
			page, err := c.Page(whole, terms(by)...)
			if err != nil || page.Count != 10 || len(page.Records) != 10 {
				t.Errorf("by %q: %d of %d, %v", by, len(page.Records), page.Count, err)
			}
			for _, r := range page.Records {
				if r.Owner == "dirty" {
					t.Errorf("by %q: read what was taken back: %+v", by, r)
				}
			}
		}
		if _, err := c.Get(11); !errors.Is(err, catalogue.ErrNotFound) {
			t.Errorf("get of what was taken back: %v", err)
		}
	}
	during(func() {
		for i := range scaled(2000) {
			err := caught(func() error {
				return c.Batch(func(tx *catalogue.Tx[account]) error {
					_, err1 := tx.Insert(account{Owner: "dirty", Amount: i})
					_, err2 := tx.Upsert(account{ID: 1 + i%10, Owner: "dirty"})
					err3 := tx.Delete(1 + (i+1)%10)
					if err := errors.Join(err1, err2, err3); err != nil {
						t.Error(err)
					}
					if i%2 == 0 {
						panic(errOwn)
					}
					return errOwn
				})
			})
			if err == nil {
				t.Error("no error")
			}
			_ = c.Update(1, func(a *account) error { a.Owner = "dirty"; return errOwn })
		}
	}, read, read)
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// TestNoNonRepeatableRead: a snapshot gives the same again, whatever is written.
func TestNoNonRepeatableRead(t *testing.T) {
	c := accounts(t, 30)
	read := func() {
		s := c.Snapshot()
		first, err1 := s.Page(whole, terms("-amount")...)
		one, err2 := s.Get(7)
		runtime.Gosched()
		second, err3 := s.Page(whole, terms("-amount")...)
		again, err4 := s.Get(7)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Error(err)
		}
		if one != again || !slices.Equal(first.Records, second.Records) {
			t.Errorf("a second read differs: %+v, %+v", one, again)
		}
	}
	during(func() {
		for i := range scaled(3000) {
			if err := c.Update(1+i%30, func(a *account) error { a.Amount = i; return nil }); err != nil {
				t.Error(err)
			}
		}
	}, read, read)
}

// TestNoPhantomInSnapshot: records come and go, but not in a snapshot, not even
// in an ordering that it is asked for the first time much later.
func TestNoPhantomInSnapshot(t *testing.T) {
	c := accounts(t, 30)
	s := c.Snapshot()
	want := ids(t, s, accountID, nil)
	read := func() {
		now := c.Snapshot()
		n := now.Count()
		for _, by := range []string{"owner", "-amount,owner", "-id"} {
			page, err := now.Page(whole, terms(by)...)
			if err != nil || page.Count != n || len(page.Records) != n {
				t.Errorf("by %q: %d of %d records, %v; want %d", by, len(page.Records), page.Count, err, n)
			}
		}
	}
	during(func() {
		for range scaled(1500) {
			id, err := c.Insert(account{Owner: "1"})
			if err != nil {
				t.Error(err)
			}
			if err := c.Delete(id - 30); err != nil {
				t.Error(err)
			}
		}
	}, read, read)
	for _, by := range []string{"", "owner", "batch,owner", "-batch,-amount"} {
		got := ids(t, s, accountID, terms(by))
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("old snapshot by %q (-want +got):\n%s", by, diff)
		}
	}
}

func accountID(a *account) *int { return &a.ID }

// TestNoTornBatch: an Update is seen whole or not at all. Money is moved, and
// records come three at a time, so sums and counts tell a half.
func TestNoTornBatch(t *testing.T) {
	c := accounts(t, 12)
	read := func() {
		for _, by := range []string{"", "batch,-amount", "-owner"} {
			page, err := c.Page(whole, terms(by)...)
			if err != nil {
				t.Error(err)
				return
			}
			sum := 0
			for _, a := range page.Records {
				sum += a.Amount
			}
			if page.Count != len(page.Records) || page.Count%3 != 0 || sum != 1200 {
				t.Errorf("by %q: %d records, count %d, sum %d", by, len(page.Records), page.Count, sum)
			}
		}
		view, err := c.View(pagination.Window{Limit: 1, Offset: 3}, terms("-amount")...)
		if err != nil || view.Count()%3 != 0 {
			t.Errorf("view: count %d, %v", view.Count(), err)
		}
	}
	during(func() {
		for i := range scaled(1500) {
			err := c.Batch(func(tx *catalogue.Tx[account]) error {
				from, to := 1+i%12, 1+(i*7+5)%12
				err := errors.Join(
					tx.Update(from, func(a *account) error { a.Amount -= i; return nil }),
					tx.Update(to, func(a *account) error { a.Amount += i; return nil }))
				for range 3 {
					_, e := tx.Insert(account{Batch: i + 1})
					err = errors.Join(err, e)
				}
				if i >= 5 {
					for k := range 3 {
						err = errors.Join(err, tx.Delete(13+3*(i-5)+k))
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}, read, read)
}

// TestNoLostUpdate: every Modify counts.
func TestNoLostUpdate(t *testing.T) {
	c := accounts(t, 1)
	const writers = 8
	each := scaled(800)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for range each {
				add := func(a *account) error { a.Amount++; return nil }
				var err error
				if w%2 == 0 {
					err = c.Update(1, add)
				} else {
					err = c.Batch(func(tx *catalogue.Tx[account]) error { return tx.Update(1, add) })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if a, err := c.Get(1); err != nil || a.Amount != 100+writers*each {
		t.Errorf("amount %d, %v; want %d", a.Amount, err, 100+writers*each)
	}
}

// TestNoIDTwice: concurrent inserts get ids of their own, without holes.
func TestNoIDTwice(t *testing.T) {
	c := accounts(t, 0)
	var got sync.Map
	var group sync.WaitGroup
	each := scaled(400)
	for range 4 {
		group.Go(func() {
			for range each {
				id, err := c.Insert(account{})
				if _, twice := got.LoadOrStore(id, true); twice || err != nil {
					t.Errorf("id %d twice: %v, %v", id, twice, err)
				}
			}
		})
	}
	group.Wait()
	if last, err := c.Insert(account{}); last != 4*each+1 || err != nil {
		t.Errorf("last id %d, %v; want %d", last, err, 4*each+1)
	}
}

// TestWriteSkewAcrossCollections documents what is allowed: two Updates of two
// collections may each rely on what the other is about to change, since there
// is no transaction across collections. Neither waits for the other.
func TestWriteSkewAcrossCollections(t *testing.T) {
	a, b := accounts(t, 1), accounts(t, 1)
	var met, group sync.WaitGroup
	met.Add(2)
	within(t, "a pair of updates", func() {
		for _, pair := range [][2]*catalogue.Collection[account]{{a, b}, {b, a}} {
			group.Go(func() {
				err := pair[0].Batch(func(tx *catalogue.Tx[account]) error {
					other, err := pair[1].Get(1)
					met.Done()
					met.Wait()
					if err != nil || other.Amount == 0 {
						return errOwn
					}
					return tx.Delete(1) // "the other one is still there"
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})
	if a.Count() != 0 || b.Count() != 0 {
		t.Errorf("%d and %d records, want none: both saw the other", a.Count(), b.Count())
	}
}

// TestReadYourOwnWrites: in a transaction at once, and after a write everywhere.
func TestReadYourOwnWrites(t *testing.T) {
	c := accounts(t, 3)
	if _, err := c.Page(whole, terms("-amount")...); err != nil { // an order in use
		t.Fatal(err)
	}
	err := c.Batch(func(tx *catalogue.Tx[account]) error {
		id, err := tx.Insert(account{Amount: 500})
		if got, err := tx.Get(id); err != nil || got.Amount != 500 || tx.Count() != 4 {
			t.Errorf("own insert: %+v, %v, count %d", got, err, tx.Count())
		}
		if id != 4 {
			t.Errorf("id %d, want 4", id)
		}
		if err := tx.Update(1, func(a *account) error { a.Amount = 7; return nil }); err != nil {
			t.Error(err)
		}
		if got, err := tx.Get(1); err != nil || got.Amount != 7 {
			t.Errorf("own modify: %+v, %v", got, err)
		}
		if err := tx.Update(1, func(a *account) error {
			if a.Amount != 7 {
				t.Errorf("second modify begins with %+v", a)
			}
			a.Amount = 8
			return nil
		}); err != nil {
			t.Error(err)
		}
		if err := tx.Delete(2); err != nil {
			t.Error(err)
		}
		if _, err := tx.Get(2); !errors.Is(err, catalogue.ErrNotFound) || tx.Count() != 3 {
			t.Errorf("own delete: %v, count %d", err, tx.Count())
		}
		if err := tx.Delete(2); !errors.Is(err, catalogue.ErrNotFound) {
			t.Errorf("second delete: %v", err)
		}
		if got, err := tx.Insert(account{ID: 2, Amount: 9}); got != 2 || err != nil {
			t.Errorf("insert of what was deleted: %d, %v", got, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{4, 3, 2, 1}, ids(t, c, accountID, terms("-amount"))); diff != "" {
		t.Errorf("after the update (-want +got):\n%s", diff)
	}
	for i := range 50 {
		id, err := c.Insert(account{Amount: 1000 + i})
		page, err2 := c.Page(pagination.Window{Limit: 1}, terms("-amount")...)
		if err != nil || err2 != nil || page.Count != 5+i || len(page.Records) != 1 || page.Records[0].ID != id {
			t.Fatalf("insert %d: page %+v, %v, %v", id, page, err, err2)
		}
	}
}

// TestOrderBuiltWhileWriting: an ordering whose first use falls among writes
// misses none of them.
func TestOrderBuiltWhileWriting(t *testing.T) {
	for round := range scaled(24) {
		c := products(t, 200, catalogue.Options{})
		var group sync.WaitGroup
		for g := range 2 {
			group.Go(func() {
				for i := range 60 {
					id := 1 + (i*7+g*100)%200
					if err := c.Update(id, func(p *product) error { p.Name = fmt.Sprint(i, g); p.Stock = i; return nil }); err != nil {
						t.Error(err)
					}
					if _, err := c.Insert(product{Name: fmt.Sprint(g), Stock: -i}); err != nil {
						t.Error(err)
					}
					if i%3 == 0 {
						if err := c.Delete(201 + i); err != nil && !errors.Is(err, catalogue.ErrNotFound) {
							t.Error(err)
						}
					}
				}
			})
		}
		for _, by := range []string{"name", "-stock_level", "live,name", "-name,stock_level", "words"} {
			group.Go(func() {
				for range 5 {
					page, err := c.Page(whole, terms(by)...)
					if err != nil || len(page.Records) != page.Count {
						t.Errorf("by %q: %d of %d, %v", by, len(page.Records), page.Count, err)
						continue
					}
					if err := inOrder(page.Records, by); err != nil {
						t.Errorf("round %d: %v", round, err)
					}
				}
			})
		}
		group.Wait()
		if err := c.Check(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, by := range []string{"name", "-stock_level", "live,name", "-name,stock_level", "words"} {
			page, err := c.Page(whole, terms(by)...)
			if err != nil || len(page.Records) != c.Count() {
				t.Errorf("by %q: %d of %d, %v", by, len(page.Records), c.Count(), err)
			}
			if err := inOrder(page.Records, by); err != nil {
				t.Error(err)
			}
		}
	}
}

// inOrder holds neighbours against each other by the model's comparison.
func inOrder(records []product, by string) error {
	list := effective(terms(by))
	keys := func(p *product) []value {
		values := productValues(p)
		values["id"] = intOf(int64(p.ID))
		var keys []value
		for _, t := range list {
			keys = append(keys, valueIn(values, t.Field))
		}
		return keys
	}
	for i := 1; i < len(records); i++ {
		if compareValueRows(keys(&records[i-1]), keys(&records[i]), list) >= 0 {
			return fmt.Errorf("by %q, at %d: %+v before %+v", by, i, records[i-1], records[i])
		}
	}
	return nil
}

// A ruin is a way in which f of an Update or a Modify does not come to its end.
var ruins = map[string]func() error{
	"error":  func() error { return errOwn },
	"panic":  func() error { panic(errOwn) },
	"goexit": func() error { runtime.Goexit(); return nil },
}

// ruined runs f in a goroutine that it may end.
func ruined(t *testing.T, f func() error) {
	t.Helper()
	within(t, "a ruined write", func() {
		err := caught(f)
		switch {
		case err == errOwn, err == panicked{errOwn}:
		default:
			t.Errorf("came back as %#v", err)
		}
	})
}

// TestRuinedWritesLeaveNothing: no record, no count, no id used up, no field.
func TestRuinedWritesLeaveNothing(t *testing.T) {
	for name, ruin := range ruins {
		t.Run("update/"+name, func(t *testing.T) {
			leavesNothing(t, func(c *catalogue.Collection[resources.Record]) error {
				return c.Batch(func(tx *catalogue.Tx[resources.Record]) error {
					for _, wire := range []string{`{"newMember":1}`, `{"id":50,"other":2}`} {
						if _, err := tx.Insert(mustRecord(wire)); err != nil {
							t.Error(err)
						}
					}
					if _, err := tx.Upsert(mustRecord(`{"id":1,"name":"changed"}`)); err != nil {
						t.Error(err)
					}
					if err := tx.Delete(2); err != nil {
						t.Error(err)
					}
					if err := tx.Update(3, func(r *resources.Record) error { *r = mustRecord(`{"id":3}`); return nil }); err != nil {
						t.Error(err)
					}
					return ruin()
				})
			})
		})
		t.Run("modify/"+name, func(t *testing.T) {
			leavesNothing(t, func(c *catalogue.Collection[resources.Record]) error {
				return c.Update(3, func(r *resources.Record) error {
					*r = mustRecord(`{"id":3,"newMember":1}`)
					return ruin()
				})
			})
		})
		t.Run("modify in update/"+name, func(t *testing.T) {
			leavesNothing(t, func(c *catalogue.Collection[resources.Record]) error {
				return c.Batch(func(tx *catalogue.Tx[resources.Record]) error {
					return tx.Update(3, func(r *resources.Record) error {
						if _, err := tx.Insert(mustRecord(`{"newMember":1}`)); err != nil {
							t.Error(err)
						}
						*r = mustRecord(`{"id":3,"other":1}`)
						return ruin()
					})
				})
			})
		})
	}
}

func leavesNothing(t *testing.T, write func(c *catalogue.Collection[resources.Record]) error) {
	c, err := catalogue.New().Records("books")
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	for _, wire := range []string{`{"name":"a"}`, `{"name":"b","x":1}`, `{"name":"c","y":[1]}`} {
		if _, err := c.Insert(mustRecord(wire)); err != nil {
			t.Fatal(err)
		}
	}
	state := func() []string {
		list := []string{fmt.Sprint(c.Count()), fmt.Sprint(c.Fields())}
		for _, by := range []string{"", "-name", "x,y"} {
			seq, err := c.Ordered(terms(by)...)
			if err != nil {
				t.Fatal(err)
			}
			for r := range seq {
				list = append(list, r.String())
			}
		}
		return list
	}
	before := state()
	for range 2 {
		ruined(t, func() error { return write(c) })
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	within(t, "the check afterwards", func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
	within(t, "the next write", func() {
		if id, err := c.Insert(mustRecord(`{"name":"d"}`)); id != 4 || err != nil {
			t.Errorf("next id %d, %v; want 4", id, err)
		}
	})
}

// TestTxOver: a transaction is of no use after its Update, however that ended.
func TestTxOver(t *testing.T) {
	for name, ruin := range map[string]func() error{"success": func() error { return nil }, "error": ruins["error"], "panic": ruins["panic"]} {
		c := accounts(t, 2)
		var kept *catalogue.Tx[account]
		_ = caught(func() error {
			return c.Batch(func(tx *catalogue.Tx[account]) error { kept = tx; return ruin() })
		})
		_, err1 := kept.Get(1)
		_, err2 := kept.Insert(account{})
		_, err3 := kept.Upsert(account{ID: 1})
		for i, err := range []error{err1, err2, err3, kept.Delete(1), kept.Update(1, func(*account) error { return nil })} {
			if !errors.Is(err, catalogue.ErrTxDone) {
				t.Errorf("%s: method %d gives %v, want ErrDone", name, i, err)
			}
		}
		if err := c.Check(); err != nil || c.Count() != 2 {
			t.Errorf("%s: count %d, %v", name, c.Count(), err)
		}
	}
}

// TestFailedStepsOfUpdate: a step that fails changes nothing, and the others
// stay if the Update goes on to its end.
func TestFailedStepsOfUpdate(t *testing.T) {
	c := accounts(t, 3)
	err := c.Batch(func(tx *catalogue.Tx[account]) error {
		if err := tx.Update(1, func(a *account) error { a.Amount = -1; return errOwn }); err != errOwn {
			t.Errorf("modify: %v", err)
		}
		if err := caught(func() error {
			return tx.Update(2, func(a *account) error { a.Amount = -1; panic(errOwn) })
		}); err != (panicked{errOwn}) {
			t.Errorf("modify: %v", err)
		}
		if err := tx.Update(3, func(a *account) error { a.ID = 30; return nil }); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("modify of the id: %v", err)
		}
		if _, err := tx.Insert(account{ID: 3}); !errors.Is(err, catalogue.ErrExists) {
			t.Errorf("insert: %v", err)
		}
		if err := tx.Update(3, func(a *account) error { a.Amount = 1; return tx.Delete(3) }); !errors.Is(err, catalogue.ErrInvalid) {
			t.Errorf("modify that deletes its record: %v", err)
		}
		_, err := tx.Insert(account{Amount: 4})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	for id, want := range map[int]int{1: 100, 2: 100, 4: 4} {
		if a, err := c.Get(id); err != nil || a.Amount != want {
			t.Errorf("record %d: %+v, %v; want amount %d", id, a, err, want)
		}
	}
}

// allReads uses every way to read, by orderings in use and by new ones.
func allReads(t *testing.T, c *catalogue.Collection[product], known, fresh string) {
	const n = 30
	s := c.Snapshot()
	for _, by := range []string{"", known, fresh, known + "," + fresh} {
		page, err1 := c.Page(whole, terms(by)...)
		view, err2 := c.View(whole, terms(by)...)
		ofSnapshot, err3 := s.Page(whole, terms(by)...)
		seq, err4 := c.Ordered(terms(by)...)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Error(err)
			return
		}
		if len(page.Records) != n || view.Len() != n || len(ofSnapshot.Records) != n || len(slices.Collect(seq)) != n {
			t.Errorf("by %q: not all %d records", by, n)
		}
		if _, err := view.JSON(3); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Get(3); err != nil {
		t.Error(err)
	}
	if all := slices.Collect(c.All()); c.Count() != n || len(all) != n {
		t.Errorf("count %d, all %d; want %d", c.Count(), len(all), n)
	}
	if diff := cmp.Diff(productFields, c.Fields()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if err := catalogue.CheckSnapshot(s); err != nil {
		t.Error(err)
	}
	fork := c.Clone()
	if _, err := fork.Insert(product{}); err != nil || fork.Count() != n+1 {
		t.Errorf("clone: count %d, %v", fork.Count(), err)
	}
	if err := fork.Check(); err != nil {
		t.Error(err)
	}
}

// TestReadersDoNotWait: reads of all kinds go on while an Update or a Modify
// stands still in the midst of its work, the first read since a write included.
func TestReadersDoNotWait(t *testing.T) {
	for name, block := range map[string]func(c *catalogue.Collection[product], wait func()) error{
		"update": func(c *catalogue.Collection[product], wait func()) error {
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
		"modify": func(c *catalogue.Collection[product], wait func()) error {
			return c.Update(3, func(p *product) error { p.Name = "new"; wait(); return nil })
		},
		"modify in update": func(c *catalogue.Collection[product], wait func()) error {
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
			if _, err := c.Page(whole, terms("name")...); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Upsert(product{ID: 5, Name: "just written, not read"}); err != nil {
				t.Fatal(err)
			}
			inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				done <- block(c, func() { close(inside); <-release })
			}()
			<-inside
			within(t, "a read", func() { allReads(t, c, "name", "rank") })
			within(t, "a second round of reads", func() { allReads(t, c, "name", "-words") })
			close(release)
			within(t, "the write", func() {
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCheckDoesNotWait: Check is no method that writes, so an Update in its
// midst is no reason to wait.
func TestCheckDoesNotWait(t *testing.T) {
	c := accounts(t, 3)
	inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- c.Batch(func(*catalogue.Tx[account]) error { close(inside); <-release; return nil })
	}()
	<-inside
	checked := make(chan error, 1)
	go func() { checked <- c.Check() }()
	select {
	case err := <-checked:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(hang / 4):
		t.Error("Check waits for an Update")
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// slowReader gives its text and then stands still until it is released.
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

// TestReadersDoNotWaitForLoad: nor does a Load from a slow source hold up reads,
// and nothing of it is seen before its end.
func TestReadersDoNotWaitForLoad(t *testing.T) {
	house := dataset(t)
	slow := &slowReader{text: strings.NewReader(`{"events":[]}`), inside: make(chan struct{}), release: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- house.Load(slow) }()
	<-slow.inside
	within(t, "a read", func() {
		for _, by := range []string{"", "slug", "-labels,name"} {
			page, err := house.Events().Page(whole, terms(by)...)
			if err != nil || page.Count != 90 || len(page.Records) != 90 {
				t.Errorf("by %q: %d of %d, %v", by, len(page.Records), page.Count, err)
			}
		}
		if err := house.Save(io.Discard); err != nil {
			t.Error(err)
		}
		if n := house.Clone().Events().Count(); n != 90 {
			t.Errorf("clone counts %d", n)
		}
	})
	close(slow.release)
	within(t, "the load", func() {
		if err := <-done; err != nil || house.Events().Count() != 0 {
			t.Errorf("count %d, %v", house.Events().Count(), err)
		}
	})
}

// TestLoadIsSeenWhole: readers see all records of one load or all of another.
func TestLoadIsSeenWhole(t *testing.T) {
	house := catalogue.New()
	checkAtEnd(t, house)
	books, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	load := func(n int) {
		var wires []string
		for id := 1; id <= n; id++ {
			wires = append(wires, fmt.Sprintf(`{"id":%d,"n":%d}`, id, n))
		}
		if err := house.LoadCollection("books", strings.NewReader("["+strings.Join(wires, ",")+"]")); err != nil {
			t.Error(err)
		}
	}
	load(10)
	read := func() {
		page, err := books.Page(whole, terms("-n")...)
		if err != nil || page.Count != len(page.Records) || page.Count != 10 && page.Count != 25 {
			t.Errorf("%d of %d, %v", len(page.Records), page.Count, err)
			return
		}
		for _, r := range page.Records {
			if n, _ := r.Get("n"); n != fmt.Sprint(page.Count) {
				t.Errorf("record %s among %d", r, page.Count)
			}
		}
	}
	during(func() {
		for i := range scaled(200) {
			load(10 + 15*(i%2))
		}
	}, read, read)
}
