package cataloguetest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// BenchmarkWholeTest is what a test pays: a house, one request, the cleanup. Beside
// it a fake that is written by hand for one collection and one way to be asked.
func BenchmarkWholeTest(b *testing.B) {
	const path = "/api/events/?ordering=-start_date&limit=21"
	ask := func(tb testing.TB, client *http.Client, base string) {
		answer, err := client.Get(base + path)
		if err != nil {
			tb.Fatal(err)
		}
		n, err := io.Copy(io.Discard, answer.Body)
		if answer.Body.Close(); err != nil || n < 5000 {
			tb.Fatal(n, err)
		}
	}
	houses := map[string]cataloguetest.Options{
		"house=in-process": {},
		"house=loopback":   {Server: true},
	}
	for _, name := range []string{"house=in-process", "house=loopback"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &oneTest{TB: b}
				house := cataloguetest.NewWith(t, houses[name])
				ask(b, house.Client, house.URL)
				t.end()
			}
		})
	}
	b.Run("house=new-alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t := &oneTest{TB: b}
			cataloguetest.New(t)
			t.end()
		}
	})
	b.Run("house=second-request", func(b *testing.B) {
		house := cataloguetest.New(b)
		b.ReportAllocs()
		for b.Loop() {
			ask(b, house.Client, house.URL)
		}
	})
	fake := newHandWritten(b)
	b.Run("hand-written=httptest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			server := httptest.NewServer(fake.fork())
			ask(b, server.Client(), server.URL)
			server.Close()
		}
	})
}

// BenchmarkFork forks a house of 10,000 records, as each test does.
func BenchmarkFork(b *testing.B) {
	house := catalogue.New()
	for _, key := range []string{"events", "books", "authors", "items"} {
		if err := house.LoadCollection(key, strings.NewReader(rowsOf(key, 2500))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		house.Clone()
	}
}

func rowsOf(key string, n int) string {
	rows := make([]string, n)
	for i := range rows {
		if key == "events" {
			rows[i] = fmt.Sprintf(`{"id": %d, "name": "n", "slug": "s", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T18:00:00Z"}`, i+1)
		} else {
			rows[i] = fmt.Sprintf(`{"id": %d, "name": "n", "slug": "s", "a": 1, "b": 2, "c": 3, "d": 4}`, i+1)
		}
	}
	return "[" + strings.Join(rows, ",") + "]"
}

// oneTest is a test that ends when it is told to.
type oneTest struct {
	testing.TB
	cleanups []func()
}

func (t *oneTest) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *oneTest) end() {
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
}

// handWritten is the fake that people write: a slice, sorted and marshalled for
// each request.
type handWritten struct{ events []map[string]any }

func newHandWritten(b *testing.B) handWritten {
	house := cataloguetest.New(b)
	answer, err := house.Client.Get(house.URL + "/api/events/?limit=1000")
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct{ Results []map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		b.Fatal(err)
	}
	return handWritten{page.Results}
}

func (f handWritten) fork() handWritten { return handWritten{slices.Clone(f.events)} }

func (f handWritten) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	field := r.FormValue("ordering")
	if field == "-start_date" {
		slices.SortFunc(f.events, func(a, b map[string]any) int {
			return strings.Compare(b["startDate"].(string), a["startDate"].(string))
		})
	}
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	json.NewEncoder(w).Encode(map[string]any{"count": len(f.events), "next": nil, "previous": nil, "results": f.events[:limit]})
}
