package catalogue_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// writeAuthorThenEvent inserts n authors, and after each of them an event that refers
// to it.
func writeAuthorThenEvent(t *testing.T, cat *catalogue.Catalogue, n int) {
	authors := mustIn(resources.Records("authors"), cat)
	for range n {
		author, err1 := authors.Insert(schema.Record{})
		_, err2 := mustIn(resources.Events, cat).Insert(resources.Event{Authors: []int{author}})
		must(t, err1, err2)
	}
}

// checkAuthors checks that a saved catalogue has the authors of all its events.
func checkAuthors(t *testing.T, what, text string) {
	t.Helper()
	var cat struct {
		Authors []struct{ ID int }
		Events  []struct{ Authors []int }
	}
	must(t, json.Unmarshal([]byte(text), &cat))
	exists := map[int]bool{}
	for _, a := range cat.Authors {
		exists[a.ID] = true
	}
	for _, e := range cat.Events {
		if !exists[e.Authors[0]] {
			t.Errorf("%s: an event refers to author %d, but there are only %d authors", what, e.Authors[0], len(cat.Authors))
			return
		}
	}
}

// TestNoTornSave checks that Save and Clone see all collections at one instant. A file lists
// authors before events, so a later look at events finds some whose author is missing.
func TestNoTornSave(t *testing.T) {
	cat := mustNew()
	checkAtEnd(t, cat)
	save := func() { checkAuthors(t, "Save", saved(t, cat)) }
	clone := func() {
		c := cat.Clone()
		checkAuthors(t, "Clone", saved(t, c))
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
	during(func() { writeAuthorThenEvent(t, cat, scaled(3000)) }, save, clone)
}

// TestNoTornLoad checks that Load replaces all collections of a file at one instant.
func TestNoTornLoad(t *testing.T) {
	cat := mustNew()
	checkAtEnd(t, cat)
	file := func(ids int) string {
		var list []string
		for id := range ids {
			list = append(list, fmt.Sprintf(`{"id":%d}`, id+1))
		}
		text := strings.Join(list, ",")
		return `{"authors":[` + text + `],"books":[` + text + `],"faqs":[` + text + `]}`
	}
	read := func() {
		c := cat.Clone()
		counts := map[string]int{}
		for _, key := range []string{"authors", "books", "faqs"} {
			encoded := collectionOf(t, c, key)
			counts[key] = encoded.Count()
		}
		if counts["authors"] != counts["books"] || counts["books"] != counts["faqs"] {
			t.Errorf("counts %v, want the same count for all collections", counts)
		}
	}
	during(func() {
		for i := range scaled(400) {
			must(t, cat.Load(strings.NewReader(file(1+i%7)), catalogue.LoadOptions{}))
		}
	}, read, read)
}

// TestPageReadsOneState checks that a page and the set of fields it may be ordered by
// come from the same state, while concurrent writes add and remove members.
func TestPageReadsOneState(t *testing.T) {
	cat := mustNew()
	checkAtEnd(t, cat)
	books := mustIn(resources.Records("books"), cat)
	record := func(text string) schema.Record {
		r, err := schema.ParseRecord([]byte(text))
		must(t, err)
		return r
	}
	// If ranked, all records have a rank that reverses the order by id. If not, none has.
	set := func(ranked bool) {
		must(t, books.Batch(func(tx *catalogue.Tx[schema.Record]) error {
			for id := 1; id <= 12; id++ {
				text := fmt.Sprintf(`{"id":%d}`, id)
				if ranked {
					text = fmt.Sprintf(`{"id":%d,"rank":%d}`, id, -id)
				}
				if _, err := tx.Upsert(record(text)); err != nil {
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
		list, err := encoded.List(t.Context(), catalogue.Query{Window: whole, Terms: terms("rank,no_such")})
		must(t, err)
		first, want, by := string(list.Records[0]), `{"id":1}`, ""
		if strings.Contains(first, "rank") {
			want, by = `{"id":12,"rank":-12}`, "rank"
			ranked.Add(1)
		}
		if first != want || ordering.Format(list.Terms) != by {
			t.Errorf("first record is %s, ordered by %q, want %s and %q", first, ordering.Format(list.Terms), want, by)
		}
	}
	during(func() {
		for i := range scaled(2000) {
			set(i%2 == 0)
		}
	}, read, read)
	if ranked.Load() == 0 && !testing.Short() {
		t.Error("no page was read from a state with ranks")
	}
}

// TestOrderingByLongText checks that keys too large for an index are not kept, and that
// collections and snapshots are still ordered by them.
func TestOrderingByLongText(t *testing.T) {
	c := mustCollection[product](t, catalogue.Options{})
	body := strings.Repeat("x", 20_000)
	const n = 300
	for i := range n {
		text := body + fmt.Sprint(i*7%n+1000)
		_, err := c.Insert(product{Live: i%2 == 0, Name: text, Note: &text})
		must(t, err)
	}
	orders := []string{"live,name", "-live,note,-id", "note", "-name,live"}
	want := map[string][]int{}
	for _, by := range orders {
		want[by] = ids(t, c, productID, terms(by))
	}
	old := c.Snapshot()
	before := heap()
	for range 3 {
		for _, by := range orders {
			equal(t, "by "+by, want[by], ids(t, old, productID, terms(by)))
		}
		_, err := c.Upsert(product{ID: 1, Name: body})
		must(t, err)
	}
	if kept := (heap() - before) / n; kept > 700 {
		t.Errorf("orderings of long texts keep %d bytes for each record, want at most 700", kept)
	}
	for _, by := range orders {
		if len(want[by]) != n {
			t.Fatalf("by %s: %d ids", by, len(want[by]))
		}
	}
}

// heap returns the number of bytes in use after a garbage collection.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
