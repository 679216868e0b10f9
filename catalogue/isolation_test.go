package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
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

// hangTimeout is the time after which an operation that must not block counts as
// blocked. It does not measure speed.
const hangTimeout = time.Minute

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

// long reports whether BACKLIST_LONG is set, as in CI, and the tests are neither short nor under the race
// detector.
func long() bool { return os.Getenv("BACKLIST_LONG") != "" && !raceEnabled && !testing.Short() }

// scaled returns n in long tests, otherwise an eighth of it.
func scaled(n int) int {
	if !long() {
		n /= 8
	}
	return max(1, n)
}

// A hookRecord calls a function of the test from MarshalJSON.
type hookRecord struct {
	ID    int       `json:"id"`
	Value hookValue `json:"value"`
	N     int       `json:"n"`
}

type hookValue struct {
	N    int
	hook *func() // if nil or pointing to nil, there is none
}

func (v hookValue) Clone() hookValue { return v }

func (v hookValue) MarshalJSON() ([]byte, error) {
	if v.hook != nil && *v.hook != nil {
		(*v.hook)()
	}
	return json.Marshal(v.N)
}

// hookRecords returns a collection of records with the values 0, 1 and so on, and an index by them.
func hookRecords(t *testing.T, n int, hook *func()) *catalogue.Collection[hookRecord] {
	t.Helper()
	c := mustCollection[hookRecord](t, catalogue.Options{History: 100})
	for i := range n {
		must(t, second(c.Insert(hookRecord{Value: hookValue{i, hook}})))
	}
	must(t, second(c.Where().View(whole, ordering.Asc("value"))))
	return c
}

// TestReadersDoNotWait calls all methods that read, by an ordering that has an index and by others,
// while a write is in a callback of the program. No read waits for it, or sees anything of it.
func TestReadersDoNotWait(t *testing.T) {
	type collection = *catalogue.Collection[hookRecord]
	update := func(read *func()) func(*hookRecord) error {
		return func(r *hookRecord) error { r.N = 7; (*read)(); return nil }
	}
	for _, row := range []struct {
		reason string
		write  func(c collection, read *func()) error
	}{
		{"a batch", func(c collection, read *func()) error {
			return c.Batch(func(tx *catalogue.Tx[hookRecord]) error {
				must(t, tx.Delete(1), tx.Delete(2), second(tx.Insert(hookRecord{})))
				(*read)()
				return nil
			})
		}},
		{"an update", func(c collection, read *func()) error { return c.Update(3, update(read)) }},
		{"an update in a batch", func(c collection, read *func()) error {
			return c.Batch(func(tx *catalogue.Tx[hookRecord]) error { return errors.Join(tx.Delete(1), tx.Update(3, update(read))) })
		}},
		{"MarshalJSON of an inserted record", func(c collection, read *func()) error {
			return second(c.Insert(hookRecord{Value: hookValue{3, read}}))
		}},
		{"MarshalJSON of an updated record", func(c collection, read *func()) error {
			return c.Update(1, func(r *hookRecord) error { r.Value.hook = read; return nil })
		}},
		{"MarshalJSON of the records of a batch", func(c collection, read *func()) error {
			return c.Batch(func(tx *catalogue.Tx[hookRecord]) error {
				for range 20 {
					must(t, second(tx.Insert(hookRecord{Value: hookValue{3, read}})))
				}
				return nil
			})
		}},
		{"a sequence of records", func(c collection, read *func()) error {
			return c.ReplaceAll(func(yield func(hookRecord) bool) { (*read)(); yield(hookRecord{}) })
		}},
		{"the reader of a load", func(c collection, read *func()) error {
			return c.Load(readerFunc(func([]byte) (int, error) { (*read)(); return 0, errOwn }), catalogue.LoadOptions{})
		}},
		{"a journal", func(c collection, read *func()) error {
			return errors.Join(c.Journal(func([]catalogue.Commit) error { (*read)(); return nil }), c.Delete(1))
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			const n = 5
			c := hookRecords(t, n, nil)
			must(t, second(c.Upsert(hookRecord{ID: 5, N: 9}))) // not read yet
			calls := 0
			read := func() {
				calls++
				within(t, "a read", func() {
					for _, by := range []string{"", "value", "n", "-n"} {
						page, err1 := c.Page(whole, terms(by)...)
						view, err2 := c.Where().View(whole, terms(by)...)
						old, err3 := c.Snapshot().Page(whole, terms(by)...)
						seq, err4 := c.Clone().Where().All(terms(by)...)
						if err := errors.Join(err1, err2, err3, err4); err != nil {
							t.Error(err)
							return
						}
						equal(t, "records by "+by, []int{n, n, n, n},
							[]int{len(page.Records), view.Len(), len(old.Records), len(slices.Collect(seq))})
					}
					if r, err := c.Get(3); err != nil || r.N != 0 || c.Count() != n {
						t.Errorf("Get: %v, %v of %d records", r, err, c.Count())
					}
				})
			}
			within(t, "the write", func() {
				if err := row.write(c, &read); err != nil && !errors.Is(err, errOwn) {
					t.Error(err)
				}
			})
			if calls == 0 {
				t.Error("the callback was not called")
			}
			read = nil // for the check at the end
		})
	}
}

