package httpapi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// TestSoak runs 64 readers and 4 writers for the duration in BACKLIST_SOAK, such as 10m, or a few of
// them for a moment. It checks every response, and that no goroutine is left.
func TestSoak(t *testing.T) {
	readers, writers, films, length := 4, 2, 300, 150*time.Millisecond
	if text := os.Getenv("BACKLIST_SOAK"); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		must(t, err)
		readers, writers, films = 64, 4, 5000
	}
	before := runtime.NumGoroutine()
	c := newFilmCatalogue(t)
	must(t, c.Load(strings.NewReader(`{"directors":[{"id":1,"name":"d","slug":"d"}]}`), catalogue.LoadOptions{}))
	server := httptest.NewServer(serveFilms(t, c))
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = readers + writers
	ask := func(method, target, body string, want int, into any) {
		r, _ := http.NewRequest(method, server.URL+target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		got, err := server.Client().Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer got.Body.Close()
		if err := json.NewDecoder(got.Body).Decode(into); into != nil && err != nil || got.StatusCode != want {
			t.Errorf("%s %s: %d, %v, want %d", method, target, got.StatusCode, err, want)
		}
	}
	type row struct {
		ID, Minutes int
		Slug        string
	}
	film := func(slug string, minutes int) string {
		return fmt.Sprintf(`{"title":"t","slug":%q,"minutes":%d,"price":"1","director":1}`, slug, minutes%200)
	}
	read := func(rng *rand.Rand) {
		ask("DELETE", "/api/directors/1/", "", 409, nil)
		limit, offset := 1+rng.IntN(60), rng.IntN(films+films/10)
		target := fmt.Sprintf("/api/films/?limit=%d&offset=%d&ordering=-minutes,slug", limit, offset)
		var page struct {
			Count   int
			Results []row
		}
		ask("GET", target, "", 200, &page)
		if page.Count < films || page.Count > films+writers || len(page.Results) != min(limit, max(0, page.Count-offset)) {
			t.Errorf("%s: %d of %d films", target, len(page.Results), page.Count)
		}
		for i, f := range page.Results[min(1, len(page.Results)):] {
			if last := page.Results[i]; last.Minutes < f.Minutes || last.Minutes == f.Minutes && last.Slug >= f.Slug {
				t.Errorf("%s: %+v is not in order", target, page.Results)
			}
		}
	}
	write := func(rng *rand.Rand) {
		time.Sleep(time.Millisecond)
		var r row
		ask("POST", "/api/films/", film(fmt.Sprint("new-", rng.Uint64()), rng.IntN(200)), 201, &r)
		minutes, target := rng.IntN(200), fmt.Sprintf("/api/films/%d/", r.ID)
		ask("PATCH", target, fmt.Sprintf(`{"minutes":%d}`, minutes), 200, &r)
		if r.Minutes != minutes {
			t.Errorf("PATCH %s: %d minutes, want %d", target, r.Minutes, minutes)
		}
		ask("DELETE", target, "", 204, nil)
	}
	for i := range films {
		ask("POST", "/api/films/", film(fmt.Sprint("old-", i), i), 201, new(row))
	}
	var group sync.WaitGroup
	end := time.Now().Add(length)
	for i := range readers + writers {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		group.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				if i < readers {
					read(rng)
				} else {
					write(rng)
				}
			}
		})
	}
	group.Wait()
	server.Close()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, want %d as before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
