package browse

import (
	"errors"
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

// filmPages returns pages of a catalogue of directors and films.
func filmPages(t *testing.T, records string, opts httpapi.Options) (http.Handler, *catalogue.Catalogue) {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Filters: []string{"director", "status", "status__in", "minutes", "minutes__gte", "minutes__lte", "minutes__range", "title__icontains"}, Search: []string{"title", "director__name"}}}),
	)
	must(t, err)
	must(t, cat.Load(strings.NewReader(records), catalogue.LoadOptions{}))
	h, err := httpapi.New(cat, opts)
	must(t, err)
	return browsing(t, h, Options{}), cat
}

// A catalogue's own collections can be written, found and deleted with forms alone
// and links.
func TestCatalogue(t *testing.T) {
	h, cat := filmPages(t, "{}", httpapi.Options{Authorizer: httpapi.AllowAll})
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

	expect("a director", send("/api/directors/?_method=POST", map[string]string{"name": "Ana"}), 200, "1 record", "Ana")
	night := map[string]string{"title": "Night", "minutes": "90", "price": "7.5", "director": "1"}
	expect("a film", send("/api/films/?_method=POST", night), 200, "Night", "7.50", "announced")
	expect("a film with an error", send("/api/films/?_method=POST", map[string]string{"title": "Night", "minutes": "0", "price": "1.234", "director": "2"}), 400,
		"film with this title already exists.", "greater than or equal to 1", "no more than 2 decimal places", "object does not exist")
	expect("another film", send("/api/films/?_method=POST", map[string]string{"title": "Day", "minutes": "120", "price": "7", "director": "1", "released": "2024-5-1"}), 200, "2 records", "1 May 2024")

	expect("a change", send("/api/films/1/?_method=PATCH", map[string]string{"title": "Nights", "status": "released"}), 200, "Film 1", "Title Nights", "Minutes 90", "Status released", "Empty Released")
	expect("a change with an error", send("/api/films/1/?_method=PATCH", map[string]string{"title": "Day", "minutes": ""}), 400, "already exists", "A valid integer is required.")
	expect("a value becomes null", send("/api/films/2/?_method=PATCH", map[string]string{"released": ""}), 200, "Title Day", "Empty Released")

	expect("a filter", get(h, "/api/films/?minutes__gte=100"), 200, "1 record", "Day")
	expect("a search", get(h, "/api/films/?search=nights+ana"), 200, "1 record in", "Nights")
	expect("no match", get(h, "/api/films/?search=ana&status=announced&minutes__gte=200"), 200, "No records match.")
	expect("a filter with an error", get(h, "/api/films/?minutes__gte=x&status=y&director=9"), 400, "Enter a number.", "y is not one of the available choices", "That choice is not one")

	expect("deletion of a director with films", do(h, formRequest("/api/directors/1/?_method=DELETE", "")), 409, "The record cannot be deleted", "Prevent the deletion: 2 films (Nights, Day)")
	expect("deletion", send("/api/films/1/?_method=DELETE", nil), 200, "1 record", "Day")
	expect("the deleted film", get(h, "/api/films/1/"), 404, "Not found.")
	expect("the root", get(h, "/api/"), 200, "2 collections", "Films 1 records")
	must(t, cat.Check())
}

func TestHeading(t *testing.T) {
	for name, want := range map[string]string{
		"itemVariants": "Item variants", "item_variants": "Item variants", "social-links": "Social links", "startDate": "Start date",
		"id": "ID", "url": "URL", "été": "Été", "": "“”", " ": "“ ”", "__": "“__”", "x": "X",
		"isbn": "ISBN", "isbn13": "ISBN 13", "faqs": "FAQs", "coverUrl": "Cover URL", "posterWebp": "Poster webp", "pdfFiles": "PDF files",
		"userIds": "User IDs", "news": "News", "wires": "Wires", "movies": "Movies", "éditions": "Éditions", "idea": "Idea", "s": "S", "7": "7",
	} {
		if got := heading(name); got != want {
			t.Errorf("heading(%q) = %q, want %q", name, got, want)
		}
	}
}

