package browse

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// What a page sends again if its form is sent as it is. Fields with a facet are not in the form.
func TestFilterForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	tests := []struct {
		reason, query string
		want          url.Values // of the form that are not empty, without lookups that are not active
	}{
		{"no parameters", "", url.Values{}},
		{"other parameters are kept", "?limit=5&offset=3&x=%3C1&x=2&ordering=-id&format=api", url.Values{"limit": {"5"}, "x": {"<1", "2"}, "ordering": {"-id"}}},
		{"search", "?search=a+b", url.Values{"search": {"a b"}}},
		{"values of facets are kept", "?status=released&published=false&genres=1&genres=3", url.Values{"status": {"released"}, "published": {"false"}, "genres": {"1", "3"}}},
		{"a lookup and its value", "?title__icontains=%22", url.Values{"_lookup.title": {"icontains"}, "_value.title": {`"`}}},
		{"one of several lookups", "?minutes__range=1,2", url.Values{"_lookup.minutes": {"range"}, "_value.minutes": {"1,2"}}},
		{"null", "?released__isnull=True", url.Values{"_lookup.released": {"isnull=true"}}},
		{"not null", "?released__isnull=0", url.Values{"_lookup.released": {"isnull=false"}}},
		{"one of a small collection", "?director__in=2", url.Values{"director__in": {"2"}}},
		{"two of a small collection", "?director__in=1,2", url.Values{"director__in": {"1,2"}}},
		{"a bound", "?minutes__gte=1&minutes__gte=2", url.Values{"minutes__gte": {"2"}}},
		{"a time, in UTC", "?premiere_at__gte=2024-05-10T18:00:00%2B02:00", url.Values{"premiere_at__gte": {"2024-05-10T16:00:00"}}},
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
				if field, ok := strings.CutPrefix(name, lookupPrefix); ok && values.Get(valuePrefix+field) == "" && !strings.Contains(all[0], "=") || strings.Join(all, "") == "" {
					delete(values, name)
				}
			}
			if diff := cmp.Diff(test.want, values); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if page.isOpen("panel") {
				t.Error("the panel is open")
			}
		})
	}
}

// Each field has one row: bounds, a select of values, or a lookup and a value.
func TestFilterInputs(t *testing.T) {
	page := get(newService().handler(t, httpapi.Options{}), "/api/films/")
	var labels, offered []string
	for _, tag := range page.tags {
		if tag.name == "legend" || tag.name == "label" {
			labels = append(labels, tag.text)
		}
	}
	for _, option := range page.find("option", "value", "*") {
		offered = append(offered, option.text)
	}
	want := []string{"Search", "Title", "Lookup", "Value", "Minutes", "from", "Lookup", "Value", "Director", "is", "Released", "Lookup", "Premiere at", "from (UTC)"}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	// This service counts one film for each value.
	if diff := cmp.Diff([]string{"contains", "between", "(any)", "A (1)", "B (1)", "any", "is null", "is not null"}, offered); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if hint := page.one(t, "input", "type", "search").attrs["placeholder"]; hint != "In title, director name" {
		t.Errorf("the hint of the search is %q", hint)
	}
}

