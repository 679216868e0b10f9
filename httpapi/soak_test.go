package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// A soak reads a catalogue over HTTP and writes to it concurrently for a long time. The
// number of its events stays about the same.
type soak struct {
	readers, writers int
	rounds           int           // of each reader and writer; 0 means until done is set
	pace             time.Duration // minimum time for a round of a writer

	house  *catalogue.Catalogue
	events int      // number at the beginning
	wires  [][]byte // encoded events to be written

	keys  []string          // of the other collections, which do not change
	fixed map[string]int    // their counts
	paths map[string]string // their paths

	client *http.Client
	url    string
	took   latencies    // of the responses
	writes atomic.Int64 // rounds of writers
	active []*soakWriter
	done   atomic.Bool  // tells readers and writers to stop
	gate   sync.RWMutex // read-locked by each round, locked to measure the heap
}

// spread is the maximum number of events by which each writer changes the total.
const spread = 60

// TestSoak runs 64 readers and 4 writers for the duration in BACKLIST_SOAK, such as 10m.
// It checks every response, that no goroutine is left, and that the heap has not changed
// by more than 5% between the third and the last quarter. With -v it logs latencies.
func TestSoak(t *testing.T) {
	text := os.Getenv("BACKLIST_SOAK")
	if text == "" {
		t.Skip("BACKLIST_SOAK is not set, for instance to 10m")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("BACKLIST_SOAK: %v", err)
	}
	s := &soak{readers: 64, writers: 4, events: 5000, pace: 2 * time.Millisecond}
	var heap []uint64
	s.run(t, func() {
		every := time.NewTicker(min(length/100, 5*time.Second))
		defer every.Stop()
		for end := time.Now().Add(length); time.Now().Before(end) && !s.done.Load(); {
			<-every.C
			n, err := s.heap()
			if err != nil {
				s.done.Store(true)
				t.Error(err)
			}
			heap = append(heap, n)
		}
		s.done.Store(true)
	})
	third, fourth := lastQuarters(heap)
	t.Logf("%d requests in %v, half of them within %v, 99%% within %v; %d rounds of writers",
		s.took.count(), length, s.took.quantile(0.5), s.took.quantile(0.99), s.writes.Load())
	t.Logf("heap in kB, measured %d times: %d", len(heap), kilobytes(heap))
	t.Logf("median of the heap in the third quarter: %d kB, in the last: %d kB, %+.2f%%", third/1000, fourth/1000, 100*(float64(fourth)/float64(third)-1))
	if !level(third, fourth) {
		t.Error("the heap has grown or shrunk by more than 5%")
	}
}

// TestShortSoak is a short version of TestSoak.
func TestShortSoak(t *testing.T) {
	s := &soak{readers: 8, writers: 4, events: 300, rounds: 25}
	s.run(t, func() {})
	if n := s.took.count(); n < 8*25 {
		t.Errorf("%d requests, want at least 200", n)
	}
}

// run starts readers and writers, calls wait, and waits for them to end.
func (s *soak) run(t *testing.T, wait func()) {
	before := runtime.NumGoroutine()
	s.setUp(t)
	handler, err := httpapi.New(s.house, httpapi.Options{
		Authorizer: httpapi.AllowAll,
		OnError:    func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	s.url, s.client = server.URL, server.Client()
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = s.readers + s.writers
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

	var group sync.WaitGroup
	for i := range s.readers {
		r := &soakReader{s, rand.New(rand.NewPCG(1, uint64(i)))}
		group.Go(func() { s.repeat(t, 0, r.round) })
	}
	for i := range s.writers {
		s.active = append(s.active, newSoakWriter(s, i))
	}
	for _, w := range s.active {
		group.Go(func() { s.repeat(t, s.pace, w.round) })
	}
	wait()
	group.Wait()

	s.client.CloseIdleConnections()
	server.Close()
	if err := s.house.Check(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, want %d as before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// repeat calls round until the soak is done. An error ends the soak.
func (s *soak) repeat(t *testing.T, pace time.Duration, round func() error) {
	var next <-chan time.Time
	if pace > 0 {
		ticker := time.NewTicker(pace)
		defer ticker.Stop()
		next = ticker.C
	}
	for i := 0; !s.done.Load() && (s.rounds == 0 || i < s.rounds); i++ {
		s.gate.RLock()
		err := round()
		s.gate.RUnlock()
		if err != nil {
			s.done.Store(true)
			t.Error(err)
		}
		if next != nil {
			<-next
		}
	}
}

// setUp creates the catalogue and the events to be written.
func (s *soak) setUp(t *testing.T) {
	t.Helper()
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{Events: s.events}).WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	s.house = catalogue.New()
	if err := s.house.Load(&file); err != nil {
		t.Fatal(err)
	}
	s.fixed, s.paths = map[string]int{}, map[string]string{}
	for key, c := range s.house.All() {
		if key != "events" {
			s.fixed[key] = c.Count()
			s.keys = append(s.keys, key)
		}
	}
	for _, about := range schema.Descriptions() {
		s.paths[about.Key] = "/api/" + about.Segment + "/"
	}
	for _, e := range sample.New(sample.Options{Events: min(s.events, 1000), Seed: 2, Others: -1}).Events {
		wire, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		s.wires = append(s.wires, wire)
	}
}

// A reply is the response to a request.
type reply struct {
	what   string // method and path of the request
	status int
	header http.Header
	body   []byte
}

// ask sends a request and measures its latency.
func (s *soak) ask(method, path string, body []byte) (reply, error) {
	what := method + " " + path
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	start := time.Now()
	answer, err := s.client.Do(r)
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", what, err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", what, err)
	}
	s.took.add(time.Since(start))
	return reply{what, answer.StatusCode, answer.Header, got}, nil
}

// errorf returns an error about a reply.
func (r reply) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %d, %s; %.400s", r.what, r.status, fmt.Sprintf(format, args...), r.body)
}

