package pgstore_test

import (
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
		expected.known.Store(scalar[int64](s, s.primary, "SELECT count FROM collections WHERE key = $1", key))
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
