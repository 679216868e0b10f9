package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestClonesDiverge writes to both sides of a fork, in orderings old and new.
func TestClonesDiverge(t *testing.T) {
	house := dataset(t)
	before := ids(t, house.Events(), eventID, terms("-slug"))
	fork := house.Clone()
	if id, err := fork.Events().Insert(resources.Event{Name: "fork", Slug: "zzz"}); err != nil || fork.Events().Count() != len(before)+1 {
		t.Fatalf("insert: %d, %v", id, err)
	}
	if diff := cmp.Diff(before, ids(t, house.Events(), eventID, terms("-slug"))); diff != "" {
		t.Errorf("the original saw the fork's insert:\n%s", diff)
	}
	if err := house.Events().Delete(before[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := fork.Events().Get(before[0]); err != nil {
		t.Errorf("the fork saw the original's delete: %v", err)
	}
	for _, c := range []*catalogue.Catalogue{house, fork} {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestCloneKeepsWhatItIs: name, default order, highest id.
func TestCloneKeepsWhatItIs(t *testing.T) {
	c := products(t, 5, catalogue.Options{Name: "mine", Ordering: terms("-id")})
	if err := c.Delete(5); err != nil {
		t.Fatal(err)
	}
	fork := c.Clone()
	if fork.Name() != "mine" {
		t.Errorf("name %q", fork.Name())
	}
	if diff := cmp.Diff([]int{4, 3, 2, 1}, ids(t, fork, productType.id, nil)); diff != "" {
		t.Errorf("default order (-want +got):\n%s", diff)
	}
	checkAtEnd(t, fork)
	for _, each := range []*catalogue.Collection[product]{c, fork} {
		if id, err := each.Insert(product{}); id != 6 || err != nil {
			t.Errorf("insert: %d, %v; want 6", id, err)
		}
	}
}

// TestConcurrentClones forks one collection from many goroutines while it is
// written to and read by new orderings. Each clone is whole and its own.
func TestConcurrentClones(t *testing.T) {
	c := products(t, 50, catalogue.Options{})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(9, uint64(g)))
			for i := range 40 {
				fork := c.Clone()
				by := terms(pick(rng, "name", "-live,rank", "tags,-id", "-extra", "price,words"))
				n := fork.Count()
				page, err := fork.Page(pagination.Window{Limit: 1000}, by...)
				if err != nil || page.Count != n || len(page.Records) != n {
					t.Errorf("clone: %d of %d records, count %d, %v", len(page.Records), n, page.Count, err)
				}
				if _, err := fork.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if _, err := c.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if err := c.Update(1+rng.IntN(50), func(p *product) error { p.Name = fmt.Sprint(g, i); return nil }); err != nil {
					t.Error(err)
				}
				if second := fork.Clone(); fork.Count() != n+1 || second.Count() != n+1 {
					t.Errorf("clones count %d and %d, want %d", fork.Count(), second.Count(), n+1)
				}
				if err := fork.Check(); err != nil {
					t.Errorf("clone: %v", err)
				}
			}
		})
	}
	group.Wait()
	if err := c.Check(); err != nil || c.Count() != 50+4*40 {
		t.Errorf("count %d, %v", c.Count(), err)
	}
}

// TestConcurrentHouseClones forks a whole house while events are posted.
func TestConcurrentHouseClones(t *testing.T) {
	house := dataset(t)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 10 {
				fork := house.Clone()
				if _, err := house.Events().Insert(resources.Event{Name: "n"}); err != nil {
					t.Error(err)
				}
				n := fork.Events().Count()
				if _, err := fork.Events().Insert(resources.Event{Name: "n"}); err != nil || fork.Events().Count() != n+1 {
					t.Errorf("clone counts %d, %v; want %d", fork.Events().Count(), err, n+1)
				}
			}
		})
	}
	group.Wait()
	if err := house.Check(); err != nil || house.Events().Count() != 90+30 {
		t.Errorf("count %d, %v", house.Events().Count(), err)
	}
}

