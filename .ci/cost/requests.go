package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/clienttest"
	"github.com/gobacklist/backlist/ordering"
)

type film struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Genre  string `json:"genre"`
	Year   int    `json:"year"`
	Studio string `json:"studio"`
	Length int    `json:"length"`
}

// newFilms returns a catalogue of 10,000 films with an index by genre and year.
func newFilms() *catalogue.Catalogue {
	c, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{
		Description: &schema.Description{Filters: []string{"genre", "year__gte", "year__lte", "length"}, Actions: schema.AllActions},
		Indexes:     [][]ordering.Term{by("genre,year")},
	}))
	check(err)
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `,{"id": %d, "title": "The Film %d", "genre": "g%d", "year": %d, "studio": "Studio %d", "length": %d}`,
			i+1, i, i%20, 1900+i%120, i%7, 60+i%90)
	}
	check(c.Load(strings.NewReader(`{"films": [`+text.String()[1:]+`]}`), catalogue.LoadOptions{}))
	return c
}

// A shownFilm is a film with its studio, and a briefFilm the same without one.
type (
	shownFilm struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Genre  string `json:"genre"`
		Year   int    `json:"year"`
		Studio studio `json:"studio"`
		Length int    `json:"length"`
	}
	madeFilm struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Genre  string `json:"genre"`
		Year   int    `json:"year"`
		Studio int    `json:"studio" backlist:"refers=studios,write=studio_id"`
		Length int    `json:"length"`
	}
	studio struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
)

// newShown returns a handler of 10,000 films and 100 studios. If withStudios, films are shown with their
// studios, otherwise as they are stored, but not of what has been encoded before.
func newShown(withStudios bool) http.Handler {
	studios, films := catalogue.Define[studio]("studios", catalogue.Options{}), catalogue.Define[madeFilm]("films", catalogue.Options{})
	show := catalogue.Show(films, func(_ *catalogue.Catalogue, f *madeFilm) (madeFilm, error) { return *f, nil })
	if withStudios {
		show = catalogue.Show(films, func(at *catalogue.Catalogue, f *madeFilm) (shownFilm, error) {
			all, err := studios.In(at)
			if err != nil {
				return shownFilm{}, err
			}
			by, err := all.Get(f.Studio)
			return shownFilm{f.ID, f.Title, f.Genre, f.Year, by, f.Length}, err
		}, studios)
	}
	c, err := catalogue.New(studios, show)
	check(err)
	check(c.Batch(func(b *catalogue.Batch) error {
		ofStudios, err := studios.Tx(b)
		check(err)
		ofFilms, err := films.Tx(b)
		check(err)
		for i := range 10_000 {
			if i%100 == 0 {
				_, err = ofStudios.Insert(studio{Name: fmt.Sprint("Studio ", i/100)})
				check(err)
			}
			_, err = ofFilms.Insert(madeFilm{Title: fmt.Sprint("The Film ", i), Genre: fmt.Sprint("g", i%20), Year: 1900 + i%120, Studio: 1 + i/100, Length: 60 + i%90})
			check(err)
		}
		return nil
	}))
	h, err := httpapi.New(c, httpapi.Options{Root: "/"})
	check(err)
	return h
}

// manyMembers returns an object with 10,000 members, which have the same value.
func manyMembers(value string) string {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `,"memberOfMany%d":%s`, i, value)
	}
	return "{" + text.String()[1:] + "}"
}

// newLoose returns a handler of a record with 10,000 members.
func newLoose() http.Handler {
	about := schema.Description{Loose: true, Lookup: "id", Actions: schema.AllActions, Fields: []schema.Field{{Name: "id", Kind: schema.Text, Key: true, Unique: true}}}
	c, err := catalogue.New(catalogue.Define[schema.Record]("cards", catalogue.Options{Description: &about}))
	check(err)
	check(c.Load(strings.NewReader(`{"cards": [{"id": "a",`+manyMembers("1")[1:]+`]}`), catalogue.LoadOptions{}))
	h, err := httpapi.New(c, httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll})
	check(err)
	return h
}

// newNumbers returns a handler of open records whose keys are numbers, and which have any members.
func newNumbers() http.Handler {
	file, err := infer.Read(strings.NewReader(`{"cards": [{"id": 7}]}`), infer.Options{})
	check(err)
	h, err := httpapi.New(file.Catalogue, httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll})
	check(err)
	return h
}

// newJudging returns a handler that reports the names that nothing reads.
func newJudging() http.Handler {
	server, err := cataloguetest.Open(cataloguetest.Options{Catalogue: newFilms(), Handler: httpapi.Options{Root: "/"}, MaxExchanges: 1, OnIgnored: func(*http.Request, string, string) {}})
	check(err)
	return server.Handler
}

// documents are rows of JSON files of any shape.
func documents() []row {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, `%s{"id":%d,"title":"The Film %d","year":%d,"price":"9.50","released":"1999-05-1%d"}`, []string{"[", ","}[min(i, 1)], i+1, i, 1900+i%120, i%10)
	}
	return []row{{name: "JSON file, per record", per: 1000, runs: 2, run: func(int) {
		_, err := infer.Read(strings.NewReader(text.String()+"]"), infer.Options{})
		check(err)
	}}}
}

