package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
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
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
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
	handler, err := New(s.house, Options{
		Authorizer: AllowAll,
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
	if err := sample.Write(&file, sample.Options{Sizes: map[string]int{"events": s.events}}); err != nil {
		t.Fatal(err)
	}
	s.house = mustNew()
	if err := s.house.Load(&file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	s.fixed, s.paths = map[string]int{}, map[string]string{}
	for key, c := range s.house.All() {
		if key != "events" {
			s.fixed[key] = c.Count()
			s.keys = append(s.keys, key)
		}
	}
	for _, about := range descriptions() {
		s.paths[about.Key] = "/api/" + about.Segment + "/"
	}
	file.Reset()
	if err := sample.Write(&file, sample.Options{Seed: 2, Sizes: map[string]int{"events": min(s.events, 1000)}}); err != nil {
		t.Fatal(err)
	}
	var more struct{ Events []json.RawMessage }
	if err := json.Unmarshal(file.Bytes(), &more); err != nil {
		t.Fatal(err)
	}
	for _, wire := range more.Events {
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
	for _, field := range eventFields() {
		if _, err := mustIn(resources.Events, s.house).Where().View(pagination.Window{Limit: 1}, ordering.Term{Field: "published"}, ordering.Term{Field: field}); err != nil {
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

// A soakReader sends requests and checks the responses.
type soakReader struct {
	*soak
	rng *rand.Rand
}

func (r *soakReader) round() error {
	switch n := r.rng.IntN(20); {
	case n < 13:
		return r.page()
	case n < 15:
		return r.other()
	case n < 16:
		return r.head()
	case n < 17:
		return r.options()
	case n < 18:
		return r.root()
	default:
		return r.invalid()
	}
}

// eventsPage is the response to a request for events.
type eventsPage struct {
	Count          int
	Next, Previous *string
	Results        []resources.Event
}

// page requests events, and sometimes the next page.
func (r *soakReader) page() error {
	limit, offset, query := 21, 0, "?format=api"
	if r.rng.IntN(2) == 0 {
		limit = 1 + r.rng.IntN(60)
		query += "&limit=" + strconv.Itoa(limit)
	}
	if r.rng.IntN(3) > 0 {
		offset = r.rng.IntN(r.events + r.events/10)
		query += "&offset=" + strconv.Itoa(offset)
	}
	by := r.ordering()
	query += "&ordering=" + strings.Join(by, ",")
	page, err := r.askPage("/api/events/"+query, limit, offset, by)
	if err != nil || page.Next == nil || r.rng.IntN(4) > 0 {
		return err
	}
	path, found := strings.CutPrefix(*page.Next, r.url)
	if !found {
		return fmt.Errorf("%s: next is %s", query, *page.Next)
	}
	_, err = r.askPage(path, limit, offset+limit, by)
	return err
}

// ordering returns a frequent ordering or a random one, which may contain an unknown
// field.
func (r *soakReader) ordering() (by []string) {
	if r.rng.IntN(2) == 0 {
		often := []string{"", "start_date", "-start_date", "name", "-id", "published,-start_date", "location,name"}
		return strings.Split(often[r.rng.IntN(len(often))], ",")
	}
	for range 1 + r.rng.IntN(3) {
		fields := append(eventFields(), "no_field")
		by = append(by, []string{"", "-"}[r.rng.IntN(2)]+fields[r.rng.IntN(len(fields))])
	}
	return by
}

func (r *soakReader) askPage(path string, limit, offset int, by []string) (page eventsPage, err error) {
	got, err := r.ask("GET", path, nil)
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(got.body, &page); err != nil || got.status != 200 {
		return page, got.errorf("want a page: %v", err)
	}
	if least, most := r.events-spread*r.writers, r.events+spread*r.writers; page.Count < least || page.Count > most {
		return page, got.errorf("want %d to %d events", least, most)
	}
	if want := min(limit, max(0, page.Count-offset)); len(page.Results) != want {
		return page, got.errorf("%d records, want %d", len(page.Results), want)
	}
	if (page.Next != nil) != (offset+limit < page.Count) || (page.Previous != nil) != (offset > 0) {
		return page, got.errorf("next or previous is wrong")
	}
	for i := 1; i < len(page.Results); i++ {
		if compareEvents(&page.Results[i-1], &page.Results[i], by) >= 0 {
			return page, got.errorf("record %d should not come before %d", page.Results[i-1].ID, page.Results[i].ID)
		}
	}
	return page, nil
}

// eventFields returns the fields that compareField knows.
func eventFields() []string {
	return []string{"id", "name", "slug", "summary", "description", "location", "start_date", "end_date",
		"published", "poster", "poster_webp", "labels", "authors"}
}

// compareEvents compares in the documented order, with ties by id in the direction of the
// leading term.
func compareEvents(a, b *resources.Event, by []string) int {
	by = slices.DeleteFunc(slices.Clone(by), func(name string) bool { return strings.TrimPrefix(name, "-") == "no_field" })
	if len(by) == 0 || by[0] == "" {
		by = []string{"start_date"}
	}
	direction := 1
	if strings.HasPrefix(by[0], "-") {
		direction = -1
	}
	for _, term := range by {
		name, down := strings.CutPrefix(term, "-")
		c := compareField(a, b, name)
		if down {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return direction * cmp.Compare(a.ID, b.ID)
}

func compareField(a, b *resources.Event, name string) int {
	switch name {
	case "id":
		return cmp.Compare(a.ID, b.ID)
	case "name":
		return cmp.Compare(a.Name, b.Name)
	case "slug":
		return cmp.Compare(a.Slug, b.Slug)
	case "summary":
		return cmp.Compare(a.Summary, b.Summary)
	case "description":
		return cmp.Compare(a.Description, b.Description)
	case "location":
		return cmp.Compare(a.Location, b.Location)
	case "start_date":
		return a.StartDate.Compare(b.StartDate.Time)
	case "end_date":
		return a.EndDate.Compare(b.EndDate.Time)
	case "published":
		return cmp.Compare(strconv.FormatBool(a.Published), strconv.FormatBool(b.Published))
	case "poster":
		return cmp.Compare(a.Poster, b.Poster)
	case "poster_webp":
		return cmp.Compare(a.PosterWebp, b.PosterWebp)
	case "labels":
		return slices.Compare(a.Labels, b.Labels)
	case "authors":
		return slices.Compare(a.Authors, b.Authors)
	}
	panic("unknown field: " + name)
}

// other requests a collection that does not change.
func (r *soakReader) other() error {
	key := r.keys[r.rng.IntN(len(r.keys))]
	limit := 1 + r.rng.IntN(20)
	got, err := r.ask("GET", fmt.Sprintf("%s?limit=%d&ordering=-id", r.paths[key], limit), nil)
	if err != nil {
		return err
	}
	var page struct {
		Count   int
		Results []struct{ ID int }
	}
	if err := json.Unmarshal(got.body, &page); err != nil || got.status != 200 {
		return got.errorf("want a page: %v", err)
	}
	if page.Count != r.fixed[key] || len(page.Results) != min(limit, page.Count) {
		return got.errorf("%d of %d records, want %d", len(page.Results), page.Count, r.fixed[key])
	}
	for i := 1; i < len(page.Results); i++ {
		if page.Results[i-1].ID <= page.Results[i].ID {
			return got.errorf("id %d before %d", page.Results[i-1].ID, page.Results[i].ID)
		}
	}
	return nil
}

func (r *soakReader) head() error {
	got, err := r.ask("HEAD", "/api/events/?limit=3&offset="+strconv.Itoa(r.rng.IntN(50)), nil)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(got.header.Get("Content-Length")); got.status != 200 || len(got.body) > 0 || n < 100 || err != nil {
		return got.errorf("Content-Length %d, %v", n, err)
	}
	return nil
}

func (r *soakReader) options() error {
	got, err := r.ask("OPTIONS", "/api/events/", nil)
	if err != nil {
		return err
	}
	var about struct {
		Name    string
		Actions struct{ POST map[string]any }
	}
	if err := json.Unmarshal(got.body, &about); err != nil || got.status != 200 || about.Name == "" || len(about.Actions.POST) != 13 {
		return got.errorf("want actions: %v", err)
	}
	return nil
}

func (r *soakReader) root() error {
	got, err := r.ask("GET", "/api/", nil)
	if err != nil {
		return err
	}
	var links map[string]string
	if err := json.Unmarshal(got.body, &links); err != nil || got.status != 200 || len(links) != 39 {
		return got.errorf("want 39 links: %v", err)
	}
	return nil
}

// invalid sends an invalid request.
func (r *soakReader) invalid() error {
	requests := []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/nope/", "", 404},
		{"GET", "/api/events/" + strconv.Itoa(r.rng.IntN(1000)) + "/", "", 404},
		{"GET", "/api/events/?format=xml", "", 404},
		{"GET", "/api/events", "", 301},
		{"GET", "/api/events/?" + strings.Repeat("a=1&", 1000) + "b=1", "", 400},
		{"DELETE", "/api/events/", "", 405},
		{"POST", "/api/books/", "{}", 405},
		{"POST", "/api/events/", `{"name":`, 400},
		{"POST", "/api/events/", `{"name":"` + strings.Repeat("x", r.rng.IntN(2000)) + `"}`, 400},
	}
	request := requests[r.rng.IntN(len(requests))]
	var body []byte
	if request.body != "" {
		body = []byte(request.body)
	}
	got, err := r.ask(request.method, request.path, body)
	if err != nil {
		return err
	}
	var detail map[string]any
	if request.status == 301 {
		detail = map[string]any{"location": got.header.Get("Location")}
	} else if err := json.Unmarshal(got.body, &detail); err != nil {
		return got.errorf("want a detail: %v", err)
	}
	if got.status != request.status || len(detail) == 0 {
		return got.errorf("want %d", request.status)
	}
	return nil
}

// A soakWriter writes to its own events and keeps their number about the same.
type soakWriter struct {
	*soak
	rng  *rand.Rand
	own  []int // ids
	many int   // number of ids at the beginning
	last int   // highest assigned id
	held []heldPage
}

// A heldPage is a page of a snapshot. It is read again later and must not have changed.
type heldPage struct {
	s     catalogue.Snapshot[resources.Event]
	w     pagination.Window
	by    ordering.Term
	count int
	wires [][]byte
}

func newSoakWriter(s *soak, number int) *soakWriter {
	w := &soakWriter{soak: s, rng: rand.New(rand.NewPCG(2, uint64(number)))}
	for e := range mustIn(resources.Events, s.house).All() {
		if e.ID%s.writers == number {
			w.own = append(w.own, e.ID)
		}
	}
	w.many = len(w.own)
	return w
}

func (w *soakWriter) round() error {
	w.writes.Add(1)
	n := w.rng.IntN(20)
	switch more := len(w.own) - w.many; {
	case more > spread/2:
		n = 12
	case more < -spread/2:
		n = 0
	}
	switch {
	case n < 4:
		return w.post()
	case n < 7:
		return w.insert()
	case n < 11:
		return w.update()
	case n < 14:
		return w.delete()
	case n < 16:
		return w.batch()
	case n < 17:
		return w.hold()
	case n < 19:
		return w.readAgain()
	default:
		return w.clone()
	}
}

// event returns a new event.
func (w *soakWriter) event() (e resources.Event, err error) {
	err = json.Unmarshal(w.wires[w.rng.IntN(len(w.wires))], &e)
	e.ID = 0
	return e, err
}

// addID records an assigned id, which must be new.
func (w *soakWriter) addID(id int) error {
	if id <= w.last {
		return fmt.Errorf("an event has id %d after %d", id, w.last)
	}
	w.last = id
	w.own = append(w.own, id)
	return nil
}

func (w *soakWriter) post() error {
	wire := w.wires[w.rng.IntN(len(w.wires))]
	got, err := w.ask("POST", "/api/events/", wire)
	if err != nil {
		return err
	}
	var posted, stored resources.Event
	if err := errors.Join(json.Unmarshal(wire, &posted), json.Unmarshal(got.body, &stored)); err != nil || got.status != 201 {
		return got.errorf("posted %s: %v", wire, err)
	}
	if stored.Name != posted.Name || !stored.StartDate.Equal(posted.StartDate.Time) {
		return got.errorf("posted %s", wire)
	}
	return w.addID(stored.ID)
}

func (w *soakWriter) insert() error {
	e, err := w.event()
	if err != nil {
		return err
	}
	id, err := mustIn(resources.Events, w.house).Insert(e)
	if err != nil {
		return err
	}
	return w.addID(id)
}

func (w *soakWriter) update() error {
	fresh, err := w.event()
	if err != nil {
		return err
	}
	return mustIn(resources.Events, w.house).Update(w.own[w.rng.IntN(len(w.own))], func(e *resources.Event) error {
		fresh.ID = e.ID
		*e = fresh
		return nil
	})
}

func (w *soakWriter) delete() error {
	i := w.rng.IntN(len(w.own))
	id := w.own[i]
	w.own = slices.Delete(w.own, i, i+1)
	return mustIn(resources.Events, w.house).Delete(id)
}

// batch replaces some events with as many others. One batch in four fails.
func (w *soakWriter) batch() error {
	own, last, wantErr := slices.Clone(w.own), w.last, errors.New("on purpose")
	failing := w.rng.IntN(4) == 0
	err := mustIn(resources.Events, w.house).Batch(func(tx *catalogue.Tx[resources.Event]) error {
		for range 1 + w.rng.IntN(12) {
			i := w.rng.IntN(len(w.own))
			if err := tx.Delete(w.own[i]); err != nil {
				return err
			}
			w.own = slices.Delete(w.own, i, i+1)
			e, err := w.event()
			if err != nil {
				return err
			}
			id, err := tx.Insert(e)
			if err != nil {
				return err
			}
			if err := w.addID(id); err != nil {
				return err
			}
		}
		if failing {
			return wantErr
		}
		return nil
	})
	if !failing {
		return err
	}
	w.own, w.last = own, last
	if err != wantErr {
		return fmt.Errorf("a batch that fails returns %v", err)
	}
	return nil
}

// hold reads a page of a snapshot and keeps both.
func (w *soakWriter) hold() error {
	s := mustIn(resources.Events, w.house).Snapshot()
	fields := eventFields()
	h := heldPage{s: s, by: ordering.Term{Field: fields[w.rng.IntN(len(fields))], Desc: w.rng.IntN(2) == 0}, count: s.Count()}
	h.w = pagination.Window{Limit: 5, Offset: w.rng.IntN(h.count - 5)}
	var err error
	if h.wires, err = h.read(); err != nil {
		return err
	}
	if len(w.held) < 4 {
		w.held = append(w.held, h)
	} else {
		w.held[w.rng.IntN(4)] = h
	}
	return nil
}

func (h *heldPage) read() ([][]byte, error) {
	v, err := h.s.Where().View(h.w, h.by)
	if err != nil || v.Len() != 5 || v.Count() != h.count {
		return nil, fmt.Errorf("snapshot by %v: %d of %d, want 5 of %d: %v", h.by, v.Len(), v.Count(), h.count, err)
	}
	wires := make([][]byte, v.Len())
	for i := range wires {
		wire, err := v.JSON(i)
		if err != nil {
			return nil, err
		}
		wires[i] = bytes.Clone(wire)
	}
	return wires, nil
}

func (w *soakWriter) readAgain() error {
	if len(w.held) == 0 {
		return nil
	}
	return w.held[w.rng.IntN(len(w.held))].check()
}

// release reads all held pages again and drops them.
func (w *soakWriter) release() error {
	var errs []error
	for i := range w.held {
		errs = append(errs, w.held[i].check())
	}
	w.held = nil
	return errors.Join(errs...)
}

// check returns an error if the page has changed.
func (h *heldPage) check() error {
	wires, err := h.read()
	if err != nil {
		return err
	}
	if !slices.EqualFunc(wires, h.wires, bytes.Equal) {
		return fmt.Errorf("%v by %v is %s, want %s as before", h.w, h.by, wires, h.wires)
	}
	return nil
}

// clone clones the catalogue, writes to the clone and requests a page of it.
func (w *soakWriter) clone() error {
	clone := w.house.Clone()
	n := mustIn(resources.Events, clone).Count()
	for range 2 {
		e, err := w.event()
		if err != nil {
			return err
		}
		if _, err := mustIn(resources.Events, clone).Insert(e); err != nil {
			return err
		}
	}
	if err := mustIn(resources.Events, clone).Delete(w.own[w.rng.IntN(len(w.own))]); err != nil {
		return err
	}
	handler, err := New(clone, Options{})
	if err != nil {
		return err
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("GET", "/api/events/?limit=2&ordering=name", nil))
	var page eventsPage
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != 200 || page.Count != n+1 || len(page.Results) != 2 {
		return fmt.Errorf("clone: %d %s; want a count of %d: %v", answer.Code, answer.Body, n+1, err)
	}
	return nil
}
