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

// traffic is what clients ask of a server over HTTP, and what they know.
type traffic struct {
	*servers
	url     string
	client  *http.Client
	stop    chan struct{}
	ending  sync.Once
	running sync.WaitGroup
	ledgers map[string]*ledger

	phase atomic.Int64 // what the database is going through

	pages, notModified, created, unavailable atomic.Int64

	undue   atomic.Int64 // answers of 503 while the database was there
	slowest atomic.Int64 // nanoseconds
}

// Phases follow each other in turn; a new one is begun by adding 1.
const (
	up = iota
	goingAway
	away
	comingBack
	phases
)

// during says that a phase lasts that a request has begun in.
func (l *traffic) during(begun int64, phase int64) bool {
	return begun%phases == phase && l.phase.Load() == begun
}

const (
	readers = 16
	writers = 4
)

// serve lets clients loose on a store.
func (s *servers) serve(store *pgstore.Store) *traffic {
	s.Helper()
	l := &traffic{
		servers: s,
		stop:    make(chan struct{}),
		ledgers: map[string]*ledger{"books": newLedger("name"), "events": newLedger("name"), "social-links": newLedger("title")},
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
	server.Config.ErrorLog = log.New(complaints{s}, "", 0)
	server.Start()
	s.Cleanup(server.Close)
	l.url = server.URL + "/api/"
	l.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: readers + writers},
		Timeout:   patience,
	}
	s.Cleanup(l.client.CloseIdleConnections)
	for key, book := range l.ledgers {
		book.known.Store(scalar[int64](s, s.primary, "SELECT count FROM collections WHERE key = $1", key))
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

// complaints are what net/http logs: a panic, for one.
type complaints struct{ *servers }

func (c complaints) Write(text []byte) (int, error) {
	c.Errorf("net/http: %s", text)
	return len(text), nil
}

// end lets all requests end; the second time it does nothing.
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

// views are few enough for a client to ask for a page that it has.
var views = map[string][]view{
	"books":        {{ordering: "id"}, {ordering: "-id", desc: true}, {ordering: "name", member: "name"}},
	"events":       {{ordering: "" /* start_date */, member: "startDate"}, {ordering: "-start_date", member: "startDate", desc: true}, {ordering: "-id", desc: true}},
	"social-links": {{ordering: ""}, {ordering: "-id", desc: true}, {ordering: "title", member: "title"}, {ordering: "-title", member: "title", desc: true}},
}

// had is a page that a client has.
type had struct {
	tag   string
	count int
}

// reads asks for pages, with the tags of those it has.
func (l *traffic) reads(random *rand.Rand) {
	pages := map[string]had{}
	for !l.over() {
		for key, all := range views {
			v := all[random.IntN(len(all))]
			v.limit, v.offset = 1+random.IntN(2)*20, random.IntN(3)*10
			target := l.url + key + "/" + v.target()
			pages[target] = l.read(l.ledgers[key], v, target, pages[target])
		}
	}
}

func (l *traffic) read(book *ledger, v view, target string, has had) had {
	before := book.known.Load()
	request, err := http.NewRequest("GET", target, nil)
	if err != nil {
		l.Error(err)
		return had{}
	}
	if has.tag != "" {
		request.Header.Set("If-None-Match", has.tag)
	}
	response, body := l.do(request)
	if response == nil {
		return had{}
	}
	switch response.StatusCode {
	case http.StatusOK:
		l.pages.Add(1)
		if has.count, err = book.check(v, body, before); err != nil {
			l.Errorf("GET %s: %v", target, err)
		}
		has.tag = response.Header.Get("ETag")
	case http.StatusNotModified:
		l.notModified.Add(1)
		if int64(has.count) < before {
			l.Errorf("GET %s: 304 for a page of %d, of %d it is known that they are there", target, has.count, before)
		}
	case http.StatusServiceUnavailable:
	default:
		l.Errorf("GET %s: %d %s", target, response.StatusCode, body)
	}
	return has
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
	book := l.ledgers[key]
	o := book.sends(name)
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
		if _, err := book.show(body); err != nil {
			l.Errorf("POST %s: %v", name, err)
		}
		book.known.Add(1)
		l.created.Add(1)
	case http.StatusServiceUnavailable:
		o.unknown = true
	default:
		l.Errorf("POST %s: %d %s", name, response.StatusCode, body)
	}
}

// do sends a request; a response of nil is a failure that was told.
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
		if l.during(phase, away) {
			l.Errorf("%s %s: %d while the database is away", request.Method, request.URL, response.StatusCode)
		}
		return response, body
	}
	l.unavailable.Add(1)
	if l.during(phase, up) {
		l.undue.Add(1)
	}
	var said struct{ Detail string }
	after, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || after < 1 || json.Unmarshal(body, &said) != nil || said.Detail == "" || response.Header.Get("Content-Type") != "application/json" {
		l.Errorf("%s %s: 503 %v %s", request.Method, request.URL, response.Header, body)
	}
	return response, body
}
