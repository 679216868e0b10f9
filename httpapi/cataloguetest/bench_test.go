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
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/resources"
)

// BenchmarkTest measures a whole test: a server, one request and the cleanup. For
// comparison, it measures a hand-written fake of one collection.
func BenchmarkTest(b *testing.B) {
	const path = "/api/events/?ordering=-start_date&limit=21"
	get := func(client *http.Client, base string) {
		resp, err := client.Get(base + path)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); err != nil || n < 5000 {
			b.Fatal(n, err)
		}
	}
	servers := map[string]cataloguetest.Options{
		"server=in-process": {},
		"server=loopback":   {Loopback: true},
	}
	for _, name := range []string{"server=in-process", "server=loopback"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &recorder{TB: b}
				server := cataloguetest.NewWith(t, servers[name])
				get(server.Client, server.URL)
				t.end()
			}
		})
	}
	b.Run("server=new-alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t := &recorder{TB: b}
			cataloguetest.New(t)
			t.end()
		}
	})
	b.Run("server=second-request", func(b *testing.B) {
		server := cataloguetest.New(b)
		b.ReportAllocs()
		for b.Loop() {
			get(server.Client, server.URL)
		}
	})
	fake := newHandWritten(b)
	b.Run("hand-written=httptest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			server := httptest.NewServer(fake.clone())
			get(server.Client(), server.URL)
			server.Close()
		}
	})
}

// BenchmarkClone clones a catalogue of 10,000 records, as New does.
func BenchmarkClone(b *testing.B) {
	server := mustNew()
	for _, key := range []string{"events", "books", "authors", "items"} {
		if err := server.Load(strings.NewReader(`{"`+key+`":`+rowsOf(key, 2500)+`}`), catalogue.LoadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		server.Clone()
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

// A handWritten fake sorts and marshals a slice for each request.
type handWritten struct{ events []resources.Event }

func newHandWritten(b *testing.B) handWritten {
	return handWritten{slices.Collect(mustIn(resources.Events, cataloguetest.New(b).Catalogue).All())}
}

func (f handWritten) clone() handWritten { return handWritten{slices.Clone(f.events)} }

func (f handWritten) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("ordering") == "-start_date" {
		slices.SortFunc(f.events, func(a, b resources.Event) int { return b.StartDate.Compare(a.StartDate.Time) })
	}
	limit, err := strconv.Atoi(r.FormValue("limit"))
	if err != nil || limit > len(f.events) {
		http.Error(w, "limit", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"count": len(f.events), "next": nil, "previous": nil, "results": f.events[:limit]})
}