// Links are relative, so they are valid under any prefix.
func TestMountedUnderPrefix(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{BaseURL: "https://elsewhere.example/x"})
	mux := http.NewServeMux()
	must(t, httpapi.Mount(mux, "/shop", h.browse))
	for target, link := range map[string]string{
		"/shop/api/":                  "Books",
		"/shop/api/books/":            "Next ›",
		"/shop/api/books/?offset=21":  "Catalogue",
		"/shop/api/magazines/":        "Catalogue",
		"/shop/api/magazines/9/pages": "Catalogue",
		"/shop/api/magazines%2F9/":    "Catalogue",
	} {
		got := get(mux, target)
		if !strings.Contains(got.text, "curl 'https://elsewhere.example/x"+strings.TrimPrefix(target, "/shop")+"'") {
			t.Errorf("%s: the page shows another request: %s", target, got.text)
		}
		if next := follow(t, mux, target, got.links()[link]); next.status != 200 {
			t.Errorf("%s: link %s to %q: status %d", target, link, got.links()[link], next.status)
		}
	}
}

// The pages follow the root of the handler and its prefix.
func TestOtherRoots(t *testing.T) {
	for _, root := range []string{"/v1/", "/", "/a/b/"} {
		for _, prefix := range []string{"", "/shop"} {
			mux := http.NewServeMux()
			h := newService().handler(t, httpapi.Options{Root: root, Authorizer: httpapi.AllowAll})
			must(t, httpapi.Mount(mux, prefix, h))
			at := prefix + root
			page := get(mux, at)
			if page.status != 200 || !strings.Contains(page.text, "3 collections") || !strings.Contains(page.text, "Films 1 records") {
				t.Errorf("GET %s: %d %s", at, page.status, page.text)
			}
			for _, step := range []struct{ target, link, heading string }{
				{at, page.links()["Films"], "Films"},
				{at + "films/", "./1/", "Nächte & <Tage>"},
				{at + "films/1/", get(mux, at+"films/1/").links()["Catalogue"], "Catalogue"},
				{at + "films/", get(mux, at+"films/").links()["Catalogue"], "Catalogue"},
				{at + "none/x", get(mux, at+"none/x").links()["Catalogue"], "Catalogue"},
			} {
				if page := follow(t, mux, step.target, step.link); page.status != 200 || page.one(t, "h1", "", "").text != step.heading {
					t.Errorf("%s: link %q leads to %d %s, want %s", step.target, step.link, page.status, page.one(t, "h1", "", "").text, step.heading)
				}
			}
		}
	}
}

// Middleware that hides the collections of a handler is an error. Middleware that embeds the
// handler shows them.
func TestNewErrors(t *testing.T) {
	plain, err := httpapi.NewHandler([]httpapi.Collection{newService().films}, httpapi.Options{Root: "/v1/"})
	must(t, err)
	tests := []struct {
		reason string
		h      http.Handler
		want   string // part of the error, or "" if none exists
	}{
		{"the handler itself", plain, ""},
		{"middleware that embeds it", wrapped{plain, plain.ServeHTTP}, ""},
		{"middleware that hides it", http.HandlerFunc(plain.ServeHTTP), "http.HandlerFunc does not have the methods Base and Served"},
		{"a prefix is stripped inside", http.StripPrefix("/shop", plain), "wrap the handler that New returns"},
		{"no handler", nil, "<nil> does not have the methods"},
	}
	for _, test := range tests {
		h, err := New(test.h, Options{})
		if test.want != "" {
			if h != nil || !errors.Is(err, httpapi.ErrInvalidConfig) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want an error with %q", test.reason, err, test.want)
			}
			continue
		}
		if err != nil || h.(interface{ Served() httpapi.Served }).Served().Root != "/v1/" {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if got := get(h, "/v1/films/1/"); got.one(t, "h1", "", "").text != "Nächte & <Tage>" {
			t.Errorf("%s: %s", test.reason, got.text)
		}
	}
}
