package cataloguetest

import (
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhere(t *testing.T) {
	asked := []string{ // one after the other
		"GET /api/books/",
		"HEAD /api/books/?offset=0",
		"GET /api/books/?limit=3&offset=3",
		"POST /api/books/",
		"GET /api/item_variants/?offset=3",
		"GET /api/",
		"GET /api/books/?offset=3&offset=0",
		"GET /api/books/?offset=+3",
	}
	tests := []struct {
		reason string
		where  Where
		met    []int // of the above, from 1
	}{
		{"everything", Where{}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{"a method", Where{Method: "POST"}, []int{4}},
		{"a path", Where{Path: "/api/"}, []int{6}},
		{"no such path", Where{Path: "/api"}, nil},
		{"a collection, with any method", Where{Collection: "books"}, []int{1, 2, 3, 4, 7, 8}},
		{"by its key", Where{Collection: "itemVariants"}, []int{5}},
		{"by its segment", Where{Collection: "item_variants"}, []int{5}},
		{"first pages, and no other requests", Where{Page: AtOffset(0)}, []int{1, 2, 7}},
		{"a page of any collection, however it is written", Where{Page: AtOffset(3)}, []int{3, 5, 8}},
		{"a page of one collection", Where{Collection: "books", Page: AtOffset(3)}, []int{3, 8}},
		{"no page asks for a path that is none", Where{Path: "/api/", Page: AtOffset(0)}, nil},
		{"the first", Where{Nth: 1}, []int{1}},
		{"the fifth", Where{Nth: 5}, []int{5}},
		{"never so many", Where{Nth: 9}, nil},
		{"the second of those that the rest agrees with", Where{Collection: "books", Method: "GET", Nth: 2}, []int{3}},
		{"behind two", Where{After: 2}, []int{3, 4, 5, 6, 7, 8}},
		{"the second behind two", Where{After: 2, Nth: 2}, []int{4}},
		{"all, as a share", Where{Share: 1}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			server, made := serveBroken(t, at(tt.where, Header("X-Met", "yes")))
			var met []int
			for i, request := range asked {
				method, path, _ := strings.Cut(request, " ")
				r, err := http.NewRequest(method, server.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := server.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.Header.Get("X-Met") != "" {
					met = append(met, i+1)
				}
			}
			if diff := cmp.Diff(tt.met, met); diff != "" {
				t.Errorf("met: %s", diff)
			}
			if n := made[0].Count(); n != len(tt.met) {
				t.Errorf("counts %d", n)
			}
		})
	}
}

func TestWhereShare(t *testing.T) {
	const n = 4000
	chosen := func(share float64, seed uint64) (numbers []int) {
		w := Where{Share: share, Seed: seed}
		for i := range n {
			if w.chooses(i + 1) {
				numbers = append(numbers, i+1)
			}
		}
		return numbers
	}
	for _, share := range []float64{0.01, 0.25, 0.5, 0.9} {
		for seed := range uint64(5) {
			got := float64(len(chosen(share, seed)))
			// Five standard deviations: chance is less than one in a million.
			if off := math.Abs(got - n*share); off > 5*math.Sqrt(n*share*(1-share)) {
				t.Errorf("share %v, seed %d: %v of %d", share, seed, got, n)
			}
		}
	}
	if cmp.Equal(chosen(0.5, 1), chosen(0.5, 2)) {
		t.Error("two seeds choose the same")
	}
	if !cmp.Equal(chosen(0.5, 3), chosen(0.5, 3)) {
		t.Error("one seed chooses twice otherwise")
	}
}

// What is chosen does not depend on the machine: SplitMix64 of seed 1234567 begins
// with these numbers (they are those of its authors' code), as parts of 2^64.
func TestWhereShareIsSplitMix64(t *testing.T) {
	numbers := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}
	for i, number := range numbers {
		part := float64(number) / math.MaxUint64
		above, below := Where{Share: part + 1e-9, Seed: 1234567}, Where{Share: part - 1e-9, Seed: 1234567}
		if !above.chooses(i+1) || below.chooses(i+1) {
			t.Errorf("number %d is not %d", i+1, number)
		}
	}
}

// However many ask at once, so many are met as would be one after the other.
func TestFaultsAtOnce(t *testing.T) {
	share := Where{Collection: "books", Share: 0.3, Seed: 9}
	server, made := serveBroken(t,
		at(Where{Nth: 40}, Header("X-Nth", "40")),
		at(share, Status(500, "")),
		at(Where{Page: AtOffset(3), After: 10}, MissingRow()),
		at(Where{Page: AtOffset(3)}, CountShrinks(1)),
		at(Where{Nth: 77}, Delay(time.Millisecond)),
	)
	client := server.Client()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				answer, err := client.Get(server.URL + "/api/books/?limit=3&offset=3")
				if err != nil {
					t.Error(err)
					return
				}
				answer.Body.Close()
			}
		})
	}
	all.Wait()
	chosen := 0
	for i := range 200 {
		if share.chooses(i + 1) {
			chosen++
		}
	}
	if made[0].Count() != 1 || made[1].Count() != chosen || made[4].Count() != 1 {
		t.Errorf("the 40th: %d, of a share of %d: %d, the 77th: %d", made[0].Count(), chosen, made[1].Count(), made[4].Count())
	}
	// Who met a status was no page to lie in.
	if n := made[3].Count(); n != 200-chosen {
		t.Errorf("%d lies about the count in %d pages", n, 200-chosen)
	}
}

