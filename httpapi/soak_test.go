package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// TestSoak runs 64 readers and 4 writers for the duration in BACKLIST_SOAK, such as 10m, or a
// few of them for a moment. It checks every response, that no goroutine is left and, if it is
// set, that the heap has not grown by more than 5% between the third and the last quarter.
// With -v it logs latencies.
func TestSoak(t *testing.T) {
	readers, writers, films := 4, 2, 300
	length, text := 150*time.Millisecond, os.Getenv("BACKLIST_SOAK")
	if text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("BACKLIST_SOAK: %v", err)
		}
		readers, writers, films = 64, 4, 5000
	}
	before := runtime.NumGoroutine()
	c := newFilmCatalogue(t)
	directors := strings.NewReader(`{"directors":[{"id":1,"name":"d","slug":"d"}]}`)
	must(t, c.Load(directors, catalogue.LoadOptions{}))
	server := httptest.NewServer(serveFilms(t, c))
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = readers + writers
	s := &soak{server: server, films: films, writers: writers, took: make([]time.Duration, 0, 1_000_000)}
	for i := range films {
		must(t, s.ask("POST", "/api/films/", soakFilm(fmt.Sprint("old-", i), i), 201, nil))
	}
	var group sync.WaitGroup
	for i := range writers {
		rng, rounds := rand.New(rand.NewPCG(2, uint64(i))), 0
		group.Go(func() {
			s.repeat(t, func() error { rounds++; return s.write(rng, fmt.Sprint(i, "-", rounds)) })
		})
	}
	for i := range readers {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		group.Go(func() { s.repeat(t, func() error { return s.read(rng) }) })
	}
	var heap []uint64
	for end := time.Now().Add(length); time.Now().Before(end) && !s.done.Load(); {
		time.Sleep(min(length/100, 5*time.Second))
		heap = append(heap, s.heap())
	}
	s.done.Store(true)
	group.Wait()
	server.Close()
	slices.Sort(s.took)
	quarter := (len(heap) + 3) / 4
	third, fourth := median(heap[len(heap)/2:len(heap)/2+quarter]), median(heap[len(heap)-quarter:])
	t.Logf("%d requests in %v, half of them within %v, 99%% within %v; heap %d and %d kB",
		len(s.took), length, s.took[len(s.took)/2], s.took[len(s.took)*99/100], third/1000, fourth/1000)
	if text != "" && float64(fourth) > 1.05*float64(third) {
		t.Error("the heap has grown by more than 5%")
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, want %d as before:\n%s",
				runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func median(sizes []uint64) uint64 {
	return slices.Sorted(slices.Values(sizes))[len(sizes)/2]
}

// A soak sends requests to a server until it is done. Each writer adds at most one film to
// those that stay.
type soak struct {
	server         *httptest.Server
	films, writers int
	done           atomic.Bool
	gate           sync.RWMutex // read-locked by each round, locked to measure the heap

	mu   sync.Mutex
	took []time.Duration // of some requests
}

// repeat calls round until the soak is done. An error ends the soak.
func (s *soak) repeat(t *testing.T, round func() error) {
	for !s.done.Load() {
		s.gate.RLock()
		err := round()
		s.gate.RUnlock()
		if err != nil {
			s.done.Store(true)
			t.Error(err)
		}
	}
}

// heap returns the size of the reachable memory between rounds.
func (s *soak) heap() uint64 {
	s.gate.Lock()
	defer s.gate.Unlock()
	runtime.GC()
	runtime.GC() // the first leaves memory in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// ask sends a request, checks the status, and decodes the body.
func (s *soak) ask(method, target, body string, want int, into any) error {
	r, err := http.NewRequest(method, s.server.URL+target, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	start := time.Now()
	answer, err := s.server.Client().Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if len(s.took) < cap(s.took) { // the heap must not grow
		s.took = append(s.took, time.Since(start))
	}
	s.mu.Unlock()
	if answer.StatusCode != want {
		return fmt.Errorf("%s %s: %d %.400s, want %d", method, target, answer.StatusCode, got, want)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(got, into)
}

// read requests a page and checks its count, length and order, or now and then requests
// something else.
func (s *soak) read(rng *rand.Rand) error {
	switch rng.IntN(20) {
	case 0:
		return s.ask("OPTIONS", "/api/films/", "", 200, nil)
	case 1:
		return s.ask("GET", "/api/nope/", "", 404, nil)
	case 2:
		return s.ask("DELETE", "/api/directors/1/", "", 409, nil)
	case 3:
		return s.ask("POST", "/api/films/", `{"title":"`+strings.Repeat("x", 2000)+`"}`, 400, nil)
	}
	limit, offset := 1+rng.IntN(60), rng.IntN(s.films+s.films/10)
	target := fmt.Sprintf("/api/films/?limit=%d&offset=%d&ordering=-minutes,slug", limit, offset)
	var page struct {
		Count   int
		Results []struct {
			Minutes int
			Slug    string
		}
	}
	if err := s.ask("GET", target, "", 200, &page); err != nil {
		return err
	}
	if page.Count < s.films || page.Count > s.films+s.writers || len(page.Results) != min(limit, max(0, page.Count-offset)) {
		return fmt.Errorf("%s: %d of %d films", target, len(page.Results), page.Count)
	}
	for i, f := range page.Results[min(1, len(page.Results)):] {
		if last := page.Results[i]; last.Minutes < f.Minutes || last.Minutes == f.Minutes && last.Slug >= f.Slug {
			return fmt.Errorf("%s: %+v is not in order", target, page.Results)
		}
	}
	return nil
}

// soakFilm returns the JSON of a film.
func soakFilm(slug string, minutes int) string {
	return fmt.Sprintf(`{"title":"t","slug":%q,"minutes":%d,"price":"1","director":1}`, slug, minutes%200)
}

// write creates a film, updates it, and deletes it.
func (s *soak) write(rng *rand.Rand, slug string) error {
	time.Sleep(time.Millisecond)
	var film struct{ ID, Minutes int }
	if err := s.ask("POST", "/api/films/", soakFilm(slug, rng.IntN(200)), 201, &film); err != nil {
		return err
	}
	minutes, target := rng.IntN(200), fmt.Sprintf("/api/films/%d/", film.ID)
	if err := s.ask("PATCH", target, fmt.Sprintf(`{"minutes":%d}`, minutes), 200, &film); err != nil {
		return err
	}
	if film.Minutes != minutes {
		return fmt.Errorf("PATCH %s: %d minutes, want %d", target, film.Minutes, minutes)
	}
	return s.ask("DELETE", target, "", 204, nil)
}
