package cataloguetest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
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
		about, _ := resources.Find(key)
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
		for _, r := range p.Results {
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
	var house *cataloguetest.House
	t.Run("inner", func(t *testing.T) {
		house = cataloguetest.New(t)
		get(t, house, "/api/")
	})
	if answer, err := http.Get(house.URL + "/api/"); err == nil {
		answer.Body.Close()
		t.Error("it still answers")
	}
}