// A readerFunc is an io.Reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestSnapshotsAreReadOnly checks that no method writes to a snapshot. That snapshots do not change,
// and that their clones can be changed, is checked by TestModel.
func TestSnapshotsAreReadOnly(t *testing.T) {
	c := newShop(t)
	text := saved(t, c)
	snapshot := c.Snapshot()
	must(t, mustIn(coupons, c).Delete(1))
	for of, orders := range map[string]*catalogue.Collection[schema.Record]{
		"a catalogue": mustIn(orders, snapshot), "a collection": mustIn(orders, c).Snapshot(), "a snapshot": mustIn(orders, snapshot).Snapshot(),
	} {
		encoded := collectionOf(t, snapshot, "orders")
		none := func(*schema.Record) error { return nil }
		for method, err := range map[string]error{
			"Insert": second(orders.Insert(schema.Record{})), "Upsert": second(orders.Upsert(schema.Record{ID: 1})),
			"Update": orders.Update(1, none), "Delete": orders.Delete(1), "ReplaceAll": orders.ReplaceAll(nil),
			"Batch":          orders.Batch(func(*catalogue.Tx[schema.Record]) error { return nil }),
			"Load":           orders.Load(strings.NewReader("[]"), catalogue.LoadOptions{}),
			"Journal":        orders.Journal(nil),
			"Where.Update":   second(orders.Where().Update(none)),
			"Where.Delete":   second(orders.Where().Delete()),
			"Catalogue.Load": snapshot.Load(strings.NewReader("{}"), catalogue.LoadOptions{}),
			"Encoded.Load":   encoded.Load(strings.NewReader("[]"), catalogue.LoadOptions{}),
			"Encoded.Create": second(encoded.Create(t.Context(), []byte(`{"customer":1}`), schema.Record{})),
			"Encoded.Update": second(encoded.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{}`)})),
			"Encoded.Delete": encoded.Delete(t.Context(), "1", schema.Filter{}, nil),
		} {
			if !errors.Is(err, catalogue.ErrReadOnly) {
				t.Errorf("%s of a snapshot of %s: %v, want ErrReadOnly", method, of, err)
			}
		}
	}
	equal(t, "the snapshot", text, saved(t, snapshot))
	id, err := mustIn(orders, snapshot.Clone()).Insert(mustRecord(`{"customer":1}`))
	if id != 2 || err != nil {
		t.Errorf("an insertion into a clone of a snapshot: %d, %v", id, err)
	}
}

// TestPageReadsOneState checks that a page and the set of fields it may be ordered by
// come from the same state, while concurrent writes add and remove members.
func TestPageReadsOneState(t *testing.T) {
	cat := mustNew()
	checkAtEnd(t, cat)
	books := mustIn(resources.Records("books"), cat)
	// If ranked, all records have a rank that reverses the order by id. If not, none has.
	set := func(ranked bool) {
		must(t, books.Batch(func(tx *catalogue.Tx[schema.Record]) error {
			for id := 1; id <= 12; id++ {
				text := fmt.Sprintf(`{"id":%d}`, id)
				if ranked {
					text = fmt.Sprintf(`{"id":%d,"rank":%d}`, id, -id)
				}
				if _, err := tx.Upsert(mustRecord(text)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	set(false)
	encoded := collectionOf(t, cat, "books")
	var ranked atomic.Int64
	read := func() {
		list := mustHave(encoded.List(t.Context(), catalogue.Query{Window: whole, Terms: terms("rank,no_such")}))
		first, want := string(list.Records[0]), `{"id":1}`
		if strings.Contains(first, "rank") {
			want = `{"id":12,"rank":-12}`
			ranked.Add(1)
		}
		if first != want {
			t.Errorf("first record is %s, want %s", first, want)
		}
	}
	during(func() {
		for i := range scaled(2000) {
			set(i%2 == 0)
		}
	}, read, read)
	if ranked.Load() == 0 && long() {
		t.Error("no page was read from a state with ranks")
	}
}

// allocated returns the least number of bytes that three calls of f allocate, because goroutines of the
// runtime and of other tests allocate, too.
func allocated(f func()) (least uint64) {
	least = math.MaxUint64
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// heap returns the number of bytes in use after a garbage collection.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
