package cataloguetest_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

func get(t *testing.T, house *cataloguetest.House, path string) (status int, body string) {
	t.Helper()
	resp, err := house.Client.Get(house.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func page(t *testing.T, house *cataloguetest.House, path string) pagination.Envelope[schema.Record] {
	t.Helper()
	status, body := get(t, house, path)
	var p pagination.Envelope[schema.Record]
	if err := p.UnmarshalJSON([]byte(body)); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, status, err)
	}
	return p
}

func TestServesEveryCollection(t *testing.T) {
	house := cataloguetest.New(t)
	for key, c := range house.Catalogue.All() {
		about, _ := schema.Lookup(key)
		p := page(t, house, "/api/"+about.Segment+"/")
		if p.Count == 0 || p.Count != c.Count() {
			t.Errorf("%s: count %d, want %d", key, p.Count, c.Count())
		}
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestFollowNextLinks(t *testing.T) {
	house := cataloguetest.New(t)
	seen := map[int]bool{}
	path := "/api/events/"
	for path != "" {
		p := page(t, house, path)
		for _, r := range p.Records {
			if seen[r.ID] {
				t.Fatalf("event %d is on two pages", r.ID)
			}
			seen[r.ID] = true
		}
		rest, ok := strings.CutPrefix(p.Next, house.URL)
		if p.Next != "" && !ok {
			t.Fatalf("next = %s, want prefix %s", p.Next, house.URL)
		}
		path = rest
	}
	if n := house.Catalogue.Events().Count(); len(seen) != n {
		t.Errorf("found %d events, want %d", len(seen), n)
	}
}

// TestHousesAreIndependent checks that concurrent and later tests do not see each other's
// changes.
func TestHousesAreIndependent(t *testing.T) {
	count := cataloguetest.New(t).Catalogue.Events().Count()
	var all sync.WaitGroup
	for i := range 8 {
		house := cataloguetest.New(t)
		all.Go(func() {
			for n := range 10 * i {
				if _, err := house.Catalogue.Events().Insert(schema.Event{Name: fmt.Sprint(n), StartDate: schema.DateTime{}, EndDate: schema.DateTime{}}); err != nil {
					t.Error(err)
				}
			}
			for e := range house.Catalogue.Events().All() {
				if e.ID%2 == 0 {
					if err := house.Catalogue.Events().Delete(e.ID); err != nil {
						t.Error(err)
					}
				}
			}
			if err := house.Catalogue.Check(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p := page(t, cataloguetest.New(t), "/api/events/"); p.Count != count {
		t.Errorf("new house has %d events, want %d", p.Count, count)
	}
}

func TestPostIsStored(t *testing.T) {
	house := cataloguetest.New(t)
	before := house.Catalogue.Events().Count()
	resp, err := house.Client.Post(house.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated || house.Catalogue.Events().Count() != before+1 {
		t.Errorf("status %s, %d events; want 201, %d", resp.Status, house.Catalogue.Events().Count(), before+1)
	}
}

func TestHouseIsClosedWithTest(t *testing.T) {
	for name, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Server: true}} {
		t.Run(name, func(t *testing.T) {
			var house *cataloguetest.House
			t.Run("inner", func(t *testing.T) {
				house = cataloguetest.NewWith(t, opts)
				get(t, house, "/api/")
			})
			if resp, err := house.Client.Get(house.URL + "/api/"); err == nil {
				resp.Body.Close()
				t.Error("request succeeded after the end of the test")
			}
		})
	}
}

// TestURL checks that links begin with the URL of the house.
func TestURL(t *testing.T) {
	for reason, row := range map[string]struct {
		opts cataloguetest.Options
		want string
	}{
		"in process":             {cataloguetest.Options{}, "http://catalogue.test"},
		"https in process":       {cataloguetest.Options{Secure: true}, "https://catalogue.test"},
		"loopback port":          {cataloguetest.Options{Server: true}, "http://127.0.0.1:"},
		"https on loopback port": {cataloguetest.Options{Server: true, Secure: true}, "https://127.0.0.1:"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			house := cataloguetest.NewWith(t, row.opts)
			if !strings.HasPrefix(house.URL, row.want) {
				t.Errorf("URL = %s, want prefix %s", house.URL, row.want)
			}
			if p := page(t, house, "/api/events/"); p.Next != house.URL+"/api/events/?limit=21&offset=21" {
				t.Errorf("next = %s", p.Next)
			}
		})
	}
}

func TestOptionsEmpty(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Empty: true})
	for _, about := range schema.Descriptions() {
		if p := page(t, house, "/api/"+about.Segment+"/"); p.Count != 0 {
			t.Errorf("%s: count %d, want 0", about.Key, p.Count)
		}
	}
}

// TestOptionsCatalogue checks that a catalogue is served with its types, and that posted
// records are written to it.
func TestOptionsCatalogue(t *testing.T) {
	type book struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	own, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	house := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: own})
	books, err := catalogue.Define[book]("books", catalogue.Options{}).In(own)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := books.Insert(book{Title: "Emma"}); err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, house, "/api/books/"); body != `{"count":1,"next":null,"previous":null,"results":[{"id":1,"title":"Emma"}]}` {
		t.Errorf("books: %s", body)
	}
	postEvent(t, house)
	if own.Events().Count() != 1 || house.Catalogue != own {
		t.Error("POST did not write to the catalogue")
	}
}

func postEvent(t *testing.T, house *cataloguetest.House) (status int) {
	t.Helper()
	resp, err := house.Client.Post(house.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestOptionsAuthorizer(t *testing.T) {
	open := cataloguetest.New(t)
	closed := cataloguetest.NewWith(t, cataloguetest.Options{Authorizer: httpapi.Bearer("s3cret")})
	if status := postEvent(t, open); status != http.StatusCreated {
		t.Errorf("default: status %d, want 201", status)
	}
	if status := postEvent(t, closed); status != http.StatusUnauthorized {
		t.Errorf("Bearer without a token: status %d, want 401", status)
	}
}

func TestOptionsContradict(t *testing.T) {
	files := fstest.MapFS{"events.json": {Data: []byte("[]")}}
	for reason, opts := range map[string]cataloguetest.Options{
		"Empty and Catalogue":    {Empty: true, Catalogue: catalogue.New()},
		"Empty and Fixtures":     {Empty: true, Fixtures: files},
		"Catalogue and Fixtures": {Catalogue: catalogue.New(), Fixtures: files},
	} {
		got := failureOf(t, func(tb testing.TB) { cataloguetest.NewWith(tb, opts) })
		if want := "cataloguetest: options: at most one of Empty, Catalogue and Fixtures may be set"; got != want {
			t.Errorf("%s: failed with %q, want %q", reason, got, want)
		}
	}
}

// TestNoGoroutinesLeft checks that no goroutine outlives a house, even if responses were
// not read to the end.
func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, opts := range []cataloguetest.Options{{}, {Secure: true}, {Server: true}} {
		for range 20 {
			r := &recorder{TB: t}
			house := cataloguetest.NewWith(r, opts)
			for range 3 { // on a connection each, since no body is read
				if _, err := house.Client.Get(house.URL + "/api/events/?limit=1000"); err != nil {
					t.Fatal(err)
				}
			}
			r.end()
		}
	}
	for range 1_000_000 { // until they have ended
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, want at most %d", runtime.NumGoroutine(), before)
}