// A response discards the body of a response.
type response struct {
	header http.Header
	status int
	bytes  int
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(status int)      { w.status = status }
func (w *response) Write(p []byte) (int, error) { w.bytes += len(p); return len(p), nil }

// requests are rows that call ServeHTTP.
func requests() []row {
	h, err := httpapi.New(newFilms(), httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll, Forms: true})
	check(err)
	tagged, err := httpapi.New(newFilms(), httpapi.Options{Root: "/", ETags: true})
	check(err)
	pages, err := browse.New(h, browse.Options{Title: "Films"})
	check(err)
	const post = `{"title": "New", "genre": "g1", "year": 2001, "studio": "S", "length": 90}`
	const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	return []row{
		serving("GET of a list", h, 500, 200, "GET", "/films/", "", nil),
		serving("GET of a list at an offset", h, 500, 200, "GET", "/films/?offset=9000", "", nil),
		serving("GET of a filtered list", h, 200, 200, "GET", "/films/?genre=g7&ordering=-year&year__gte=1950", "", nil),
		serving("GET of a list with two filters without an index", h, 80, 200, "GET", "/films/?genre=g7&length=70", "", nil),
		serving("GET of a record", h, 2000, 200, "GET", "/films/77/", "", nil),
		serving("GET of a list that is not modified", tagged, 1000, 304, "GET", "/films/?offset=9000", "", http.Header{"If-None-Match": {"*"}}),
		serving("GET of a list of records that are shown", newShown(false), 200, 200, "GET", "/films/", "", nil),
		serving("GET of a list of records that are shown with others", newShown(true), 200, 200, "GET", "/films/", "", nil),
		serving("OPTIONS", h, 160, 200, "OPTIONS", "/films/", "", nil),
		serving("POST", h, 160, 201, "POST", "/films/", post, http.Header{"Content-Type": {"application/json"}}),
		serving("POST of a form", h, 100, 201, "POST", "/films/", "title=New&genre=g1&year=2001&studio=S&length=90",
			http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}),
		serving("PATCH", h, 300, 200, "PATCH", "/films/77/", `{"title": "Another"}`, http.Header{"Content-Type": {"application/json"}}),
		serving("PATCH of 10,000 members", newLoose(), 2, 200, "PATCH", "/cards/a/", manyMembers("0"), http.Header{"Content-Type": {"application/json"}}),
		serving("POST of a record with any members", newNumbers(), 160, 201, "POST", "/cards/", post, http.Header{"Content-Type": {"application/json"}}),
		serving("GET with a name that nothing reads", newJudging(), 200, 200, "GET", "/films/?artist=5", "", nil),
		serving("GET of a page in HTML", pages, 2, 200, "GET", "/films/?genre=g7", "", http.Header{"Accept": {html}}),
	}
}

// serving returns a row that serves a request, whose response must have a status.
func serving(name string, h http.Handler, runs, status int, method, target, body string, header http.Header) row {
	text, w := strings.NewReader(body), &response{header: http.Header{}}
	r := httptest.NewRequest(method, target, text)
	for name, values := range header {
		r.Header[name] = values
	}
	return row{name: name, runs: runs, run: func(int) {
		clear(w.header)
		text.Reset(body)
		if h.ServeHTTP(w, r); w.status != status {
			check(fmt.Errorf("%s: status %d", name, w.status))
		}
	}}
}

// clients is the row of a test of a client.
func clients() []row {
	tests := make(chan *testing.T)
	go testing.Main(func(_, _ string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "TestClient", F: func(t *testing.T) { tests <- t; select {} }}}, nil, nil)
	t := <-tests
	return []row{{name: "clienttest, per situation", per: 37, runs: 1, run: func(int) {
		clienttest.VerifyClient(t, labelIDs, clienttest.Options{Collection: "labels", Skip: []string{"record-deleted", "record-replaced"}})
		if t.Failed() {
			check(errors.New("the client failed"))
		}
	}}}
}

// labelIDs is the client under test.
func labelIDs(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	seen := map[int]bool{}
	for next := baseURL + "/api/labels/"; next != ""; {
		if !strings.HasPrefix(next, baseURL+"/") {
			return nil, errors.New("a link leads to another host")
		}
		page, err := get(ctx, &strict, next)
		if err != nil {
			return nil, err
		}
		if page.Results == nil {
			return nil, errors.New("no page")
		}
		for _, label := range *page.Results {
			if seen[label.ID] {
				return nil, errors.New("a record is repeated")
			}
			seen[label.ID] = true
			ids = append(ids, label.ID)
		}
		if len(*page.Results) == 0 && page.Next != "" || page.Next == "" && page.Count != len(ids) {
			return nil, errors.New("records are missing")
		}
		next = page.Next
	}
	return ids, nil
}

type labels struct {
	Count   int
	Next    string
	Results *[]struct{ ID int }
}

func get(ctx context.Context, client *http.Client, url string) (page labels, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return page, err
	}
	response, err := client.Do(r)
	if err != nil {
		return page, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return page, errors.New(response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, &page)
	}
	return page, err
}