// TestClonesCountMembersApart: which members open records have is counted by each
// fork for itself, also when the first write after a fork is the original's.
func TestClonesCountMembersApart(t *testing.T) {
	house := catalogue.New()
	load := func(c *catalogue.Catalogue, records string) {
		t.Helper()
		if err := c.LoadCollection("books", strings.NewReader(records)); err != nil {
			t.Fatal(err)
		}
	}
	load(house, `[{"id":1,"a":1},{"id":2,"a":1,"b":1}]`)
	first, second := house.Clone(), house.Clone()
	grandchild := second.Clone()
	books := func(c *catalogue.Catalogue) *catalogue.Collection[resources.Record] {
		open, err := c.Records("books")
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if err := books(house).Delete(2); err != nil {
		t.Fatal(err)
	}
	record, err := resources.ParseRecord([]byte(`{"id":3,"c":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := books(first).Insert(record); err != nil {
		t.Fatal(err)
	}
	err = books(second).Batch(func(tx *catalogue.Tx[resources.Record]) error { return tx.Delete(1) })
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason string
		c      *catalogue.Catalogue
		want   []string
	}{
		{"b went with its only record", house, []string{"a", "id"}},
		{"c came, and b is there still", first, []string{"a", "b", "c", "id"}},
		{"a is in the other record too", second, []string{"a", "b", "id"}},
		{"nobody wrote to the fork of a fork", grandchild, []string{"a", "b", "id"}},
	} {
		if diff := cmp.Diff(row.want, books(row.c).Fields()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if err := row.c.Check(); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
	}
}

// TestClonesWriteAtOnce: forks of one collection that nobody writes to, and forks of
// forks, make trees of their own at once, while the original is read.
func TestClonesWriteAtOnce(t *testing.T) {
	c := products(t, 200, catalogue.Options{})
	want := ids(t, c, productType.id, terms("-name"))
	var group sync.WaitGroup
	for g := range 4 {
		fork := c.Clone()
		group.Go(func() {
			rng := rand.New(rand.NewPCG(4, uint64(g)))
			for range 30 {
				child := fork.Clone()
				grandchild := child.Clone()
				if _, err := child.Insert(randomProduct(rng)); err != nil {
					t.Error(err)
				}
				if err := grandchild.Batch(func(tx *catalogue.Tx[product]) error { return tx.Delete(1 + rng.IntN(200)) }); err != nil {
					t.Error(err)
				}
				if fork.Count() != 200 || child.Count() != 201 || grandchild.Count() != 199 {
					t.Errorf("counts %d, %d, %d", fork.Count(), child.Count(), grandchild.Count())
				}
				for _, each := range []*catalogue.Collection[product]{fork, child, grandchild} {
					if err := each.Check(); err != nil {
						t.Error(err)
					}
				}
				if _, err := c.Page(pagination.Window{Limit: 1000}); err != nil {
					t.Error(err)
				}
			}
			if err := fork.Delete(1); err != nil {
				t.Error(err)
			}
			checkAtEnd(t, fork)
		})
	}
	group.Wait()
	if diff := cmp.Diff(want, ids(t, c, productType.id, terms("-name"))); diff != "" {
		t.Errorf("the original saw what a fork wrote (-want +got):\n%s", diff)
	}
	checkAtEnd(t, c)
}

// TestCloneCostsNoRecords: a fork of a full house takes as many allocations as one
// of an empty house.
func TestCloneCostsNoRecords(t *testing.T) {
	full := dataset(t)
	records := 0
	for _, c := range full.All() {
		records += c.Count()
	}
	empty := testing.AllocsPerRun(10, func() { catalogue.New().Clone() }) - testing.AllocsPerRun(10, func() { catalogue.New() })
	full.Clone() // publishes what is forked
	if got := testing.AllocsPerRun(10, func() { full.Clone() }); got > empty || records < 100 {
		t.Errorf("%v allocations for %d records, %v for none", got, records, empty)
	}
}
