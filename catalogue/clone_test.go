package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A clone keeps the name, the default order and the highest id.
func TestClonePreservesOptions(t *testing.T) {
	c := products(t, 5, catalogue.Options{Name: "mine", Ordering: terms("-id")})
	if err := c.Delete(5); err != nil {
		t.Fatal(err)
	}
	clone := c.Clone()
	if err := clone.Delete(9); err == nil || !strings.HasPrefix(err.Error(), "mine: ") {
		t.Errorf("Delete: %v, want an error that begins with the name", err)
	}
	if diff := cmp.Diff([]int{4, 3, 2, 1}, ids(t, clone, productID, nil)); diff != "" {
		t.Errorf("default order (-want +got):\n%s", diff)
	}
	checkAtEnd(t, clone)
	for _, each := range []*catalogue.Collection[product]{c, clone} {
		if id, err := each.Insert(product{}); id != 6 || err != nil {
			t.Errorf("Insert() = %d, %v, want 6", id, err)
		}
	}
}

// Several goroutines clone a collection while it is written to and read by new orderings.
// Each clone is complete and independent.
func TestConcurrentClones(t *testing.T) {
	c := products(t, 50, catalogue.Options{})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(9, uint64(g)))
			for i := range 40 {
				clone := c.Clone()
				by := terms(pick(rng, "name", "-live,rank", "tags,-id", "-extra", "price,words"))
				n := clone.Count()
				page, err := clone.Page(pagination.Window{Limit: 1000}, by...)
				if err != nil || page.Count != n || len(page.Records) != n {
					t.Errorf("Page of a clone: %d records, count %d, %v, want %d", len(page.Records), page.Count, err, n)
				}
				if _, err := clone.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if _, err := c.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if err := c.Update(1+rng.IntN(50), func(p *product) error { p.Name = fmt.Sprint(g, i); return nil }); err != nil {
					t.Error(err)
				}
				if second := clone.Clone(); clone.Count() != n+1 || second.Count() != n+1 {
					t.Errorf("clones have %d and %d records, want %d", clone.Count(), second.Count(), n+1)
				}
				if err := clone.Check(); err != nil {
					t.Errorf("clone: %v", err)
				}
			}
		})
	}
	group.Wait()
	if err := c.Check(); err != nil || c.Count() != 50+4*40 {
		t.Errorf("Count() = %d, %v, want %d", c.Count(), err, 50+4*40)
	}
}

// Each clone of open records has its own fields, whichever of the copies is written to
// first.
func TestFieldsOfClones(t *testing.T) {
	cat := mustNew()
	load := func(c *catalogue.Catalogue, records string) {
		t.Helper()
		if err := c.Load(strings.NewReader(`{"books":`+records+`}`), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	load(cat, `[{"id":1,"a":1},{"id":2,"a":1,"b":1}]`)
	first, second := cat.Clone(), cat.Clone()
	grandchild := second.Clone()
	books := func(c *catalogue.Catalogue) *catalogue.Collection[schema.Record] {
		open, err := resources.Records("books").In(c)
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if err := books(cat).Delete(2); err != nil {
		t.Fatal(err)
	}
	record, err := schema.ParseRecord([]byte(`{"id":3,"c":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := books(first).Insert(record); err != nil {
		t.Fatal(err)
	}
	err = books(second).Batch(func(tx *catalogue.Tx[schema.Record]) error { return tx.Delete(1) })
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason string
		c      *catalogue.Catalogue
		want   []string
	}{
		{"the only record with b was deleted", cat, []string{"a", "id"}},
		{"a record with c was inserted", first, []string{"a", "b", "c", "id"}},
		{"one of two records with a was deleted", second, []string{"a", "b", "id"}},
		{"a clone of a clone without writes", grandchild, []string{"a", "b", "id"}},
	} {
		if diff := cmp.Diff(row.want, catalogue.FieldNames(books(row.c))); diff != "" {
			t.Errorf("%s: Fields (-want +got):\n%s", row.reason, diff)
		}
		if err := row.c.Check(); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
	}
}

// Clones of a collection, and clones of them, are written to concurrently while the
// original is read.
func TestConcurrentWritesToClones(t *testing.T) {
	c := products(t, 200, catalogue.Options{})
	want := ids(t, c, productID, terms("-name"))
	var group sync.WaitGroup
	for g := range 4 {
		clone := c.Clone()
		group.Go(func() {
			rng := rand.New(rand.NewPCG(4, uint64(g)))
			for range 30 {
				child := clone.Clone()
				grandchild := child.Clone()
				if _, err := child.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if err := grandchild.Batch(func(tx *catalogue.Tx[product]) error { return tx.Delete(1 + rng.IntN(200)) }); err != nil {
					t.Error(err)
				}
				if clone.Count() != 200 || child.Count() != 201 || grandchild.Count() != 199 {
					t.Errorf("%d, %d and %d records, want 200, 201 and 199", clone.Count(), child.Count(), grandchild.Count())
				}
				for _, each := range []*catalogue.Collection[product]{clone, child, grandchild} {
					if err := each.Check(); err != nil {
						t.Error(err)
					}
				}
				if _, err := c.Page(pagination.Window{Limit: 1000}); err != nil {
					t.Error(err)
				}
			}
			if err := clone.Delete(1); err != nil {
				t.Error(err)
			}
			checkAtEnd(t, clone)
		})
	}
	group.Wait()
	if diff := cmp.Diff(want, ids(t, c, productID, terms("-name"))); diff != "" {
		t.Errorf("the original contains a clone's write (-want +got):\n%s", diff)
	}
	checkAtEnd(t, c)
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
