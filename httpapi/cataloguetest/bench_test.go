package cataloguetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"

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
	servers := map[string]Options{
		"server=in-process": {},
		"server=loopback":   {Loopback: true},
	}
	for _, name := range []string{"server=in-process", "server=loopback"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &recorder{TB: b}
				server := NewWith(t, servers[name])
				get(server.Client, server.URL)
				t.end()
			}
		})
	}
	b.Run("server=new-alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t := &recorder{TB: b}
			New(t)
			t.end()
		}
	})
	b.Run("server=second-request", func(b *testing.B) {
		server := New(b)
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

// A handWritten fake sorts and marshals a slice for each request.
type handWritten struct{ events []resources.Event }

func newHandWritten(b *testing.B) handWritten {
	return handWritten{slices.Collect(eventsOf(New(b).Catalogue).All())}
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
