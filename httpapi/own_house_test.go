package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// The collections of the second recorded service.
type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	genre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int32  `json:"position" backlist:"default=0"`
	}

	film struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *schema.Float64  `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

var ownNow = time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// newFilmHouse returns an empty catalogue of directors, genres and films.
func newFilmHouse(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	house, err := catalogue.NewOnly(
		catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Search: []string{"^name", "=slug"}}}),
		catalogue.Define[genre]("genres", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{
			Now: func() time.Time { return ownNow },
			Description: &schema.Description{
				Search:  []string{"title", "synopsis", "director__name"},
				Filters: []string{"status", "director", "genres", "minutes", "minutes__gte", "minutes__lt", "released__isnull", "title__icontains"},
			},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return house
}

// recordedFilms returns a handler of the recorded films. It permits all writes.
func recordedFilms(t testing.TB) http.Handler {
	t.Helper()
	house := newFilmHouse(t)
	data, err := os.Open("testdata/own/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := house.Load(data); err != nil {
		t.Fatal(err)
	}
	return serveFilms(t, house)
}

func serveFilms(t testing.TB, house *catalogue.Catalogue) http.Handler {
	t.Helper()
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll, OnError: func(r *http.Request, err error) {
		t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// send sends a request with a JSON body and returns the status and the body of the
// response.
func send(h http.Handler, method, target, body string) (status int, text string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}