func TestMend(t *testing.T) {
	server, made := serveBroken(t, at(Where{}, Status(500, "")), at(Where{}, Status(501, "")))
	status := func() int { return ask(t, server, "GET", "/api/").Status }
	if got := status(); got != 501 {
		t.Errorf("both: %d", got)
	}
	made[1].Mend()
	made[1].Mend()
	if got := status(); got != 500 {
		t.Errorf("one mended: %d", got)
	}
	made[0].of.mend()
	if got := status(); got != 200 {
		t.Errorf("all mended: %d", got)
	}
	if made[0].Count() != 2 || made[1].Count() != 1 {
		t.Errorf("counts %d and %d", made[0].Count(), made[1].Count())
	}
}

func TestWhatCannotBeBroken(t *testing.T) {
	tests := []struct {
		reason string
		where  Where
		fault  Fault
		names  string
	}{
		{"no fault", Where{}, Fault{}, "zero Fault"},
		{"no such status", Where{}, Status(99, ""), "99"},
		{"no end of a request", Where{}, Status(103, ""), "103"},
		{"four digits", Where{}, Status(1000, ""), "1000"},
		{"no header", Where{}, Header("", "x"), "Header"},
		{"a header that says how long the body is", Where{}, Header("content-length", "5"), "Content-Length"},
		{"a header that is no name", Where{}, Header("Retry After", "5"), "Retry After"},
		{"a header in another script", Where{}, Header("É", "5"), "É"},
		{"no bytes at once", Where{}, Slow(0, time.Second), "0 bytes"},
		{"bytes to be had back", Where{}, CutAfter(-1), "-1"},
		{"and here", Where{}, Truncate(-1), "-1"},
		{"no host", Where{}, NextHost(""), `""`},
		{"more than a host", Where{}, NextHost("a.example/b"), "a.example/b"},
		{"no scheme", Where{}, NextScheme(""), `""`},
		{"more than a scheme", Where{}, NextScheme("https://"), "https://"},
		{"a count that stays", Where{}, CountShrinks(0), "0"},
		{"no such collection", Where{Collection: "magazines"}, Cut(), "magazines"},
		{"no such page", Where{Page: AtOffset(-1)}, Cut(), "-1"},
		{"more than all", Where{Share: 1.1}, Cut(), "1.1"},
		{"less than none", Where{Share: -0.1}, Cut(), "-0.1"},
		{"no number", Where{Share: math.NaN()}, Cut(), "NaN"},
		{"before the first", Where{Nth: -1}, Cut(), "-1"},
		{"behind less than none", Where{After: -1}, Cut(), "-1"},
	}
	for _, tt := range tests {
		var f faults
		b, err := f.add(tt.where, tt.fault)
		if err == nil || b != nil || !strings.Contains(err.Error(), tt.names) {
			t.Errorf("%s: %v, want an error that names %s", tt.reason, err, tt.names)
		}
	}
}
