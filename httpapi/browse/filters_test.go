package browse

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// TestFilterForm checks what a page sends if its form is sent unchanged.
func TestFilterForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	tests := []struct {
		reason, query string
		want          url.Values // of the form that are not empty
	}{
		{"no parameters", "", url.Values{}},
		{"other parameters are kept", "?limit=5&offset=3&x=%3C1&x=2&ordering=-id&format=api", url.Values{"limit": {"5"}, "x": {"<1", "2"}, "ordering": {"-id"}}},
		{"search", "?search=a+b", url.Values{"search": {"a b"}}},
		{"values of facets", "?status=released&published=false&genres=1&genres=3", url.Values{"status": {"released"}, "published": {"false"}, "genres": {"1, 3"}}},
		{"a text", "?title__icontains=%22", url.Values{"title__icontains": {`"`}}},
		{"a range", "?minutes__range=1,2", url.Values{"minutes__range": {"1,2"}}},
		{"null", "?released__isnull=True", url.Values{"released__isnull": {"True"}}},
		{"not null", "?released__isnull=false", url.Values{"released__isnull": {"false"}}},
		{"one of a small collection", "?director__in=2", url.Values{"director__in": {"2"}}},
		{"two of a small collection", "?director__in=1,2", url.Values{"director__in": {"1,2"}}},
		{"a bound", "?minutes__gte=1&minutes__gte=2", url.Values{"minutes__gte": {"2"}}},
		{"a time, in UTC", "?premiere_at__gte=2024-05-10T18:00:00%2B02:00", url.Values{"premiere_at__gte": {"2024-05-10T16:00"}}},
		{"not a time", "?premiere_at__gte=x", url.Values{"premiere_at__gte": {"x"}}},
		{"a fraction of a second", "?premiere_at__gte=2024-05-10T18:00:00.5Z", url.Values{"premiere_at__gte": {"2024-05-10T18:00:00.5Z"}}},
		{"a value that is not offered", "?published=1", url.Values{"published": {"1"}}},
		{"a parameter that is not a filter", "?minutes__lte=1", url.Values{"minutes__lte": {"1"}}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			page := get(h, "/api/films/"+test.query)
			values := page.formValues("filters", nil)
			if values.Get(filterMarker) == "" {
				t.Error("the form has no marker")
			}
			delete(values, filterMarker)
			for name, all := range values {
				if strings.Join(all, "") == "" {
					delete(values, name)
				}
			}
			equal(t, "the result", test.want, values)
			if hint := page.one(t, "input", "type", "search").attrs["placeholder"]; hint != "In title, director name" {
				t.Errorf("the hint of the search is %q", hint)
			}
			if page.isOpen("panel") != (page.status == 400) {
				t.Errorf("%d: the panel is open: %t", page.status, page.isOpen("panel"))
			}
		})
	}
}

func TestInvalidFilters(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	page := get(h, "/api/films/?minutes__gte=bogus&status=<bogus>&title__icontains=bogus%00&offset=4&search=x")
	if page.status != 400 || !strings.Contains(page.text, "Some filters are not valid.") || !page.isOpen("panel") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	for key, want := range map[string]string{
		"minutes__gte":     "Enter a number.",
		"status":           "Select a valid choice. <bogus> is not one of the available choices.",
		"title__icontains": "Null characters are not allowed.",
	} {
		if got := page.one(t, "p", "id", "fault-"+key).text; strings.TrimSpace(got) != want {
			t.Errorf("%s: %q", key, got)
		}
	}
	values := page.formValues("filters", nil)
	if values.Get("minutes__gte") != "bogus" || values.Get("status") != "<bogus>" || !strings.HasPrefix(values.Get("title__icontains"), "bogus") || values.Has("offset") {
		t.Errorf("the values are not kept: %q", values)
	}
	if link := page.links()["Clear"]; link != "./" {
		t.Errorf("Clear leads to %q", link)
	}
	// An error that is not about filters is shown as before.
	if page := get(h, "/api/films/?ordering="+strings.Repeat("a,", 200)); page.status != 400 || len(page.find("form", "", "")) != 0 || !strings.Contains(page.text, "100") {
		t.Errorf("too many terms: %d %s", page.status, page.text)
	}
}