// A form is redirected to the page without the empty values.
func TestSentFilterForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	tests := []struct {
		reason  string
		changes map[string]string
		want    string
	}{
		{"nothing is filled in", nil, "?limit=5&x=1"},
		{"white space", map[string]string{"search": " ", "_value.title": "\t"}, "?limit=5&x=1"},
		{"search", map[string]string{"search": "a & b"}, "?limit=5&search=a+%26+b&x=1"},
		{"a value for a lookup", map[string]string{"_value.title": " a "}, "?limit=5&title__icontains=+a+&x=1"},
		{"null", map[string]string{"_lookup.released": "isnull=true"}, "?limit=5&released__isnull=true&x=1"},
		{"not null", map[string]string{"_lookup.released": "isnull=false"}, "?limit=5&released__isnull=false&x=1"},
		{"a time without an offset", map[string]string{"premiere_at__gte": "2024-05-10T18:00"}, "?limit=5&premiere_at__gte=2024-05-10T18%3A00%3A00Z&x=1"},
		{"a time with seconds", map[string]string{"premiere_at__gte": "2024-05-10T18:00:59"}, "?limit=5&premiere_at__gte=2024-05-10T18%3A00%3A59Z&x=1"},
		{"a time with an offset", map[string]string{"premiere_at__gte": "2024-05-10T18:00:00+02:00"}, "?limit=5&premiere_at__gte=2024-05-10T18%3A00%3A00%2B02%3A00&x=1"},
		{"several ids", map[string]string{"genres": "1, 3;4"}, "?genres=1&genres=3&genres=4&limit=5&x=1"},
		{"a lookup that is no filter", map[string]string{"_lookup.year": "gte", "_value.year": "1"}, "?limit=5&x=1&year__gte=1"},
	}
	for _, test := range tests {
		values := get(h, "/api/films/?limit=5&offset=5&x=1").formValues("filters", test.changes)
		got := get(h, "/api/films/?"+values.Encode())
		if got.status != 303 || got.header.Get("Location") != test.want || got.header.Get("Vary") != "Accept" {
			t.Errorf("%s: %d, Location %q, want %q", test.reason, got.status, got.header.Get("Location"), test.want)
			continue
		}
		if page := follow(t, h, "/api/films/", got.header.Get("Location")); page.status != 200 {
			t.Errorf("%s: the redirect leads to %d", test.reason, page.status)
		}
	}
}

