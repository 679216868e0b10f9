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
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func get(t *testing.T, house *cataloguetest.House, path string) (status int, body string) {
	t.Helper()
	answer, err := house.Client.Get(house.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

func page(t *testing.T, house *cataloguetest.House, path string) pagination.Envelope[resources.Record] {
	t.Helper()
	status, body := get(t, house, path)
	var p pagination.Envelope[resources.Record]
	if err := p.UnmarshalJSON([]byte(body)); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, status, err)
	}
	return p
}

func TestEveryCollectionIsServed(t *testing.T) {
	house := cataloguetest.New(t)
	for key, c := range house.Catalogue.All() {
		about, _ := resources.Lookup(key)
		p := page(t, house, "/api/"+about.Segment+"/")
		if p.Count == 0 || p.Count != c.Count() {
			t.Errorf("%s: %d records served, %d there", key, p.Count, c.Count())
		}
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestLinksLeadOn(t *testing.T) {
	house := cataloguetest.New(t)
	seen := map[int]bool{}
	path := "/api/events/"
	for path != "" {
		p := page(t, house, path)
		for _, r := range p.Records {
			if seen[r.ID] {
				t.Fatalf("event %d comes twice", r.ID)
			}
			seen[r.ID] = true
		}
		rest, ok := strings.CutPrefix(p.Next, house.URL)
		if p.Next != "" && !ok {
			t.Fatalf("next leads to %s", p.Next)
		}
		path = rest
	}
	if n := house.Catalogue.Events().Count(); len(seen) != n {
		t.Errorf("walked %d of %d", len(seen), n)
	}
}

// Tests that run at once see nothing of each other, and the sample is whole
// for who comes later.
func TestNothingIsShared(t *testing.T) {
	count := cataloguetest.New(t).Catalogue.Events().Count()
	var all sync.WaitGroup
	for i := range 8 {
		house := cataloguetest.New(t)
		all.Go(func() {
			for n := range 10 * i {
				if _, err := house.Catalogue.Events().Insert(resources.Event{Name: fmt.Sprint(n), StartDate: resources.DateTime{}, EndDate: resources.DateTime{}}); err != nil {
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
		t.Errorf("%d events, %d before", p.Count, count)
	}
}

func TestPostIsSeen(t *testing.T) {
	house := cataloguetest.New(t)
	before := house.Catalogue.Events().Count()
	answer, err := house.Client.Post(house.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated || house.Catalogue.Events().Count() != before+1 {
		t.Errorf("%s, %d events, %d before", answer.Status, house.Catalogue.Events().Count(), before)
	}
}

func TestClosedWithTheTest(t *testing.T) {
	for name, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Server: true}} {
		t.Run(name, func(t *testing.T) {
			var house *cataloguetest.House
			t.Run("inner", func(t *testing.T) {
				house = cataloguetest.NewWith(t, opts)
				get(t, house, "/api/")
			})
			if answer, err := house.Client.Get(house.URL + "/api/"); err == nil {
				answer.Body.Close()
				t.Error("it still answers")
			}
		})
	}
}

// TestSchemes: links begin with what the client asked, over each of the four ways.
func TestSchemes(t *testing.T) {
	for reason, row := range map[string]struct {
		opts cataloguetest.Options
		want string
	}{
		"the default":            {cataloguetest.Options{}, "http://catalogue.test"},
		"https in process":       {cataloguetest.Options{Secure: true}, "https://catalogue.test"},
		"a loopback port":        {cataloguetest.Options{Server: true}, "http://127.0.0.1:"},
		"https on loopback port": {cataloguetest.Options{Server: true, Secure: true}, "https://127.0.0.1:"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			house := cataloguetest.NewWith(t, row.opts)
			if !strings.HasPrefix(house.URL, row.want) {
				t.Errorf("served at %s", house.URL)
			}
			if p := page(t, house, "/api/events/"); p.Next != house.URL+"/api/events/?limit=21&offset=21" {
				t.Errorf("next is %s", p.Next)
			}
		})
	}
}

func TestEmptyHouse(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Empty: true})
	for _, about := range resources.Descriptions() {
		if p := page(t, house, "/api/"+about.Segment+"/"); p.Count != 0 {
			t.Errorf("%s: %d records", about.Key, p.Count)
		}
	}
}

// TestGivenCatalogue: it is served itself, with its own types, and written to.
func TestGivenCatalogue(t *testing.T) {
	type book struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	given, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	house := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: given})
	books, err := catalogue.Define[book]("books", catalogue.Options{}).In(given)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := books.Insert(book{Title: "Emma"}); err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, house, "/api/books/"); body != `{"count":1,"next":null,"previous":null,"results":[{"id":1,"title":"Emma"}]}` {
		t.Error(body)
	}
	postEvent(t, house)
	if given.Events().Count() != 1 || house.Catalogue != given {
		t.Error("another catalogue was written to")
	}
}

func postEvent(t *testing.T, house *cataloguetest.House) (status int) {
	t.Helper()
	answer, err := house.Client.Post(house.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestWhoMayWrite(t *testing.T) {
	open := cataloguetest.New(t)
	closed := cataloguetest.NewWith(t, cataloguetest.Options{Authorizer: httpapi.Bearer("s3cret")})
	if status := postEvent(t, open); status != http.StatusCreated {
		t.Errorf("anybody: %d", status)
	}
	if status := postEvent(t, closed); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
}

func TestContradictoryOptions(t *testing.T) {
	files := fstest.MapFS{"events.json": {Data: []byte("[]")}}
	for reason, opts := range map[string]cataloguetest.Options{
		"empty and a catalogue":    {Empty: true, Catalogue: catalogue.New()},
		"empty and fixtures":       {Empty: true, Fixtures: files},
		"a catalogue and fixtures": {Catalogue: catalogue.New(), Fixtures: files},
	} {
		got := failure(t, func(tb testing.TB) { cataloguetest.NewWith(tb, opts) })
		if want := "cataloguetest: options: choose one of Empty, Catalogue and Fixtures"; got != want {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// TestNothingIsLeft: a house takes its goroutines with it, also those of requests
// that were never read to their end.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, opts := range []cataloguetest.Options{{}, {Secure: true}, {Server: true}} {
		for range 20 {
			r := &recorder{TB: t}
			house := cataloguetest.NewWith(r, opts)
			for range 3 { // a connection each, as no body is read
				if _, err := house.Client.Get(house.URL + "/api/events/?limit=1000"); err != nil {
					t.Fatal(err)
				}
			}
			r.end()
		}
	}
	for range 1_000_000 { // what was told to end still has to get its turn
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
