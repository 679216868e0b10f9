package catalogue_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
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
