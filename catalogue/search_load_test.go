package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// TestSearchBesidePages reads pages that arrive at a fixed rate, alone and beside 20 searches for four letters a
// second in 1,000,000 records, in turn, and logs how many are answered and how long they take after
// they arrived. It runs if BACKLIST_LARGE is set, because it measures times, and asserts none.
func TestSearchBesidePages(t *testing.T) {
	if os.Getenv("BACKLIST_LARGE") == "" {
		t.Skip("BACKLIST_LARGE is not set")
	}
	const n, rate, searches, seconds = 1_000_000, 5000, 20, 4
	def := catalogue.Define[person]("people", catalogue.Options{})
	cat, err := catalogue.New(def)
	must(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	must(t, mustIn(def, cat).ReplaceAll(func(yield func(person) bool) {
		for id := 1; id <= n && yield(person{id, spelled(r, 24), ""}); id++ {
		}
	}))
	c := collectionOf(t, cat, "people")
	search := func(word string) {
		q := catalogue.Query{Window: pagination.Window{Limit: benchLimit}}
		q.Filter.Search = [][]schema.Test{{{Field: "name", Lookup: "icontains", Values: []string{word}}}}
		must(t, second(c.List(t.Context(), q)))
	}
	search("none")
	// arrive calls f at a rate, each time in a goroutine of its own, and returns how long each took after it arrived.
	arrive := func(rate int, f func(i int)) []time.Duration {
		took := make([]time.Duration, rate*seconds)
		var calls sync.WaitGroup
		begin := time.Now()
		for i := range took {
			at := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
			time.Sleep(time.Until(at))
			calls.Go(func() { f(i); took[i] = time.Since(at) })
		}
		calls.Wait()
		slices.Sort(took)
		return took
	}
	for round := range 3 {
		for _, beside := range []bool{false, true} {
			var all sync.WaitGroup
			var found []time.Duration
			if beside {
				all.Go(func() { found = arrive(searches, func(i int) { search(fmt.Sprint(spelledOf(uint64(round), i))) }) })
			}
			begin := time.Now()
			pages := arrive(rate, func(i int) {
				must(t, second(c.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: benchLimit, Offset: i * 7919 % n}})))
			})
			perSecond := float64(len(pages)) / time.Since(begin).Seconds()
			all.Wait()
			t.Logf("beside searches %v: %.0f pages a second, p50 %v, p99 %v", beside, perSecond, pages[len(pages)/2], pages[len(pages)*99/100])
			if beside {
				t.Logf("searches: p50 %v, p99 %v", found[len(found)/2], found[len(found)*99/100])
			}
		}
	}
}

// spelledOf returns four letters for a round and a number.
func spelledOf(round uint64, i int) string {
	return spelled(rand.New(rand.NewPCG(round, uint64(i))), 4)
}