// Every fault that the JSON reports is on the page, whether or not the form has an input for it.
func TestEveryFaultIsShown(t *testing.T) {
	own, _ := filmPages(t, twoDirectors, httpapi.Options{})
	service := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason  string
		h       http.Handler
		request *http.Request
		want    []string
	}{
		{"a choice with a facet", own, request("GET", "/api/films/?status=nope", ""), []string{"Some filters are not valid.", "Status: Select a valid choice. nope is not one"}},
		{"several", own, request("GET", "/api/films/?status=nope&minutes__gte=x&director=9", ""), []string{"Status: ", "Minutes ≥: Enter a number.", "Director: "}},
		{"a record", own, request("GET", "/api/films/1/?status=nope", ""), []string{"The request is not valid.", "Status: Select a valid choice."}},
		{"a bound of a service in camelCase", service, request("GET", "/api/films/?minutes__range=bogus", ""), []string{"Minutes between: Enter a number."}},
		{"JSON", own, request("POST", "/api/films/", `{"title":""}`, "Content-Type", "application/json"), []string{"credentials were not provided"}},
		{"no collection", around(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(422)
			w.Write([]byte(`{"nonFieldErrors":["Sold out."],"startDate":["Too <late>.","Too early."],"odd":{"a":[1]}}`))
		}), request("GET", "/api/events/", ""), []string{"Sold out.", "Odd.a.0: 1", "Start date: Too <late>. Too early."}},
	}
	for _, test := range tests {
		page := do(test.h, test.request)
		checkAccessible(t, page)
		_, alert, _ := strings.Cut(page.body, `class="fault"`)
		alert, _, _ = strings.Cut(alert, "</div>")
		_, text := parse("<div " + alert)
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the alert is %q, want %q in it", test.reason, text, want)
			}
		}
		if strings.Contains(page.text, "The request failed.") || strings.Contains(text, "Non field") {
			t.Errorf("%s: the alert is %q", test.reason, text)
		}
	}
}

func TestCollectionsWithoutFilters(t *testing.T) {
	own := newService()
	filters, search := own.films.about.Filters, own.films.about.Search
	own.films.about.Filters, own.films.about.Search = nil, nil
	handler, err := httpapi.NewHandler([]httpapi.Collection{own.films, own.genres}, httpapi.Options{})
	must(t, err)
	h := browsing(t, handler, Options{})
	for _, target := range []string{"/api/films/?_filter=true&status=released", "/api/genres/?_filter=true&search=x"} {
		if page := get(h, target); page.status != 200 || len(page.find("form", "class", "filters")) != 0 {
			t.Errorf("%s: %d, %d forms", target, page.status, len(page.find("form", "", "")))
		}
	}
	own.films.about.Search = search
	if page := get(own.handler(t, httpapi.Options{}), "/api/films/"); len(page.find("form", "class", "filters")) != 1 || len(page.find("details", "class", "panel")) != 0 {
		t.Errorf("only search: %s", page.text)
	}
	own.films.about.Filters, own.films.about.Search = filters[:1], nil
	if page := get(own.handler(t, httpapi.Options{}), "/api/films/"); len(page.find("details", "class", "panel")) != 1 || len(page.find("input", "type", "search")) != 0 {
		t.Errorf("only a filter: %s", page.text)
	}
}

// twoDirectors are two directors, and three films of which two have the first director.
const twoDirectors = `{"directors":[{"id":1,"name":"Ana"},{"id":2,"name":"<i>Ugo"}],"films":[
	{"id":1,"title":"Dawn","released":null,"minutes":77,"price":"1.00","status":"announced","director":1},
	{"id":2,"title":"Dusk","released":"2024-05-10","minutes":90,"price":"1.00","status":"released","director":1},
	{"id":3,"title":"Noon","released":null,"minutes":95,"price":"1.00","status":"released","director":2}]}`

// asked counts the calls of a collection of a catalogue for lists and for counts.
type asked struct {
	catalogue.AnyCollection
	lists, counts *int
}

func (c asked) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	*c.lists++
	return c.AnyCollection.List(ctx, q)
}

// The hint of a search has no sign that is not a part of a name.
func TestSearchHint(t *testing.T) {
	text := []schema.Field{{Name: "$schema", Kind: schema.Text}, {Name: "firstName", Kind: schema.Text}, {Name: "=x", Kind: schema.Text}}
	c := collection{Description: schema.Description{Fields: text, Search: []string{"$schema", "^first_name", "=x", "$director__name", "^=x", "@name"}}}
	equal(t, "the hint", "In $schema, first name, =x, director name, =x, @name", c.searchHint())
}

