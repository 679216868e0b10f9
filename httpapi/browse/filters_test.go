package browse

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestFilterForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	tests := []struct {
		reason, query string
		want          url.Values // of the form that are not empty
		open, clear   bool
	}{
		{"no parameters", "", url.Values{"format": {"api"}}, false, false},
		{"other parameters are kept", "?limit=5&offset=3&x=%3C1&x=2&ordering=-id&format=api",
			url.Values{"format": {"api"}, "limit": {"5"}, "x": {"<1", "2"}, "ordering": {"-id"}}, false, false},
		{"search", "?search=a+b", url.Values{"format": {"api"}, "search": {"a b"}}, false, true},
		{"filters", "?title__icontains=%22&status=released&published=false&minutes__range=1,2&director__in=1,2&released__isnull=true&premiere_at__gte=x",
			url.Values{"format": {"api"}, "title__icontains": {`"`}, "status": {"released"}, "published": {"false"}, "minutes__range": {"1,2"},
				"director__in": {"1,2"}, "released__isnull": {"true"}, "premiere_at__gte": {"x"}}, true, true},
		{"several ids", "?genres=1&genres=3", url.Values{"format": {"api"}, "genres": {"1, 3"}}, true, true},
		{"the last value counts", "?minutes__gte=1&minutes__gte=2", url.Values{"format": {"api"}, "minutes__gte": {"2"}}, true, true},
		{"value that is not offered", "?published=1", url.Values{"format": {"api"}, "published": {"1"}}, true, true},
		{"parameter that is not a filter", "?minutes__lte=1", url.Values{"format": {"api"}, "minutes__lte": {"1"}}, false, false},
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
				if slices.Equal(all, []string{""}) {
					delete(values, name)
				}
			}
			if diff := cmp.Diff(test.want, values); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Cells can be details too; these are not in a form.
			_, open := page.find("details", "", "")[0].attrs["open"]
			if open != test.open {
				t.Errorf("the filters are open: %t", open)
			}
			if _, clear := page.links()["Clear"]; clear != test.clear {
				t.Errorf("there is a link to all records: %t", clear)
			}
		})
	}
}

func TestFilterInputs(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	page := get(h, "/api/films/")
	var labels []string
	for _, label := range page.find("label", "for", "*") {
		labels = append(labels, label.text)
	}
	want := []string{"Search", "Title: contains, in any case", "Status", "Published", "Genres", "Minutes: at least", "Minutes: between",
		"Director: one of", "Released: is null", "Premiere at: at least"}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	var offered []string
	for _, option := range page.find("option", "value", "*") {
		offered = append(offered, option.attrs["value"])
	}
	if diff := cmp.Diff([]string{"", "announced", "released", "", "true", "false", "", "true", "false"}, offered); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if !strings.Contains(page.text, "In title, director name.") {
		t.Error("the page does not show what is searched")
	}
}

// A form is redirected to the page without the empty values.
func TestSentFilterForm(t *testing.T) {
	own := newService()
	h := own.handler(t, httpapi.Options{})
	tests := []struct {
		reason  string
		changes map[string]string
		want    string
	}{
		{"nothing is filled in", nil, "?format=api&limit=5&x=1"},
		{"white space", map[string]string{"search": " ", "genres": "\t"}, "?format=api&limit=5&x=1"},
		{"search", map[string]string{"search": "a & b"}, "?format=api&limit=5&search=a+%26+b&x=1"},
		{"several ids", map[string]string{"genres": "1, 3;4"}, "?format=api&genres=1&genres=3&genres=4&limit=5&x=1"},
		{"time with spaces", map[string]string{"premiere_at__gte": "2024-05-10 18:00 +02:00"}, "?format=api&limit=5&premiere_at__gte=2024-05-10T18%3A00%2B02%3A00&x=1"},
		{"other values are not changed", map[string]string{"director__in": "1, 2", "title__icontains": " a "}, "?director__in=1%2C+2&format=api&limit=5&title__icontains=+a+&x=1"},
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
	page := get(h, "/api/films/?minutes__gte=bogus&status=bogus&title__icontains=x&offset=4")
	if page.status != 400 || !strings.Contains(page.text, "Some filters are not valid.") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	for _, name := range []string{"minutes__gte", "status"} {
		if got := page.one(t, "p", "id", "fault-filter-"+name).text; strings.TrimSpace(got) != "Not <bogus>." {
			t.Errorf("%s: %q", name, got)
		}
	}
	values := page.formValues("filters", nil)
	if values.Get("minutes__gte") != "bogus" || values.Get("status") != "bogus" || values.Get("title__icontains") != "x" || values.Has("offset") {
		t.Errorf("the values are not kept: %q", values)
	}
	if link := page.links()["Clear"]; link != "?format=api" {
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
	if page := get(own.handler(t, httpapi.Options{}), "/api/films/"); len(page.find("form", "", "")) != 1 || len(page.find("select", "", "")) != 0 {
		t.Errorf("only search: %s", page.text)
	}
	own.films.about.Filters, own.films.about.Search = filters[1:2], nil
	if page := get(own.handler(t, httpapi.Options{}), "/api/films/"); len(page.find("select", "", "")) != 1 || len(page.find("input", "type", "search")) != 0 {
		t.Errorf("only a filter: %s", page.text)
	}
}