func TestInvalidFilters(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	page := get(h, "/api/films/?minutes__gte=bogus&status=bogus&title__icontains=bogus&offset=4&search=x")
	if page.status != 400 || !strings.Contains(page.text, "Some filters are not valid.") || !page.isOpen("panel") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	for _, key := range []string{"filter-minutes__gte", "filter-status", "value-title"} {
		if got := page.one(t, "p", "id", "fault-"+key).text; strings.TrimSpace(got) != "Not <bogus>." {
			t.Errorf("%s: %q", key, got)
		}
	}
	values := page.formValues("filters", nil)
	if values.Get("minutes__gte") != "bogus" || values.Get("status") != "bogus" || values.Get("_value.title") != "bogus" || values.Has("offset") {
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

func TestCollectionsWithoutFilters(t *testing.T) {
	own := newService()
	filters, search := own.films.about.Filters, own.films.about.Search
	own.films.about.Filters, own.films.about.Search = nil, nil
	handler, err := httpapi.NewHandler([]httpapi.Collection{own.films, own.genres}, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := browsing(t, handler, Options{})
	for _, target := range []string{"/api/films/?_filter=true&status=released", "/api/genres/?_filter=true&search=x"} {
		if page := get(h, target); page.status != 200 || len(page.find("form", "", "")) != 0 {
			t.Errorf("%s: %d, %d forms", target, page.status, len(page.find("form", "", "")))
		}
	}
	own.films.about.Search = search
	if page := get(own.handler(t, httpapi.Options{}), "/api/films/"); len(page.find("form", "", "")) != 1 || len(page.find("details", "class", "panel")) != 0 {
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

// directorPages returns pages of a catalogue with the given records.
func directorPages(t *testing.T, records string, opts httpapi.Options, pages Options) http.Handler {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Search: []string{"name"}}}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Filters: []string{"director", "status", "status__in", "minutes__gte", "title__icontains"}, Search: []string{"title"}}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(cat, opts)
	if err != nil {
		t.Fatal(err)
	}
	return browsing(t, h, pages)
}

// Facets have the number of records that each value selects together with the other filters. A
// value that selects none is not shown.
func TestFacets(t *testing.T) {
	h := directorPages(t, twoDirectors, httpapi.Options{}, Options{})
	tests := []struct {
		reason, query string
		want          map[string]string // links by label and count
	}{
		{"no filters", "", map[string]string{"Ana 2": "?director=1", "<i>Ugo 1": "?director=2", "announced 1": "?status__in=announced", "released 2": "?status__in=released"}},
		{"an active value", "?director=1&offset=1&limit=1&ordering=-id", map[string]string{"Ana 2 active": "?limit=1&ordering=-id", "<i>Ugo 1": "?director=2&limit=1&ordering=-id",
			"announced 1": "?director=1&limit=1&ordering=-id&status__in=announced", "released 1": "?director=1&limit=1&ordering=-id&status__in=released"}},
		{"one of several values", "?status__in=announced", map[string]string{"Ana 1": "?director=1&status__in=announced", "announced 1 active": "./",
			"released 2": "?status__in=announced%2Creleased"}},
		{"all values", "?status__in=announced,released", map[string]string{"Ana 2": "?director=1&status__in=announced%2Creleased", "<i>Ugo 1": "?director=2&status__in=announced%2Creleased",
			"announced 1 active": "?status__in=released", "released 2 active": "?status__in=announced"}},
		{"the parameter for one value", "?status=announced", map[string]string{"Ana 1": "?director=1&status=announced", "announced 1 active": "./", "released 2": "?status__in=announced%2Creleased"}},
		{"a value that selects none is shown while it is active", "?director=2&status=announced", map[string]string{"Ana 1": "?director=1&status=announced", "<i>Ugo 0 active": "?status=announced",
			"announced 0 active": "?director=2", "released 1": "?director=2&status__in=announced%2Creleased"}},
	}
	for _, test := range tests {
		got := make(map[string]string)
		inFacets := false
		page := get(h, "/api/films/"+test.query)
		for i, tag := range page.tags {
			switch {
			case tag.attrs["class"] == "facets":
				inFacets = true
			case tag.name == "/dl":
				inFacets = false
			case inFacets && tag.name == "a":
				label := tag.text + page.tags[i+1].text
				if tag.attrs["aria-current"] != "" {
					label += " active"
				}
				got[label] = tag.attrs["href"]
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// Each active filter has a chip, which removes it and no other parameter but the offset.
func TestChips(t *testing.T) {
	h := directorPages(t, twoDirectors, httpapi.Options{}, Options{})
	page := get(h, "/api/films/?director=2&director=+&status__in=announced,released&minutes__gte=1&title__icontains=<b>&search=n&offset=0&limit=2&x=1&z=&limi=3")
	rest := func(without string) string {
		values := url.Values{"director": {"2", " "}, "status__in": {"announced,released"}, "minutes__gte": {"1"}, "title__icontains": {"<b>"}, "search": {"n"},
			"limit": {"2"}, "x": {"1"}, "z": {""}, "limi": {"3"}}
		if without == "director" {
			values["director"] = []string{" "}
		} else {
			delete(values, without)
		}
		return "?" + values.Encode()
	}
	want := map[string]string{"Director: <i>Ugo": rest("director"), "Status one of announced, released": rest("status__in"), "Minutes ≥ 1": rest("minutes__gte"),
		"Title contains <b>": rest("title__icontains"), "Search: n": rest("search"), "Clear": "?limi=3&limit=2&x=1&z="}
	got, inChips := make(map[string]string), false
	for _, tag := range page.tags {
		if inChips = (inChips || tag.attrs["class"] == "chips") && tag.name != "/ul"; inChips && tag.name == "a" {
			got[strings.TrimSpace(tag.text)] = tag.attrs["href"]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(page.text, "Ignored: limi, x, z") {
		t.Errorf("the page does not name the parameters that are ignored: %s", page.text)
	}
}

// A page makes at most maxCounts requests for counts, and offers small collections only.
func TestFacetsOfManyValues(t *testing.T) {
	for _, test := range []struct {
		directors   int
		facet, list bool
		options     int
	}{{12, true, false, 0}, {13, false, true, 14}, {50, false, true, 51}, {51, false, false, 0}} {
		var records []string
		for i := range test.directors {
			records = append(records, fmt.Sprintf(`{"id":%d,"name":"D%d"}`, i+1, i+1))
		}
		h := directorPages(t, `{"directors":[`+strings.Join(records, ",")+`],"films":[{"id":1,"title":"a","released":null,"minutes":1,"price":"1.00","status":"released","director":7}]}`,
			httpapi.Options{}, Options{})
		page := get(h, "/api/films/")
		if got := len(page.find("a", "href", "?director=7")) == 1; got != test.facet {
			t.Errorf("%d directors: a facet: %t", test.directors, got)
		}
		selects := page.find("select", "name", "director")
		if len(selects) == 1 != test.list || test.list && len(page.find("option", "value", "*")) != test.options+1 { // and "contains" of the title
			t.Errorf("%d directors: %d selects, %d options", test.directors, len(selects), len(page.find("option", "value", "*")))
		}
		if page.links()["D7"] == "" {
			t.Errorf("%d directors: the table does not show the name of the director", test.directors)
		}
	}
}