// A counting is an asked that is an httpapi.Counter.
type counting struct{ asked }

func (c counting) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error) {
	*c.counts++
	return c.Counts(ctx, filter, groups)
}

// A page lists the records once, and counts those of each facet and those that a search reads once. Without a Counter it lists
// one record for each value. The numbers are the same, in each style of pages.
func TestFacetsCount(t *testing.T) {
	_, cat := filmPages(t, twoDirectors, httpapi.Options{})
	for _, style := range []pagination.Style{nil, pagination.Numbers{}} {
		for _, counts := range []bool{true, false} {
			var lists, calls int
			var all []httpapi.Collection
			for key, c := range cat.All() {
				own := asked{c, new(int), new(int)}
				if key == "films" {
					own = asked{c, &lists, &calls}
				}
				if counts {
					all = append(all, counting{own})
				} else {
					all = append(all, own)
				}
			}
			handler, err := httpapi.NewHandler(all, httpapi.Options{Pages: style})
			must(t, err)
			page := get(browsing(t, handler, Options{}), "/api/films/?search=d")
			for _, text := range []string{"Status announced 1 released 1", "Director Ana 2"} {
				if !strings.Contains(page.text, text) {
					t.Errorf("%T, a Counter %t: no %q in %s", style, counts, text, page.text)
				}
			}
			if want := map[bool][2]int{true: {1, 3}, false: {6, 0}}[counts]; lists != want[0] || calls != want[1] {
				t.Errorf("%T, a Counter %t: %d lists and %d counts, want %d", style, counts, lists, calls, want)
			}
		}
	}
}

// A page offers the records of small collections only, and counts those of facets only.
func TestFacetsOfManyValues(t *testing.T) {
	for _, test := range []struct {
		directors   int
		facet, list bool
		options     int // of the director
	}{{12, true, true, 13}, {13, false, true, 14}, {50, false, true, 51}, {51, false, false, 0}} {
		var records []string
		for i := range test.directors {
			records = append(records, fmt.Sprintf(`{"id":%d,"name":"D%d"}`, i+1, i+1))
		}
		h, _ := filmPages(t, `{"directors":[`+strings.Join(records, ",")+`],"films":[{"id":1,"title":"a","released":null,"minutes":1,"price":"1.00","status":"released","director":7}]}`,
			httpapi.Options{})
		page := get(h, "/api/films/")
		if got := len(page.find("a", "href", "?director=7")) == 1; got != test.facet {
			t.Errorf("%d directors: a facet: %t", test.directors, got)
		}
		selects := page.find("select", "name", "director")
		options := len(page.find("option", "value", "*")) - 3 // those of the status
		if len(selects) == 1 != test.list || options != test.options {
			t.Errorf("%d directors: %d selects, %d options", test.directors, len(selects), options)
		}
		if !strings.Contains(page.text, "Status released 1") || strings.Contains(page.text, "D7 1") != test.facet {
			t.Errorf("%d directors: other facets than a status, and directors if they are few: %s", test.directors, page.text)
		}
	}
}

// TestNamesInJSON: a page shows the filters and the order of a request that names fields as JSON does.
// Its links have the names in snake_case.
func TestNamesInJSON(t *testing.T) {
	type film struct {
		ID    int `json:"id"`
		Price int `json:"listPrice"`
	}
	cat, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
		JSONNames: true, Filters: []string{"list_price__gte"},
	}}))
	must(t, err, cat.Load(strings.NewReader(`{"films":[{"id":1,"listPrice":9},{"id":2,"listPrice":5},{"id":3,"listPrice":1}]}`), catalogue.LoadOptions{}))
	res := get(newHandlers(t, cat, httpapi.Options{}).browse, "/api/films/?listPrice__gte=5&ordering=listPrice")
	if in := res.one(t, "input", "name", "list_price__gte"); in.attrs["value"] != "5" {
		t.Errorf("the input is %v, want 5", in)
	}
	equal(t, "sorted columns", 1, len(res.find("th", "aria-sort", "ascending")))
	if strings.Contains(res.text, "Ignored") || len(res.find("input", "name", "listPrice__gte")) > 0 {
		t.Error("the page calls the parameter unknown, or repeats it")
	}
}
