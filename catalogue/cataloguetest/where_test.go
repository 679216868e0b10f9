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
	requests := []string{
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
		want   []int // numbers of the requests, from 1
	}{
		{"zero Where", Where{}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{"method", Where{Method: "POST"}, []int{4}},
		{"path", Where{Path: "/api/"}, []int{6}},
		{"unknown path", Where{Path: "/login"}, nil},
		{"pattern with a wildcard", Where{Path: "/api/{collection}/"}, []int{1, 2, 3, 4, 5, 7, 8}},
		{"pattern of the exact path", Where{Path: "/api/{$}"}, []int{6}},
		{"pattern with all that follows", Where{Path: "/{rest...}"}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{"pattern and method", Where{Path: "/api/{collection}/{$}", Method: "POST"}, []int{4}},
		{"pattern without the last slash, which the mux would redirect", Where{Path: "/{root}/books/{id}/"}, nil},
		{"collection, any method", Where{Collection: "books"}, []int{1, 2, 3, 4, 7, 8}},
		{"collection by key", Where{Collection: "itemVariants"}, []int{5}},
		{"collection by segment", Where{Collection: "item_variants"}, []int{5}},
		{"first pages", Where{Page: AtOffset(0)}, []int{1, 2, 7}},
		{"second pages of any collection", Where{Page: AtOffset(3)}, []int{3, 5, 8}},
		{"second pages of one collection", Where{Collection: "books", Page: AtOffset(3)}, []int{3, 8}},
		{"page and a path that is not of a collection", Where{Path: "/api/", Page: AtOffset(0)}, nil},
		{"first request", Where{Nth: 1}, []int{1}},
		{"fifth request", Where{Nth: 5}, []int{5}},
		{"more requests than there are", Where{Nth: 9}, nil},
		{"second matching request", Where{Collection: "books", Method: "GET", Nth: 2}, []int{3}},
		{"all but two", Where{After: 2}, []int{3, 4, 5, 6, 7, 8}},
		{"second after two", Where{After: 2, Nth: 2}, []int{4}},
		{"share of 1", Where{Share: 1}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			server, breakages := serveFaults(t, at(tt.where, Header("X-Selected", "yes")))
			var selected []int
			for i, request := range requests {
				method, path, _ := strings.Cut(request, " ")
				r, err := http.NewRequest(method, server.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := server.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.Header.Get("X-Selected") != "" {
					selected = append(selected, i+1)
				}
			}
			if diff := cmp.Diff(tt.want, selected); diff != "" {
				t.Errorf("selected requests (-want +got):\n%s", diff)
			}
			if n := breakages[0].Count(); n != len(tt.want) {
				t.Errorf("Count() = %d, want %d", n, len(tt.want))
			}
		})
	}
}

func TestWhereShare(t *testing.T) {
	const n = 4000
	selected := func(share float64, seed uint64) (numbers []int) {
		w := Where{Share: share, Seed: seed}
		for i := range n {
			if w.inShare(i + 1) {
				numbers = append(numbers, i+1)
			}
		}
		return numbers
	}
	for _, share := range []float64{0.01, 0.25, 0.5, 0.9} {
		for seed := range uint64(5) {
			got := float64(len(selected(share, seed)))
			// Five standard deviations, a chance of less than one in a million.
			if off := math.Abs(got - n*share); off > 5*math.Sqrt(n*share*(1-share)) {
				t.Errorf("share %v with seed %d selected %v of %d requests", share, seed, got, n)
			}
		}
	}
	if cmp.Equal(selected(0.5, 1), selected(0.5, 2)) {
		t.Error("two seeds select the same requests")
	}
	if !cmp.Equal(selected(0.5, 3), selected(0.5, 3)) {
		t.Error("one seed selects different requests")
	}
}

// TestWhereShareIsSplitMix64 uses the first numbers that the reference implementation of
// SplitMix64 returns for the seed 1234567.
func TestWhereShareIsSplitMix64(t *testing.T) {
	numbers := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}
	for i, number := range numbers {
		share := float64(number) / math.MaxUint64
		above, below := Where{Share: share + 1e-9, Seed: 1234567}, Where{Share: share - 1e-9, Seed: 1234567}
		if !above.inShare(i+1) || below.inShare(i+1) {
			t.Errorf("number %d of SplitMix64 is not %d", i+1, number)
		}
	}
}

