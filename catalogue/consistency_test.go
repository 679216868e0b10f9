package catalogue_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

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

// heap returns the number of bytes in use after a garbage collection.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
