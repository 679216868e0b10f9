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

// The form keeps all parameters but the place in the list, and adds one.
func TestFilterForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	page := get(h, "/api/films/?limit=5&offset=3&x=%3C1&x=2&ordering=-id&format=api&search=a+b&status=released&genres=1&genres=3&released__isnull=True")
	want := url.Values{"limit": {"5"}, "x": {"<1", "2"}, "ordering": {"-id"}, "search": {"a b"}, "status": {"released"}, "genres": {"1", "3"}, "released__isnull": {"True"},
		filterMarker: {"true"}, lookupName: {"exact"}, valueName: {""}}
	equal(t, "the form", want, page.formValues("filters", nil))
	if hint := page.one(t, "input", "type", "search").attrs["placeholder"]; hint != "In title, director name" || page.isOpen("panel") {
		t.Errorf("the hint of the search is %q, or the row is open", hint)
	}
	var got []string
	for _, o := range page.find("option", "", "") {
		got = append(got, o.text)
	}
	equal(t, "the row", []string{"Field…", "Title", "Status", "Published", "Genres", "Minutes", "Director", "Released", "Premiere at",
		"contains", "is", "≥", "between", "one of", "is null", "announced", "released", "true", "false", "g", "h", "A", "B"}, got)
}

// The row of the form becomes a parameter, or says what is wrong with it.
func TestFilterRow(t *testing.T) {
	h, _ := filmPages(t, strings.ReplaceAll(twoDirectors, "<i>Ugo", "Ugo, B"), httpapi.Options{})
	own := newService().handler(t, httpapi.Options{})
	for _, test := range []struct {
		reason               string
		h                    http.Handler
		field, lookup, value string
		query, want          string // the query before and after
		fault                string
	}{
		{"nothing", h, "", "exact", "", "limit=5&x=&search=+", "?limit=5&x=", ""},
		{"a text, with its space", h, "title", "icontains", " a ", "x=1&x=2", "?title__icontains=+a+&x=1&x=2", ""},
		{"a choice", h, "status", "exact", "released", "", "?status=released", ""},
		{"in place of another", h, "status", "exact", "released", "status=announced&limit=1", "?limit=1&status=released", ""},
		{"several choices", h, "status", "in", "Released, announced", "", "?status__in=released%2Cannounced", ""},
		{"a record by name", h, "director", "exact", "ana", "", "?director=1", ""},
		{"by a name with a comma", h, "director", "exact", "Ugo, B", "", "?director=2", ""},
		{"by id", h, "director", "exact", "2", "", "?director=2", ""},
		{"no record: the handler says so", h, "director", "exact", "Bob", "", "?director=Bob", ""},
		{"several ids", own, "genres", "exact", "g, 3", "genres=4", "?genres=4&genres=1&genres=3", ""},
		{"a boolean", own, "published", "exact", "TRUE", "", "?published=true", ""},
		{"no boolean", own, "published", "exact", "yes", "", "?_field=published&_lookup=exact&_value=yes", "Enter true or false."},
		{"null", own, "released", "isnull", "", "", "?released__isnull=true", ""},
		{"not null", own, "released", "isnull", "False", "", "?released__isnull=false", ""},
		{"a time without an offset is in UTC", own, "premiereAt", "gte", "2024-05-10T18:00", "", "?premiere_at__gte=2024-05-10T18%3A00%3A00Z", ""},
		{"a time with an offset", own, "premiereAt", "gte", "2024-05-10T18:00:00+02:00", "", "?premiere_at__gte=2024-05-10T18%3A00%3A00%2B02%3A00", ""},
		{"no value", h, "minutes", "gte", " ", "limit=1", "?_field=minutes&_lookup=gte&_value=+&limit=1", "Enter a value."},
		{"another lookup", h, "title", "exact", "a", "", "?_field=title&_lookup=exact&_value=a", "Title can be compared with “contains”."},
		{"no such field", h, "<b>", "exact", "a", "", "?_field=%3Cb%3E&_lookup=exact&_value=a", "Choose a field."},
		{"another site", h, "", "", "", "//evil.example/=1", "?%2F%2Fevil.example%2F=1", ""},
	} {
		sent := url.Values{filterMarker: {"true"}, fieldName: {test.field}, lookupName: {test.lookup}, valueName: {test.value}}
		got := get(test.h, "/api/films/?"+test.query+"&"+sent.Encode())
		if got.status != http.StatusSeeOther || got.header.Get("Location") != test.want || got.header.Get("Vary") != "Accept" {
			t.Errorf("%s: %d %s, want %s", test.reason, got.status, got.header.Get("Location"), test.want)
		}
		if test.fault == "" {
			continue
		}
		page := follow(t, test.h, "/api/films/", test.want)
		checkAccessible(t, page)
		if text := page.one(t, "p", "id", "fault-filter").text; page.status != 200 || text != test.fault || !page.isOpen("panel") {
			t.Errorf("%s: %d, the row says %q, want %q", test.reason, page.status, text, test.fault)
		}
		if value := page.formValues("filters", nil).Get(valueName); value != test.value || strings.Contains(page.links()["Title⇅"], valueName) {
			t.Errorf("%s: the value is %q, or in links", test.reason, value)
		}
	}
}

// A value that the handler rejects is in the row of the form, with the error beside it.
func TestInvalidFilters(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	page := get(h, "/api/films/?minutes__gte=bogus&title__icontains=x&offset=4&search=x")
	if page.status != 400 || !strings.Contains(page.text, "Some filters are not valid. Minutes ≥: Enter a number.") || !page.isOpen("panel") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	if got := page.one(t, "p", "id", "fault-filter").text; got != "Enter a number." {
		t.Errorf("beside the row is %q", got)
	}
	equal(t, "the form", url.Values{"title__icontains": {"x"}, "search": {"x"}, filterMarker: {"true"}, fieldName: {"minutes"}, lookupName: {"gte"}, valueName: {"bogus"}},
		page.formValues("filters", nil))
	if page := get(h, "/api/films/?published=yes&search=x"); strings.Contains(page.text, "Published: yes") || !strings.Contains(page.text, "Search: x") {
		t.Errorf("a value that the handler ignores is shown as a filter: %s", page.text)
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
			if want := map[bool][2]int{true: {1, 2}, false: {5, 0}}[counts]; lists != want[0] || calls != want[1] {
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
	}{{8, true, true}, {9, false, true}, {50, false, true}, {51, false, false}} {
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
		if list := strings.Contains(page.body, "<option>D7</option>"); list != test.list {
			t.Errorf("%d directors: the row suggests them: %t", test.directors, list)
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
	if in := res.find("input", "name", "list_price__gte"); len(in) != 1 || in[0].attrs["value"] != "5" {
		t.Errorf("the inputs are %v, want 5", in)
	}
	equal(t, "sorted columns", 1, len(res.find("th", "aria-sort", "ascending")))
	if strings.Contains(res.text, "Ignored") || len(res.find("input", "name", "listPrice__gte")) > 0 {
		t.Error("the page calls the parameter unknown, or repeats it")
	}
}

// The hint of a search has no sign that is not a part of a name.
func TestSearchHint(t *testing.T) {
	text := []schema.Field{{Name: "$schema", Kind: schema.Text}, {Name: "firstName", Kind: schema.Text}, {Name: "=x", Kind: schema.Text}}
	c := collection{Description: schema.Description{Fields: text, Search: []string{"$schema", "^first_name", "=x", "$director__name", "^=x", "@name"}}}
	equal(t, "the hint", "$schema, first name, =x, director name, =x, @name", c.searched())
}
