package pgstore_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// traffic sends requests to a server over HTTP and checks the responses.
type traffic struct {
	*servers
	url      string
	client   *http.Client
	stop     chan struct{}
	ending   sync.Once
	running  sync.WaitGroup
	expected map[string]*expectation

	phase atomic.Int64 // the state of the database

	pages, notModified, created, unavailable atomic.Int64

	unexpected atomic.Int64 // answers of 503 while the database was up
	slowest    atomic.Int64 // nanoseconds
}

// Adding 1 to the phase begins the next one, cyclically.
const (
	up = iota
	stopping
	down
	starting
	phases
)

// during reports whether a request that began in a phase has also ended in it.
func (l *traffic) during(begun int64, phase int64) bool {
	return begun%phases == phase && l.phase.Load() == begun
}

const (
	readers = 16
	writers = 4
)

// serve starts a server for a store and clients that send requests to it.
func (s *servers) serve(store *pgstore.Store) *traffic {
	s.Helper()
	l := &traffic{
		servers:  s,
		stop:     make(chan struct{}),
		expected: map[string]*expectation{"books": newExpectation("name"), "events": newExpectation("name"), "social-links": newExpectation("title")},
	}
	server := httptest.NewUnstartedServer(handle(s, store, httpapi.Options{
		ETags:      true,
		Authorizer: httpapi.AllowAll,
		OnError: func(r *http.Request, err error) {
			if !errors.Is(err, httpapi.ErrUnavailable) {
				s.Errorf("%s %s: %v", r.Method, r.URL, err)
			}
		},
	}))
	server.Config.ErrorLog = log.New(errorLog{s}, "", 0)
	server.Start()
	s.Cleanup(server.Close)
	l.url = server.URL + "/api/"
	l.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: readers + writers},
		Timeout:   testTimeout,
	}
	s.Cleanup(l.client.CloseIdleConnections)
	for key, expected := range l.expected {
		expected.known.Store(scalar[int64](s, "SELECT count FROM collections WHERE key = $1", key))
	}
	s.Cleanup(l.end)
	for i := range readers {
		l.running.Go(func() { l.reads(rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	for i := range writers {
		l.running.Go(func() { l.writes(i) })
	}
	return l
}

// errorLog reports errors that net/http logs, such as panics.
type errorLog struct{ *servers }

func (e errorLog) Write(text []byte) (int, error) {
	e.Errorf("net/http: %s", text)
	return len(text), nil
}

// end stops the clients and waits for them. A second call has no effect.
func (l *traffic) end() {
	l.ending.Do(func() { close(l.stop) })
	l.running.Wait()
}

func (l *traffic) over() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// views are the requests of clients. They are few, so that clients repeat them.
var views = map[string][]view{
	"books":        {{ordering: "id"}, {ordering: "-id", desc: true}, {ordering: "name", member: "name"}},
	"events":       {{ordering: "" /* start_date */, member: "startDate"}, {ordering: "-start_date", member: "startDate", desc: true}, {ordering: "-id", desc: true}},
	"social-links": {{ordering: ""}, {ordering: "-id", desc: true}, {ordering: "title", member: "title"}, {ordering: "-title", member: "title", desc: true}},
}

// cachedPage is a page that a client has read.
type cachedPage struct {
	tag   string
	count int
}

// reads requests pages, with the tags of cached ones.
func (l *traffic) reads(random *rand.Rand) {
	pages := map[string]cachedPage{}
	for !l.over() {
		for key, all := range views {
			v := all[random.IntN(len(all))]
			v.limit, v.offset = 1+random.IntN(2)*20, random.IntN(3)*10
			target := l.url + key + "/" + v.target()
			pages[target] = l.read(l.expected[key], v, target, pages[target])
		}
	}
}

func (l *traffic) read(expected *expectation, v view, target string, cached cachedPage) cachedPage {
	before := expected.known.Load()
	request, err := http.NewRequest("GET", target, nil)
	if err != nil {
		l.Error(err)
		return cachedPage{}
	}
	if cached.tag != "" {
		request.Header.Set("If-None-Match", cached.tag)
	}
	response, body := l.do(request)
	if response == nil {
		return cachedPage{}
	}
	switch response.StatusCode {
	case http.StatusOK:
		l.pages.Add(1)
		if cached.count, err = expected.check(v, body, before); err != nil {
			l.Errorf("GET %s: %v", target, err)
		}
		cached.tag = response.Header.Get("ETag")
	case http.StatusNotModified:
		l.notModified.Add(1)
		if int64(cached.count) < before {
			l.Errorf("GET %s: 304 for a page with count %d, want at least %d", target, cached.count, before)
		}
	case http.StatusServiceUnavailable:
	default:
		l.Errorf("GET %s: %d %s", target, response.StatusCode, body)
	}
	return cached
}

// writes posts records, each once.
func (l *traffic) writes(writer int) {
	for n := 0; !l.over(); n++ {
		name := fmt.Sprintf("w%d-%06d", writer, n)
		if n%2 == 0 {
			l.write("social-links", name, link(name))
		} else {
			l.write("events", name, fmt.Sprintf(`{"name":"%s","slug":"s","startDate":"20%02d-05-01T18:00:00Z","endDate":"2099-05-01T20:00:00Z"}`, name, n%50))
		}
	}
}

func (l *traffic) write(key, name, record string) {
	expected := l.expected[key]
	o := expected.post(name)
	request, err := http.NewRequest("POST", l.url+key+"/", strings.NewReader(record))
	if err != nil {
		l.Error(err)
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, body := l.do(request)
	if response == nil {
		return
	}
	switch response.StatusCode {
	case http.StatusCreated:
		o.created = true
		if _, err := expected.observe(body); err != nil {
			l.Errorf("POST %s: %v", name, err)
		}
		expected.known.Add(1)
		l.created.Add(1)
	case http.StatusServiceUnavailable:
		o.unknown = true
	default:
		l.Errorf("POST %s: %d %s", name, response.StatusCode, body)
	}
}

// do sends a request. It returns nil after a failure, which it reports.
func (l *traffic) do(request *http.Request) (*http.Response, []byte) {
	phase, begun := l.phase.Load(), time.Now()
	response, err := l.client.Do(request)
	if err != nil {
		l.Error(err)
		return nil, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		l.Errorf("%s %s: %v", request.Method, request.URL, err)
		return nil, nil
	}
	took := int64(time.Since(begun))
	for slowest := l.slowest.Load(); took > slowest && !l.slowest.CompareAndSwap(slowest, took); slowest = l.slowest.Load() {
	}
	if response.StatusCode != http.StatusServiceUnavailable {
		if l.during(phase, down) {
			l.Errorf("%s %s: status %d while the database is down", request.Method, request.URL, response.StatusCode)
		}
		return response, body
	}
	l.unavailable.Add(1)
	if l.during(phase, up) {
		l.unexpected.Add(1)
	}
	var answer struct{ Detail string }
	after, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || after < 1 || json.Unmarshal(body, &answer) != nil || answer.Detail == "" || response.Header.Get("Content-Type") != "application/json" {
		l.Errorf("%s %s: 503 %v %s", request.Method, request.URL, response.Header, body)
	}
	return response, body
}

// expectation holds what clients know about a collection. Records that were read or
// acknowledged must not change.
type expectation struct {
	name  string       // the member that differs in all posted records
	known atomic.Int64 // number of initial and acknowledged records
	mu    sync.Mutex
	read  map[int]string      // records that were read or acknowledged, by id
	sent  map[string]*outcome // posts, by name
}

// outcome is the result of a POST.
type outcome struct{ created, unknown bool }

func newExpectation(name string) *expectation {
	return &expectation{name: name, read: map[int]string{}, sent: map[string]*outcome{}}
}

// post records that a record with a name is about to be posted.
func (l *expectation) post(name string) *outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[name] = &outcome{}
	return l.sent[name]
}

// observe records a record that was read or acknowledged.
func (l *expectation) observe(record json.RawMessage) (id int, err error) {
	var members map[string]any
	if err := json.Unmarshal(record, &members); err != nil {
		return 0, err
	}
	number, _ := members["id"].(float64)
	if id = int(number); id < 1 {
		return 0, fmt.Errorf("no id in %s", record)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, ok := l.read[id]; ok {
		if before != string(record) {
			return id, fmt.Errorf("id %d is %s and was %s", id, record, before)
		}
		return id, nil
	}
	l.read[id] = string(record)
	name, _ := members[l.name].(string)
	if l.sent[name] == nil && !strings.HasPrefix(name, "base") {
		return id, fmt.Errorf("record was never posted: %s", record)
	}
	return id, nil
}

func (l *expectation) compare(stored map[int]string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var faults []error
	for id, record := range l.read {
		if stored[id] != record {
			faults = append(faults, fmt.Errorf("id %d: stored %q, read %s", id, stored[id], record))
		}
	}
	times := map[string]int{}
	for _, record := range stored {
		var members map[string]any
		if err := json.Unmarshal([]byte(record), &members); err != nil {
			faults = append(faults, err)
			continue
		}
		name, _ := members[l.name].(string)
		times[name]++
	}
	for name, o := range l.sent {
		if n := times[name]; n > 1 || n == 0 && o.created || n == 1 && !o.created && !o.unknown {
			faults = append(faults, fmt.Errorf("%s is stored %d times, %+v", name, n, *o))
		}
	}
	return errors.Join(faults...)
}

// listing is the body of a page.
type listing struct {
	Count          int
	Next, Previous *string
	Results        []json.RawMessage
}

// view is a request for a page.
type view struct {
	ordering      string // query parameter
	member        string // of the ordering; "" is id
	desc          bool
	limit, offset int
}

// target returns the query of the request.
func (v view) target() string {
	return fmt.Sprintf("?ordering=%s&limit=%d&offset=%d", v.ordering, v.limit, v.offset)
}

// check returns an error if a page is wrong. before is the number of known records when
// it was requested.
func (l *expectation) check(v view, body []byte, before int64) (count int, err error) {
	var p listing
	if err := json.Unmarshal(body, &p); err != nil {
		return 0, err
	}
	if int64(p.Count) < before {
		return 0, fmt.Errorf("count = %d, want at least %d", p.Count, before)
	}
	if want := max(0, min(v.limit, p.Count-v.offset)); len(p.Results) != want {
		return 0, fmt.Errorf("%d records of %d, want %d", len(p.Results), p.Count, want)
	}
	if more := v.offset+v.limit < p.Count; (p.Next != nil) != more || (p.Previous != nil) != (v.offset > 0) {
		return 0, fmt.Errorf("next = %v, previous = %v, count = %d", p.Next, p.Previous, p.Count)
	}
	var lastKey string
	var lastID int
	for i, record := range p.Results {
		id, err := l.observe(record)
		if err != nil {
			return 0, err
		}
		key, err := text(record, v.member)
		if err != nil {
			return 0, err
		}
		way := cmp.Or(strings.Compare(lastKey, key), cmp.Compare(lastID, id))
		if v.desc {
			way = -way
		}
		if i > 0 && way >= 0 {
			return 0, fmt.Errorf("%d (%q) comes after %d (%q)", id, key, lastID, lastKey)
		}
		lastKey, lastID = key, id
		// Ids have no gaps, even after rollbacks.
		place := v.offset + i + 1
		if v.desc {
			place = p.Count + 1 - place
		}
		if v.member == "" && id != place {
			return 0, fmt.Errorf("id %d at %d of %d", id, v.offset+i, p.Count)
		}
	}
	return p.Count, nil
}

// text returns a member of a record. Texts of times have the same length, so they sort
// by time.
func text(record json.RawMessage, member string) (string, error) {
	if member == "" {
		return "", nil
	}
	var members map[string]any
	err := json.Unmarshal(record, &members)
	value, ok := members[member].(string)
	if err == nil && !ok {
		err = fmt.Errorf("no %s in %s", member, record)
	}
	return value, err
}

// TestCrash ends the database in several ways under load. Answered pages and posts must
// be correct and permanent, all other answers must be 503, and the program must
// continue when the database is back.
func TestCrash(t *testing.T) {
	s := newServers(t)
	crashes := 5
	if testing.Short() {
		crashes = 3
	}
	for _, c := range []struct {
		name        string
		times       int
		timeout     time.Duration
		end, resume func() error
	}{
		{"crash", crashes, 0, func() error { return s.server.Shutdown("immediate") }, s.server.Start},
		{"fast shutdown", 1, 0, func() error { return s.server.Shutdown("fast") }, s.server.Start},
		{"frozen", 1, 400 * time.Millisecond, s.server.Freeze, s.server.Thaw},
	} {
		s.run(c.name, func(s *servers) {
			store := s.open("store", pgstore.Options{Timeout: c.timeout})
			s.must(store.Load(s.Context(), strings.NewReader(baseRecords()), pgstore.LoadOptions{}))
			l := s.serve(store)
			for range c.times {
				l.awaitProgress(5 + rand.Int64N(30))
				l.phase.Add(1)
				s.must(c.end())
				l.phase.Add(1)
				l.awaitRefusals()
				l.phase.Add(1)
				s.must(c.resume())
				l.phase.Add(1)
			}
			l.awaitProgress(10)
			l.end()
			l.compareStored()
			s.Logf("%d pages, %d not modified, %d created, %d answers of 503, %d of them while the database was up; slowest answer %v",
				l.pages.Load(), l.notModified.Load(), l.created.Load(), l.unavailable.Load(), l.unexpected.Load(), time.Duration(l.slowest.Load()).Round(time.Millisecond))
		})
	}
}

// baseRecords returns a file of the initial records.
func baseRecords() string {
	var books []string
	for id := range 60 {
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"base%02d"}`, id+1, id*7%60))
	}
	return `{"authors":[{"id":1}],"books":[` + strings.Join(books, ",") + `]}`
}

// awaitProgress waits until more records were created and more pages read.
func (l *traffic) awaitProgress(more int64) {
	l.Helper()
	created, pages := l.created.Load(), l.pages.Load()
	l.eventually("records are created and pages read", func() bool {
		return l.created.Load() >= created+more && l.pages.Load() >= pages+more
	})
}

// awaitRefusals waits until requests are answered with 503.
func (l *traffic) awaitRefusals() {
	l.Helper()
	unavailable := l.unavailable.Load()
	l.eventually("requests are refused", func() bool { return l.unavailable.Load() >= unavailable+2*(readers+writers) })
}

// compareStored compares the clients' expectations with the stored records.
func (l *traffic) compareStored() {
	l.Helper()
	db := connect(l, l.dsn("compare"))
	defer db.Close()
	for key, expected := range l.expected {
		stored := map[int]string{}
		rows, err := db.Query("SELECT id, record FROM " + strings.ReplaceAll(key, "-", "_"))
		l.must(err)
		for rows.Next() {
			var id int
			var record string
			l.must(rows.Scan(&id, &record))
			stored[id] = record
		}
		l.must(rows.Err())
		if err := expected.compare(stored); err != nil {
			l.Errorf("%s: %v", key, err)
		}
	}
}
