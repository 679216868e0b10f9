package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type film struct {
	ID       int     `json:"id"`
	Title    string  `json:"title" backlist:"unique"`
	Released *string `json:"released" backlist:"date"`
	Minutes  int     `json:"minutes" backlist:"min=1"`
	Price    string  `json:"price" backlist:"decimal=8.2"`
	Status   string  `json:"status" backlist:"choices=announced|released,default=announced"`
	Director int     `json:"director" backlist:"refers=directors"`
}

// A catalogue's own collections can be written, found and deleted with forms alone
// and links.
func TestCatalogue(t *testing.T) {
	house, err := catalogue.NewOnly(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{Filters: []string{"minutes__gte", "status", "director"}, Search: []string{"title", "director__name"}}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	h := browsing(t, handler, Options{})
	// send sends the form of a page with changes and returns the page that follows.
	send := func(target string, changes map[string]string) result {
		t.Helper()
		page := get(h, target)
		action := page.one(t, "form", "method", "post").attrs["action"]
		path, _, _ := strings.Cut(target, "?")
		got := do(h, formRequest(path+action, page.formValues("post", changes).Encode()))
		if got.status == http.StatusSeeOther {
			location, _, _ := strings.Cut(got.header.Get("Location"), "#")
			return follow(t, h, target, location)
		}
		return got
	}
	// expect checks a page.
	expect := func(why string, page result, status int, texts ...string) {
		t.Helper()
		checkAccessible(t, page)
		if page.status != status {
			t.Errorf("%s: status %d, want %d: %s", why, page.status, status, page.text)
		}
		for _, text := range texts {
			if !strings.Contains(page.text, text) {
				t.Errorf("%s: no %q in %s", why, text, page.text)
			}
		}
	}

	expect("a director", send("/api/directors/", map[string]string{"name": "Ana"}), 200, "1 record", "Ana")
	night := map[string]string{"title": "Night", "minutes": "90", "price": "7.5", "director": "1"}
	expect("a film", send("/api/films/", night), 200, "Night", "7.50", "announced")
	expect("a film with an error", send("/api/films/", map[string]string{"title": "Night", "minutes": "0", "price": "1.234", "director": "2"}), 400,
		"film with this title already exists.", "greater than or equal to 1", "no more than 2 decimal places", "object does not exist")
	expect("another film", send("/api/films/", map[string]string{"title": "Day", "minutes": "120", "price": "7", "director": "1", "released": "2024-5-1"}), 200, "Records 1–2 of 2", "1 May 2024")

	expect("a change", send("/api/films/1/", map[string]string{"title": "Nights", "status": "released"}), 200, "Film 1", "Title Nights", "Minutes 90", "Status released", "Released null")
	expect("a change with an error", send("/api/films/1/", map[string]string{"title": "Day", "minutes": ""}), 400, "already exists", "A valid integer is required.")
	expect("a value becomes null", send("/api/films/2/", map[string]string{"released": ""}), 200, "Released null", "Title Day")

	expect("a filter", get(h, "/api/films/?minutes__gte=100"), 200, "1 record", "Day")
	expect("a search", get(h, "/api/films/?search=nights+ana"), 200, "1 record", "Nights")
	expect("no match", get(h, "/api/films/?search=ana&status=announced&minutes__gte=200"), 200, "No records match.")
	expect("a filter with an error", get(h, "/api/films/?minutes__gte=x&status=y&director=9"), 400, "Enter a number.", "y is not one of the available choices", "That choice is not one")

	expect("deletion of a director with films", send("/api/directors/1/?_method=DELETE", nil), 409, "The record cannot be deleted")
	expect("deletion", send("/api/films/1/?_method=DELETE", nil), 200, "1 record", "Day")
	expect("the deleted film", get(h, "/api/films/1/"), 404, "Not found.")
	expect("the root", get(h, "/api/"), 200, "2 collections", "Films 1 records")
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
