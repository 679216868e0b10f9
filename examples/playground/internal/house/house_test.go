package house

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/resources/sample"
)

// memory is a Store in memory.
type memory struct {
	mu     sync.Mutex
	sample []byte
	saved  []byte // nil if nothing is saved
	pasted []byte
	saves  int
	err    error // of Save and Delete
}

func newMemory(t *testing.T) *memory {
	t.Helper()
	var publisher bytes.Buffer
	if err := sample.Write(&publisher, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	films, err := os.ReadFile("../../static/films.json")
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.TrimSuffix(bytes.TrimSpace(publisher.Bytes()), []byte("}"))
	return &memory{sample: slices.Concat(head, []byte(","), bytes.TrimPrefix(films, []byte("{")))}
}

func (m *memory) Load(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name == pastedName {
		return m.pasted, nil
	}
	if m.saved != nil {
		return m.saved, nil
	}
	return m.sample, nil
}

func (m *memory) Save(_ context.Context, name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	if m.err == nil && name == pastedName {
		m.pasted = data
	} else if m.err == nil {
		m.saved = data
	}
	return m.err
}

func (m *memory) Delete(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.saved, m.pasted = nil, nil
	}
	return m.err
}

// open opens the catalogues of a store and returns what they log.
func open(t *testing.T, store Store) (*Handler, *bytes.Buffer) {
	t.Helper()
	var logged bytes.Buffer
	h, err := Open(t.Context(), store, log.New(&logged, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	return h, &logged
}

func send(h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const event = `{"name":"x","slug":"new","startDate":"2026-05-10T18:00Z","endDate":"2026-05-10T18:00Z"}`

// TestRequests sends the requests of the README, and some that are not served.
func TestRequests(t *testing.T) {
	store := newMemory(t)
	h, logged := open(t, store)
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string // part of the body
	}{
		{"GET", "/api/", "", 200, `"events":"http://example.com/api/events/`},
		{"GET", "/api/events/?ordering=-start_date&limit=2", "", 200, `{"count":300,`},
		{"GET", "/v1/", "", 200, `"films":"http://example.com/v1/films/`},
		{"GET", "/v1/films/?minutes__gte=90&search=lights", "", 200, `{"count":1,"next":null,"previous":null,"results":[{"id":6,"name":"Friday Night Lights","minutes":118,"director":3}]}`},
		{"GET", "/v1/films/7/", "", 200, `{"id":7,"name":"Cléo from 5 to 7","minutes":90,"director":4}`},
		{"GET", "/v1", "", 301, ""},
		{"GET", "/v1/events/", "", 404, `{"detail":"Not found."}`},
		{"GET", "/v11/", "", 404, `{"detail":"Not found."}`},
		{"GET", "/", "", 404, `{"detail":"Not found."}`},
		{"GET", "//api/", "", 404, `{"detail":"Not found."}`},
		{"GET", "/state", "", 404, `{"detail":"Not found."}`},
		{"POST", "/v1/films/", `{"name":"x","minutes":-1,"director":99}`, 400, `{"minutes":[`},
		{"POST", "/api/labels/", `{}`, 405, `{"detail":`},
		{"GET", "/many/films/?genre=crime&year__gte=2000&limit=1", "", 200, `"genre":"crime"`},
		{"GET", "/many/films/?limit=1&offset=99999", "", 200, `{"count":100000,"next":null,`},
		{"DELETE", "/many/films/1/", "", 403, `{"detail":`},
		{"GET", "/yours/", "", 404, `{"detail":"Not found."}`},
		{"GET", "/pasted", "", 404, `{"detail":"Not found."}`},
	} {
		got := send(h, c.method, c.target, c.body)
		if got.Code != c.status || !strings.Contains(got.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.method, c.target, got.Code, got.Body, c.status, c.want)
		}
	}
	if store.saves > 0 || logged.Len() > 0 {
		t.Errorf("%d saves without a write; logged %s", store.saves, logged)
	}
}

// TestWrites checks that writes are saved before they are answered, until a reset.
func TestWrites(t *testing.T) {
	store := newMemory(t)
	h, _ := open(t, store)
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"POST", "/api/events/", event, 201},
		{"PATCH", "/v1/films/7/", `{"minutes":91}`, 200},
		{"DELETE", "/v1/films/1/", "", 204},
	} {
		before := store.saves
		if got := send(h, c.method, c.target, c.body); got.Code != c.status || store.saves != before+1 {
			t.Errorf("%s %s: %d %s, with %d saves", c.method, c.target, got.Code, got.Body, store.saves-before)
		}
	}
	h, _ = open(t, store)
	wantRecords(t, h, `"count":301`, `"minutes":91`, 404)
	if got := send(h, "DELETE", "/state", ""); got.Code != 204 || store.saved != nil {
		t.Errorf("reset: %d %s, and saved %.100s", got.Code, got.Body, store.saved)
	}
	wantRecords(t, h, `"count":300`, `"minutes":90`, 200)
	before := store.saves
	if send(h, "POST", "/api/events/", "{}"); store.saves != before {
		t.Error("a rejected write was saved")
	}
}

