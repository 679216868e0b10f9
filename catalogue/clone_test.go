package catalogue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// A clone keeps the name, the default order and the highest id.
func TestClonePreservesOptions(t *testing.T) {
	c := products(t, 5, catalogue.Options{Name: "mine", Ordering: terms("-id")})
	must(t, c.Delete(5))
	clone := c.Clone()
	if err := clone.Delete(9); err == nil || !strings.HasPrefix(err.Error(), "mine: ") {
		t.Errorf("Delete: %v, want an error that begins with the name", err)
	}
	equal(t, "default order", []int{4, 3, 2, 1}, ids(t, clone, productID, nil))
	checkAtEnd(t, clone)
	for _, each := range []*catalogue.Collection[product]{c, clone} {
		if id, err := each.Insert(product{}); id != 6 || err != nil {
			t.Errorf("Insert() = %d, %v, want 6", id, err)
		}
	}
}

// Clone allocates no more for a catalogue with records than for an empty one.
func TestCloneAllocates(t *testing.T) {
	full := dataset(t)
	records := 0
	for _, c := range full.All() {
		records += c.Count()
	}
	empty := testing.AllocsPerRun(10, func() { mustNew().Clone() }) - testing.AllocsPerRun(10, func() { mustNew() })
	full.Clone() // the first call publishes a state
	if got := testing.AllocsPerRun(10, func() { full.Clone() }); got > empty || records < 100 {
		t.Errorf("Clone: %v allocations for %d records, want at most the %v for none", got, records, empty)
	}
}

// A snapshot is a collection that cannot be written to. Its clone can, whatever the original does
// meanwhile.
func TestSnapshotIsACollection(t *testing.T) {
	c := mustCollection[schema.Record](t, catalogue.Options{History: 10})
	for i := range 20 {
		r, err := schema.ParseRecord(fmt.Appendf(nil, `{"n": %d, "m%d": 1}`, 20-i, i))
		must(t, err)
		_, err = c.Insert(r)
		must(t, err)
	}
	snapshot := c.Snapshot()
	checkAtEnd(t, snapshot)
	var wg sync.WaitGroup
	wg.Go(func() {
		for id := 1; id <= 20; id++ {
			must(t, c.Update(id, func(r *schema.Record) error { *r, _ = r.With("other", id); return nil }))
		}
	})
	for range 20 {
		clone := snapshot.Clone()
		page, err := clone.Where().Page(pagination.Window{Limit: 2}, terms("n")...)
		if err != nil || page.Count != 20 || page.Records[0].ID != 20 {
			t.Errorf("page of a clone: %+v, %v", page, err)
		}
		must(t, clone.Delete(20))
		if _, err := clone.Where().Page(pagination.Window{}, terms("m19")...); err == nil {
			t.Error("a clone has a field of a record that was deleted")
		}
		must(t, clone.Check())
	}
	wg.Wait()
	must(t, c.ReplaceAll(nil))
	whole, err := snapshot.Page(pagination.Window{Limit: 1}, terms("-n")...)
	if err != nil || whole.Count != 20 || whole.Records[0].ID != 1 || snapshot.Count() != 20 || snapshot.Revision() != 20 {
		t.Errorf("page of the snapshot: %+v, revision %d, %v", whole, snapshot.Revision(), err)
	}
	changes, now, err := snapshot.Since(18)
	if err != nil || len(changes) != 2 || now != 20 {
		t.Errorf("Since(18) = %d changes, %d, %v", len(changes), now, err)
	}
	var saved strings.Builder
	must(t, snapshot.Save(&saved))
	writes := map[string]error{
		"Delete":     snapshot.Delete(1),
		"ReplaceAll": snapshot.ReplaceAll(nil),
		"Load":       snapshot.Load(strings.NewReader(saved.String()), catalogue.LoadOptions{}),
		"Batch":      snapshot.Batch(func(*catalogue.Tx[schema.Record]) error { return nil }),
		"Journal":    snapshot.Journal(nil),
		"Snapshot":   snapshot.Snapshot().Delete(1),
	}
	for name, err := range writes {
		if !errors.Is(err, catalogue.ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", name, err)
		}
	}
}
