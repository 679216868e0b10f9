package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A searched is a record of the tests of searches, with text, numbers and times.
type searched struct {
	ID      int       `json:"id"`
	Name    string    `json:"name" backlist:"blank"`
	Note    *string   `json:"note"`
	Number  int       `json:"number"`
	Price   string    `json:"price" backlist:"decimal=6.2"`
	At      time.Time `json:"at"`
	Secret  string    `json:"secret" backlist:"hidden,blank"`
	Folded  string    `json:"folded" backlist:"fold,blank"`
	Friends []int     `json:"friends" backlist:"refers=records"`
}

// spelledAny returns a text of letters of which some have another length in upper case, or no other
// case.
func spelledAny(r *rand.Rand, most int) string {
	letters := []string{"a", "b", "A", "B", "ß", "ẞ", "ı", "i", "I", "ſ", "s", "\u212a", "k", "ǆ", "ⱥ", "Ⱥ", "é", "É", "日", "\x00", "\ufffd", " ", "0", "7", "."}
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func newSearched(r *rand.Rand, id int) searched {
	s := searched{ID: id, Name: spelledAny(r, 8), Number: r.IntN(1000), Price: fmt.Sprintf("%d.%02d", r.IntN(99), r.IntN(100)), Secret: spelledAny(r, 4), Folded: spelledAny(r, 4)}
	s.At = time.Date(2000+r.IntN(30), 1, 1+r.IntN(300), r.IntN(24), 0, 0, 0, time.UTC)
	if r.IntN(3) > 0 {
		note := spelledAny(r, 8)
		s.Note = &note
	}
	for range r.IntN(3) {
		s.Friends = append(s.Friends, 1+r.IntN(9))
	}
	return s
}

// randomTests returns tests of texts, in any letters and in the same.
func randomTests(r *rand.Rand, n int) (tests []schema.Test) {
	for range n {
		t := schema.Test{Field: []string{"name", "note", "number", "price", "at", "secret", "folded", "friends", "id"}[r.IntN(9)]}
		t.Lookup = []string{"icontains", "icontains", "icontains", "istartswith", "iendswith", "iexact", "contains", "startswith", "endswith"}[r.IntN(9)]
		t.Values = []string{spelledAny(r, 2)}
		if r.IntN(9) == 0 {
			t.Values[0] += "\xff" // no text has it
		}
		if r.IntN(8) == 0 {
			t.Values = append(t.Values, spelledAny(r, 1))
		}
		if t.Lookup == "startswith" { // of texts only, and of one value
			t.Field, t.Values = []string{"name", "note", "folded"}[r.IntN(3)], t.Values[:1]
		}
		if r.IntN(8) == 0 {
			t.Lookup, t.Values = "isnull", []string{"true"}
		}
		tests = append(tests, t)
	}
	return tests
}

// recordByRecord returns the filter with functions, which are called with the text of each record.
func recordByRecord(f schema.Filter) schema.Filter {
	each := func(tests []schema.Test) []schema.Test {
		tests = slices.Clone(tests)
		for i, t := range tests {
			if t.Lookup != "isnull" && t.Field != "friends" {
				tests[i].Match = t.MatchesText
			}
		}
		return tests
	}
	f.Tests, f.Search = each(f.Tests), slices.Clone(f.Search)
	for i := range f.Search {
		f.Search[i] = each(f.Search[i])
	}
	return f
}

// TestSearchInTexts compares searches, which read the texts beside the index, with the same tests of each
// record, between random writes, in a snapshot and in a clone, of structs and of open records.
func TestSearchInTexts(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		def := catalogue.Define[searched]("records", catalogue.Options{})
		cat := mustHave(catalogue.New(def))
		records := mustIn(def, cat)
		n := []int{40, 700}[seed]
		for id := 1; id <= n; id++ {
			must(t, second(records.Insert(newSearched(r, id))))
		}
		compare := func(what string, c catalogue.AnyCollection) {
			t.Helper()
			q := catalogue.Query{Window: pagination.Window{Limit: 5, Offset: r.IntN(9)}}
			q.Filter.Tests = randomTests(r, r.IntN(2))
			for range r.IntN(3) {
				q.Filter.Search = append(q.Filter.Search, randomTests(r, 1+r.IntN(2)))
			}
			if r.IntN(2) == 0 {
				q.Terms = []ordering.Term{{Field: []string{"name", "number", "id"}[r.IntN(3)], Desc: r.IntN(2) == 0}}
			}
			got, err := c.List(t.Context(), q)
			plain := q
			plain.Filter = recordByRecord(q.Filter)
			want, err2 := c.List(t.Context(), plain)
			if fmt.Sprint(err) != fmt.Sprint(err2) || got.Count != want.Count || !slices.EqualFunc(got.Records, want.Records, func(a, b []byte) bool { return string(a) == string(b) }) {
				t.Fatalf("%s: %q %q by %v: %d %s %v, want %d %s %v", what, q.Filter.Tests, q.Filter.Search, q.Terms, got.Count, got.Records, err, want.Count, want.Records, err2)
			}
			groups := [][]schema.Test{randomTests(r, 1), nil}
			counts, err := c.Counts(t.Context(), q.Filter, groups)
			equal(t, fmt.Sprint(what, " Counts: ", err), want.Count, append(counts, -1, want.Count)[len(counts)/2])
		}
		for range 60 {
			snapshot, clone := cat.Snapshot(), cat.Clone()
			for range r.IntN(1 + n/8) {
				if id := 1 + r.IntN(n); r.IntN(4) == 0 {
					_ = records.Delete(id)
				} else {
					must(t, second(records.Upsert(newSearched(r, id))))
				}
			}
			for range 4 {
				compare("the catalogue", collectionOf(t, cat, "records"))
				compare("a snapshot", collectionOf(t, snapshot, "records"))
				compare("a clone", collectionOf(t, clone, "records"))
			}
		}
	}
}
