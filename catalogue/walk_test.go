package catalogue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type part struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Grade int    `json:"grade"`
}

// newParts returns parts of which each grade has 10.
func newParts(t *testing.T, n int) *catalogue.Collection[part] {
	t.Helper()
	parts := mustCollection[part](t, catalogue.Options{Name: "parts"})
	for i := range n {
		_, err := parts.Insert(part{Name: fmt.Sprint("part ", i), Grade: i / 10})
		must(t, err)
	}
	return parts
}

func TestPageAfter(t *testing.T) {
	parts := newParts(t, 30)
	snapshot := parts.Snapshot()
	of := parts.Where(ordering.AtLeast("grade", 1))
	first, token, err := of.PageAfter("", 2, ordering.Desc("grade"))
	if diff := cmp.Diff([]part{{30, "part 29", 2}, {29, "part 28", 2}}, first); diff != "" || err != nil {
		t.Errorf("the first page: %v (-want +got):\n%s", err, diff)
	}
	first[0].Name = "changed"
	if got, _ := parts.Get(30); got.Name != "part 29" {
		t.Error("the records are not copies")
	}
	must(t, parts.Delete(29))
	want := []part{{28, "part 27", 2}}
	for source, sel := range map[string]catalogue.Selection[part]{"collection": of, "snapshot": snapshot.Where(ordering.AtLeast("grade", 1))} {
		if next, _, err := sel.PageAfter(token, 1, ordering.Desc("grade")); cmp.Diff(want, next) != "" || err != nil {
			t.Errorf("of the %s: %v, %v", source, next, err)
		}
	}
	must(t, parts.Batch(func(tx *catalogue.Tx[part]) error {
		if err := tx.Delete(28); err != nil {
			return err
		}
		next, _, err := tx.Where(ordering.AtLeast("grade", 1)).PageAfter(token, 1, ordering.Desc("grade"))
		equal(t, "of a batch", []part{{27, "part 26", 2}}, next)
		return err
	}))
	all, end, err := of.PageAfter("", 0)
	if len(all) != 18 || end != "" || err != nil {
		t.Errorf("without a limit: %d records, %q, %v", len(all), end, err)
	}
	if list, next, err := of.PageAfter(token, 1); !errors.Is(err, catalogue.ErrInvalidToken) || list != nil || next != "" {
		t.Errorf("by another order: %v, %q, %v", list, next, err)
	}
	if _, _, err := of.PageAfter("", 1, ordering.Asc("weight")); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("by an unknown field: %v", err)
	}
}

// TestWalks walks through a collection by tokens and by offsets, for a moment or for the
// duration in BACKLIST_SOAK, beside a writer that inserts and deletes records as fast as it can.
// It checks that no walk by tokens misses or repeats one of the others. With -v it logs how many
// of those the walks by offsets did.
func TestWalks(t *testing.T) {
	const stay = 2000 // the records of even grades; the others come and go
	length, walkers := 200*time.Millisecond, 8
	if text := os.Getenv("BACKLIST_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("BACKLIST_SOAK: %v", err)
		}
		walkers = 64
	}
	parts := newParts(t, 2*stay)
	all := parts.Where()
	byTokens := func(size int, visit func(part)) {
		for token := ""; ; {
			page, next, err := all.PageAfter(token, size, ordering.Desc("grade"))
			if err != nil {
				t.Error(err)
			}
			for _, p := range page {
				visit(p)
			}
			if token = next; token == "" {
				return
			}
		}
	}
	byOffsets := func(size int, visit func(part)) {
		for w := (pagination.Window{Limit: size}); ; w.Offset += size {
			page, err := all.Page(w, ordering.Desc("grade"))
			if err != nil {
				t.Error(err)
			}
			for _, p := range page.Records {
				visit(p)
			}
			if w.Offset+size >= page.Count {
				return
			}
		}
	}
	var group, writing sync.WaitGroup
	var done atomic.Bool
	writes := 0
	writing.Go(func() {
		rng := rand.New(rand.NewPCG(1, 2))
		for ; !done.Load(); writes++ {
			id := 1 + rng.IntN(2*stay)
			grade := (id - 1) / 10
			if grade%2 == 0 {
				id, grade = id+10, grade+1
			}
			if parts.Delete(id) != nil {
				if _, err := parts.Insert(part{ID: id, Grade: grade}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	var faults, walks [2]atomic.Int64
	for i := range 2 * walkers {
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		group.Go(func() {
			kind := i % 2
			walk := []func(int, func(part)){byTokens, byOffsets}[kind]
			for !done.Load() {
				seen := map[int]int{}
				walk(10+rng.IntN(90), func(p part) {
					if p.Grade%2 == 0 {
						seen[p.ID]++
					}
				})
				wrong := stay - len(seen)
				for _, n := range seen {
					wrong += n - 1
				}
				faults[kind].Add(int64(wrong))
				walks[kind].Add(1)
			}
		})
	}
	time.Sleep(length)
	done.Store(true)
	group.Wait()
	writing.Wait()
	t.Logf("%d writes; %d walks by tokens missed or repeated %d records, %d walks by offsets %d",
		writes, walks[0].Load(), faults[0].Load(), walks[1].Load(), faults[1].Load())
	if faults[0].Load() != 0 || walks[0].Load() == 0 {
		t.Errorf("%d walks by tokens missed or repeated %d records", walks[0].Load(), faults[0].Load())
	}
}