// wantRecords checks the count of the events, film 7, and the status of film 1.
func wantRecords(t *testing.T, h http.Handler, events, film string, status int) {
	t.Helper()
	if got := send(h, "GET", "/api/events/", "").Body.String(); !strings.Contains(got, events) {
		t.Errorf("events: %.100s, want %s", got, events)
	}
	if got := send(h, "GET", "/v1/films/7/", "").Body.String(); !strings.Contains(got, film) {
		t.Errorf("film 7: %s, want %s", got, film)
	}
	if got := send(h, "GET", "/v1/films/1/", "").Code; got != status {
		t.Errorf("film 1: %d, want %d", got, status)
	}
}

// TestStoreFails checks that a write is answered and reported if it cannot be saved, and
// that the next write saves it too.
func TestStoreFails(t *testing.T) {
	store := newMemory(t)
	h, logged := open(t, store)
	store.err = errors.New("no space")
	if got := send(h, "POST", "/api/events/", event); got.Code != 201 || !strings.Contains(logged.String(), "the records could not be saved: no space") {
		t.Errorf("POST: %d %s, logged %s", got.Code, got.Body, logged)
	}
	if got := send(h, "DELETE", "/state", ""); got.Code != 500 || !strings.Contains(got.Body.String(), "no space") {
		t.Errorf("reset: %d %s", got.Code, got.Body)
	}
	store.err = nil
	send(h, "POST", "/api/events/", "{}") // changes nothing itself
	h, _ = open(t, store)
	wantRecords(t, h, `"count":301`, `"minutes":90`, 200)
}

// TestInvalidSaved checks that saved records that cannot be loaded are replaced by the
// sample, and that an invalid sample is an error.
func TestInvalidSaved(t *testing.T) {
	store := newMemory(t)
	store.saved = []byte(`{"films":[{"id":1,`)
	h, logged := open(t, store)
	if !strings.Contains(logged.String(), "the saved records are replaced by the sample: ") || store.saved != nil {
		t.Errorf("logged %s, and saved %s", logged, store.saved)
	}
	wantRecords(t, h, `"count":300`, `"minutes":90`, 200)
	store.sample = []byte(`[]`)
	if _, err := Open(t.Context(), store, log.New(logged, "", 0)); err == nil || !strings.Contains(err.Error(), "house: sample: ") {
		t.Errorf("Open with an invalid sample returned %v", err)
	}
}

// TestConcurrentWrites checks that each write that was answered is saved.
func TestConcurrentWrites(t *testing.T) {
	store := newMemory(t)
	h, _ := open(t, store)
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			slug := fmt.Sprintf("slug-%d-end", i)
			if got := send(h, "POST", "/api/events/", strings.Replace(event, "new", slug, 1)); got.Code != 201 {
				t.Errorf("POST: %d %s", got.Code, got.Body)
			}
			if data, err := store.Load(t.Context(), recordsName); err != nil || !bytes.Contains(data, []byte(slug)) {
				t.Errorf("%s was answered and is not saved: %v", slug, err)
			}
		})
	}
	writers.Wait()
}

// TestPasted checks that pasted JSON is served, with its writes, also by a worker that starts again, until
// a reset, and that other JSON is refused with its error, which changes nothing.
func TestPasted(t *testing.T) {
	store := newMemory(t)
	h, _ := open(t, store)
	for _, step := range []struct {
		reason, method, target, body string
		status                       int
		want                         string // part of the body
	}{
		{"no service yet", "GET", "/yours/posts/", "", 404, "Not found."},
		{"no JSON, which has a line", "PUT", "/pasted", "{\n\"posts\": [", 400, "2"},
		{"no records", "PUT", "/pasted", "7", 400, "record"},
		{"nothing", "PUT", "/pasted", "", 400, ""},
		{"JSON", "PUT", "/pasted", `{"posts": [{"id": "a", "title": "One", "likes": 3}]}`, 200, "/yours/posts/ has 1 record: id text, title text, likes integer."},
		{"a list", "GET", "/yours/posts/?likes=3", "", 200, `"results":[{"id":"a","title":"One","likes":3}]`},
		{"a write", "POST", "/yours/posts/", `{"title": "Two"}`, 201, `"title":"Two"`},
		{"a write after it", "PATCH", "/yours/posts/a/", `{"likes": 4}`, 200, `"likes":4`},
		{"an error leaves the service", "PUT", "/pasted", "[", 400, ""},
		{"a new worker", "", "", "", 0, ""},
		{"the writes", "GET", "/yours/posts/", "", 200, `{"count":2,"next":null,"previous":null,"results":[{"id":"a","title":"One","likes":4},`},
		{"a page of another list", "PUT", "/pasted", `[{"id": 1}]`, 200, "/yours/records/ has 1 record"},
		{"not the first JSON", "GET", "/yours/posts/", "", 404, "Not found."},
		{"a reset", "DELETE", "/state", "", 204, ""},
		{"nothing is left", "GET", "/yours/records/", "", 404, "Not found."},
	} {
		if step.method == "" {
			h, _ = open(t, store)
			continue
		}
		got := send(h, step.method, step.target, step.body)
		if got.Code != step.status || !strings.Contains(got.Body.String(), step.want) || got.Code == 400 && len(got.Body.String()) < 10 {
			t.Errorf("%s: %d %s, want %d with %s", step.reason, got.Code, got.Body, step.status, step.want)
		}
	}
	if got := send(h, "PUT", "/pasted", "["+strings.Repeat(" ", maxPasted)); got.Code != 413 {
		t.Errorf("a text of more than 8 MiB: %d %s", got.Code, got.Body)
	}
}
