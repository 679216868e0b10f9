package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// A soak reads films over HTTP and writes to them concurrently. Their number stays about the
// same.
type soak struct {
	writers int
	films   int // number at the beginning
	url     string
	client  *http.Client
	done    atomic.Bool  // tells readers and writers to stop
	gate    sync.RWMutex // read-locked by each round, locked to measure the heap

	mu   sync.Mutex
	took []time.Duration // some of the latencies
}

// TestSoak runs 64 readers and 4 writers for the duration in BACKLIST_SOAK, such as 10m, or a
// few of them for a moment. It checks every response, that no goroutine is left and, if it is
// set, that the heap has not grown by more than 5% between the third and the last quarter.
// With -v it logs latencies.
func TestSoak(t *testing.T) {
	s, readers := &soak{writers: 2, films: 300}, 4
	length, text := 150*time.Millisecond, os.Getenv("BACKLIST_SOAK")
	if text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("BACKLIST_SOAK: %v", err)
		}
		*s, readers = soak{writers: 4, films: 5000, took: make([]time.Duration, 0, 1_000_000)}, 64
	}
	before := runtime.NumGoroutine()
	c := newFilmCatalogue(t)
	directors := strings.NewReader(`{"directors":[{"id":1,"name":"d","slug":"d"}]}`)
	if err := c.Load(directors, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(serveFilms(t, c))
	s.url, s.client = server.URL, server.Client()
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = readers + s.writers
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var writers []*soakWriter
	for i := range s.writers {
		writers = append(writers, &soakWriter{soak: s, rng: rand.New(rand.NewPCG(2, uint64(i))), number: i})
	}
	for i := range s.films {
		if err := writers[i%s.writers].post(); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	for _, w := range writers {
		group.Go(func() { s.repeat(t, w.round) })
	}
	for i := range readers {
		r := soakReader{s, rand.New(rand.NewPCG(1, uint64(i)))}
		group.Go(func() { s.repeat(t, r.round) })
	}
	var heap []uint64
	for end := time.Now().Add(length); time.Now().Before(end) && !s.done.Load(); {
		time.Sleep(min(length/100, 5*time.Second))
		heap = append(heap, s.heap())
	}
	s.done.Store(true)
	group.Wait()
	s.client.CloseIdleConnections()
	server.Close()
	slices.Sort(s.took)
	third, fourth := lastQuarters(heap)
	t.Logf("%d requests in %v, half of them within %v, 99%% within %v; heap %d and %d kB",
		len(s.took), length, s.took[len(s.took)/2], s.took[len(s.took)*99/100], third/1000, fourth/1000)
	if text != "" && float64(fourth) > 1.05*float64(third) {
		t.Error("the heap has grown by more than 5%")
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			stacks = stacks[:runtime.Stack(stacks, true)]
			t.Fatalf("%d goroutines, want %d as before:\n%s", runtime.NumGoroutine(), before, stacks)
		}
	}
}

// lastQuarters returns the medians of the third and of the last quarter.
func lastQuarters(heap []uint64) (third, fourth uint64) {
	n := len(heap)
	median := func(part []uint64) uint64 {
		part = slices.Sorted(slices.Values(part))
		return part[len(part)/2]
	}
	return median(heap[n/2 : n/2+(n+3)/4]), median(heap[n-(n+3)/4:])
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
	r, err := http.NewRequest(method, s.url+target, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	start := time.Now()
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if len(s.took) < 1_000_000 { // the heap must not grow
		s.took = append(s.took, time.Since(start))
	}
	s.mu.Unlock()
	if answer.StatusCode != want {
		return fmt.Errorf("%s %s: %d %.400s, want %d", method, target, answer.StatusCode, got, want)
	}
	if into == nil || len(bytes.TrimSpace(got)) == 0 {
		return nil
	}
	return json.Unmarshal(got, into)
}

// soakFilm has the fields of a film that a soak writes.
type soakFilm struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	Slug    string `json:"slug"`
	Minutes int    `json:"minutes"`
}

// A soakReader requests pages, and now and then something else.
type soakReader struct {
	*soak
	rng *rand.Rand
}

func (r soakReader) round() error {
	others := []struct {
		method, target, body string
		status               int
	}{
		{"GET", "/api/", "", 200},
		{"HEAD", "/api/films/?limit=3", "", 200},
		{"OPTIONS", "/api/films/", "", 200},
		{"GET", "/api/nope/", "", 404},
		{"GET", "/api/films", "", 301},
		{"GET", "/api/films/?format=xml", "", 404},
		{"GET", "/api/films/?minutes=x", "", 400},
		{"DELETE", "/api/films/", "", 405},
		{"DELETE", "/api/directors/1/", "", 409},
		{"POST", "/api/films/", `{"title":`, 400},
		{"POST", "/api/films/", `{"title":"` + strings.Repeat("x", 2000) + `"}`, 400},
	}
	if n := r.rng.IntN(3 * len(others)); n < len(others) {
		o := others[n]
		return r.ask(o.method, o.target, o.body, o.status, nil)
	}
	return r.page()
}