// TestFaultsConcurrentRequests checks that as many concurrent requests are selected as
// sequential ones.
func TestFaultsConcurrentRequests(t *testing.T) {
	share := Where{Collection: "books", Share: 0.3, Seed: 9}
	server, breakages := serveFaults(t,
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
				resp, err := client.Get(server.URL + "/api/books/?limit=3&offset=3")
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	selected := 0
	for i := range 200 {
		if share.inShare(i + 1) {
			selected++
		}
	}
	if breakages[0].Count() != 1 || breakages[1].Count() != selected || breakages[4].Count() != 1 {
		t.Errorf("Counts = %d, %d, %d, want 1, %d, 1", breakages[0].Count(), breakages[1].Count(), breakages[4].Count(), selected)
	}
	// A response with a status has no count.
	if n := breakages[3].Count(); n != 200-selected {
		t.Errorf("CountShrinks: Count() = %d, want %d", n, 200-selected)
	}
}

func TestMend(t *testing.T) {
	server, breakages := serveFaults(t, at(Where{}, Status(500, "")), at(Where{}, Status(501, "")))
	status := func() int { return request(t, server, "GET", "/api/").Status }
	if got := status(); got != 501 {
		t.Errorf("both faults: status %d, want 501", got)
	}
	breakages[1].Mend()
	breakages[1].Mend()
	if got := status(); got != 500 {
		t.Errorf("one fault mended: status %d, want 500", got)
	}
	breakages[0].owner.mend()
	if got := status(); got != 200 {
		t.Errorf("all faults mended: status %d, want 200", got)
	}
	if breakages[0].Count() != 2 || breakages[1].Count() != 1 {
		t.Errorf("Counts = %d, %d, want 2, 1", breakages[0].Count(), breakages[1].Count())
	}
}

func TestInvalidFaults(t *testing.T) {
	tests := []struct {
		reason string
		where  Where
		fault  Fault
		text   string // in the error
	}{
		{"zero Fault", Where{}, Fault{}, "zero Fault"},
		{"status of two digits", Where{}, Status(99, ""), "99"},
		{"informational status", Where{}, Status(103, ""), "103"},
		{"status of four digits", Where{}, Status(1000, ""), "1000"},
		{"empty header name", Where{}, Header("", "x"), "Header"},
		{"content length", Where{}, Header("content-length", "5"), "Content-Length"},
		{"space in a header name", Where{}, Header("Retry After", "5"), "Retry After"},
		{"non-ASCII header name", Where{}, Header("É", "5"), "É"},
		{"negative time", Where{}, Unavailable(-1), "-1ns"},
		{"empty chunks", Where{}, Slow(0, time.Second), "chunk size 0"},
		{"negative number of bytes", Where{}, CutAfter(-1), "-1"},
		{"negative number of bytes", Where{}, Truncate(-1), "-1"},
		{"empty host", Where{}, NextHost(""), `""`},
		{"host with a path", Where{}, NextHost("a.example/b"), "a.example/b"},
		{"empty scheme", Where{}, NextScheme(""), `""`},
		{"scheme with slashes", Where{}, NextScheme("https://"), "https://"},
		{"count shrinks by 0", Where{}, CountShrinks(0), "0"},
		{"unknown collection", Where{Collection: "magazines"}, Cut(), "magazines"},
		{"method in lower case", Where{Method: "get"}, Cut(), `Where.Method: "get" is not in upper case; want "GET"`},
		{"method with a space", Where{Method: "GET "}, Cut(), `Where.Method: "GET " is not a method`},
		{"path without the first slash", Where{Path: "api/events/"}, Cut(), `want "/api/events/"`},
		{"URL", Where{Path: "http://catalogue.test/api/events/?limit=2"}, Cut(), `want "/api/events/"`},
		{"method in the path", Where{Path: "GET /api/events/"}, Cut(), `want Where{Method: "GET", Path: "/api/events/"}`},
		{"query", Where{Path: "/api/events/?limit=2"}, Cut(), `has a query or a fragment; want "/api/events/"`},
		{"fragment", Where{Path: "/api/events/#top"}, Cut(), `has a query or a fragment; want "/api/events/"`},
		{"collection without its slash", Where{Path: "/api/item_variants"}, Cut(), `want "/api/item_variants/"`},
		{"root listing without its slash", Where{Path: "/api"}, Cut(), `want "/api/"`},
		{"wildcard that is not closed", Where{Path: "/api/{id/"}, Cut(), "not a pattern of http.ServeMux"},
		{"wildcard in a segment", Where{Path: "/api/x{id}/"}, Cut(), "not a pattern of http.ServeMux"},
		{"negative offset", Where{Page: AtOffset(-1)}, Cut(), "-1"},
		{"share above 1", Where{Share: 1.1}, Cut(), "1.1"},
		{"negative share", Where{Share: -0.1}, Cut(), "-0.1"},
		{"share is NaN", Where{Share: math.NaN()}, Cut(), "NaN"},
		{"negative Nth", Where{Nth: -1}, Cut(), "-1"},
		{"negative After", Where{After: -1}, Cut(), "-1"},
	}
	for _, tt := range tests {
		var f faults
		b, err := f.add(tt.where, tt.fault)
		if err == nil || b != nil || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v, want an error containing %q", tt.reason, err, tt.text)
		}
	}
}