// heap returns the size of the reachable memory between rounds. To make sizes comparable,
// it first releases all snapshots and uses the same orderings.
func (s *soak) heap() (uint64, error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	for _, w := range s.active {
		if err := w.release(); err != nil {
			return 0, err
		}
	}
	for _, field := range s.house.Events().Fields() {
		if _, err := s.house.Events().View(pagination.Window{Limit: 1}, ordering.Term{Field: "published"}, ordering.Term{Field: field}); err != nil {
			return 0, err
		}
	}
	runtime.GC()
	runtime.GC() // the first leaves memory in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, nil
}

func kilobytes(heap []uint64) []uint64 {
	list := make([]uint64, len(heap))
	for i, n := range heap {
		list[i] = n / 1000
	}
	return list
}

// lastQuarters returns the medians of the third and the last quarter of a list, or zeros if
// there are fewer than 20 numbers.
func lastQuarters(list []uint64) (third, fourth uint64) {
	n := len(list)
	if n < 20 {
		return 0, 0
	}
	median := func(part []uint64) uint64 {
		part = slices.Sorted(slices.Values(part))
		return part[len(part)/2]
	}
	return median(list[n/2 : n*3/4]), median(list[n*3/4:])
}

// level reports whether two sizes are positive and differ by at most 5% of the first.
func level(a, b uint64) bool { return a > 0 && b > 0 && max(a, b)-min(a, b) <= a/20 }

func TestLevel(t *testing.T) {
	series := func(at func(i int) int) []uint64 {
		list := make([]uint64, 100)
		for i := range list {
			list[i] = uint64(at(i))
		}
		return list
	}
	tests := []struct {
		reason string
		heap   []uint64
		want   bool
	}{
		{"flat", series(func(int) int { return 1000 }), true},
		{"noise with some peaks", series(func(i int) int { return 1000 + 30*(i%2) + 2000*(i%10/9) }), true},
		{"grows in the first half", series(func(i int) int { return 100 * min(i, 50) }), true},
		{"grows", series(func(i int) int { return 1000 + 10*i }), false},
		{"grows at the end", series(func(i int) int { return 1000 + 10*max(0, i-75) }), false},
		{"shrinks", series(func(i int) int { return 2000 - 10*i }), false},
		{"too few sizes", series(func(int) int { return 1000 })[:19], false},
		{"none", nil, false},
	}
	for _, test := range tests {
		if a, b := lastQuarters(test.heap); level(a, b) != test.want {
			t.Errorf("%s: level(%d, %d) = %t, want %t", test.reason, a, b, !test.want, test.want)
		}
	}
}

// latencies counts durations in steps of about 6%, in constant memory.
type latencies [16 * 60]atomic.Int64

func (l *latencies) add(d time.Duration) {
	n := uint64(max(d, 16))
	shift := bits.Len64(n) - 5
	l[16*shift+int(n>>shift)-16].Add(1)
}

func (l *latencies) count() (n int64) {
	for i := range l {
		n += l[i].Load()
	}
	return n
}

// quantile returns a duration that a fraction of all do not exceed. It may be up to a tenth
// too large.
func (l *latencies) quantile(fraction float64) time.Duration {
	left := int64(fraction * float64(l.count()))
	for i := range l {
		if left -= l[i].Load(); left <= 0 {
			return time.Duration(i%16+17) << (i / 16)
		}
	}
	return 0
}

func TestLatencies(t *testing.T) {
	var l latencies
	for i := range 1000 {
		l.add(time.Duration(i+1) * time.Millisecond)
	}
	l.add(0)
	for part, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond} {
		if got := l.quantile(part); got < want || got > want+want/10 || l.count() != 1001 {
			t.Errorf("quantile(%v) of %d = %v, want %v or up to a tenth more", part, l.count(), got, want)
		}
	}
}