// page requests a page and checks its length, its links and its order.
func (r soakReader) page() error {
	orders := map[string]func(a, b soakFilm) int{
		"":        func(a, b soakFilm) int { return a.ID - b.ID },
		"-id":     func(a, b soakFilm) int { return b.ID - a.ID },
		"minutes": func(a, b soakFilm) int { return cmp.Or(a.Minutes-b.Minutes, a.ID-b.ID) },
		"title,-slug": func(a, b soakFilm) int {
			return cmp.Or(strings.Compare(a.Title, b.Title), strings.Compare(b.Slug, a.Slug))
		},
		"-title,nope":   func(a, b soakFilm) int { return cmp.Or(cmp.Compare(b.Title, a.Title), b.ID-a.ID) },
		"-minutes,slug": func(a, b soakFilm) int { return cmp.Or(b.Minutes-a.Minutes, cmp.Compare(a.Slug, b.Slug)) },
	}
	limit, offset := 1+r.rng.IntN(60), r.rng.IntN(r.films+r.films/10)
	for ordering, compare := range orders { // starts anywhere
		var page struct {
			Count          int
			Next, Previous *string
			Results        []soakFilm
		}
		target := fmt.Sprintf("/api/films/?limit=%d&offset=%d&ordering=%s", limit, offset, ordering)
		if err := r.ask("GET", target, "", 200, &page); err != nil {
			return err
		}
		if page.Count < r.films-10*r.writers || page.Count > r.films+10*r.writers {
			return fmt.Errorf("%s: %d films, want about %d", target, page.Count, r.films)
		}
		if want := min(limit, max(0, page.Count-offset)); len(page.Results) != want {
			return fmt.Errorf("%s: %d records of %d, want %d", target, len(page.Results), page.Count, want)
		}
		if (page.Next != nil) != (offset+limit < page.Count) || (page.Previous != nil) != (offset > 0) {
			return fmt.Errorf("%s: next or previous is wrong", target)
		}
		for i := 1; i < len(page.Results); i++ {
			if compare(page.Results[i-1], page.Results[i]) >= 0 {
				return fmt.Errorf("%s: %+v comes before %+v", target, page.Results[i-1], page.Results[i])
			}
		}
		break
	}
	return nil
}

// A soakWriter writes to its own films and keeps their number about the same.
type soakWriter struct {
	*soak
	rng    *rand.Rand
	number int
	posted int
	own    []soakFilm
}

func (w *soakWriter) round() error {
	time.Sleep(time.Millisecond)
	switch more := len(w.own) - w.films/w.writers; {
	case more < 5 && w.rng.IntN(3) == 0:
		return w.post()
	case more > -5 && w.rng.IntN(2) == 0:
		return w.delete()
	}
	return w.patch()
}

// post posts a film. Its id is above all that the writer has seen.
func (w *soakWriter) post() error {
	w.posted++
	slug := fmt.Sprintf("%d-%d", w.number, w.posted)
	want := soakFilm{Title: strconv.Itoa(w.rng.IntN(50)), Slug: slug, Minutes: w.rng.IntN(200)}
	body := fmt.Sprintf(`{"title":%q,"slug":%q,"minutes":%d,"price":"1","director":1}`, want.Title, slug, want.Minutes)
	var got soakFilm
	if err := w.ask("POST", "/api/films/", body, 201, &got); err != nil {
		return err
	}
	want.ID = got.ID
	if got != want || len(w.own) > 0 && got.ID <= w.own[len(w.own)-1].ID {
		return fmt.Errorf("posted %s, got %+v", body, got)
	}
	w.own = append(w.own, got)
	return nil
}

// patch changes a film, which must still be what the writer wrote last.
func (w *soakWriter) patch() error {
	f := &w.own[w.rng.IntN(len(w.own))]
	f.Minutes = w.rng.IntN(200)
	var got soakFilm
	err := w.ask("PATCH", fmt.Sprintf("/api/films/%d/", f.ID), fmt.Sprintf(`{"minutes":%d}`, f.Minutes), 200, &got)
	if err == nil && got != *f {
		return fmt.Errorf("patched %+v, want %+v", got, *f)
	}
	return err
}

func (w *soakWriter) delete() error {
	i := w.rng.IntN(len(w.own))
	id := w.own[i].ID
	w.own = slices.Delete(w.own, i, i+1)
	return w.ask("DELETE", fmt.Sprintf("/api/films/%d/", id), "", 204, nil)
}
