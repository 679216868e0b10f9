package browse

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

type (
	plant struct {
		ID     int    `json:"id"`
		Name   string `json:"name" backlist:"maxlength=20"`
		Height int    `json:"height"`
	}
	plantLeaf struct {
		ID    int    `json:"id"`
		Plant int    `json:"plant" backlist:"refers=plants,related=leaves"`
		Shape string `json:"shape" backlist:"choices=round|long"`
	}
)

// newPlants returns a handler of 60 plants, of which the first two have a leaf. All their parameters have
// names of their own.
func newPlants(t *testing.T, about schema.Description) handlers {
	t.Helper()
	about.Search, about.SearchParam, about.OrderingParam = []string{"name"}, "q", "sort"
	about.Filters = []string{"tall", "height_min", "height_max", "kind", "height", "without", "id_min", "id_max"}
	about.Parameters = map[string]string{"tall": "height__gt", "height_min": "height__gte", "height_max": "height__lte", "kind": "leaves__shape", "without": "leaves__isnull", "id_min": "id__gte", "id_max": "id__lte"}
	c, err := catalogue.New(
		catalogue.Define[plant]("plants", catalogue.Options{Description: &about}),
		catalogue.Define[plantLeaf]("leaves", catalogue.Options{}),
	)
	must(t, err)
	var plants []string
	for i := range 60 {
		plants = append(plants, fmt.Sprintf(`{"id":%d,"name":"Plant %d","height":%d}`, i+1, i+1, i%10))
	}
	text := `{"plants":[` + strings.Join(plants, ",") + `],"leaves":[{"id":1,"plant":1,"shape":"long"},{"id":2,"plant":2,"shape":"round"}]}`
	must(t, c.Load(strings.NewReader(text), catalogue.LoadOptions{}))
	return newHandlers(t, c, httpapi.Options{Authorizer: httpapi.AllowAll})
}

// Pages send orderings and searches under the names that the description has for them.
func TestNamesOfOrderingAndSearch(t *testing.T) {
	h := newPlants(t, schema.Description{}).browse
	page := get(h, "/api/plants/?q=plant+1&sort=-height&offset=2")
	for text, want := range map[string]string{"Name": "?q=plant+1&sort=name", "Height": "?q=plant+1&sort=height", "Search: plant 1": "?sort=-height"} {
		found := ""
		for link, to := range page.links() {
			if strings.HasPrefix(link, text) {
				found = to
			}
		}
		if found != want {
			t.Errorf("%s leads to %s, want %s: %v", text, found, want, page.links())
		}
	}
	if got := page.formValues("filters", nil); got.Get("q") != "plant 1" || got.Get("sort") != "-height" || got.Has("search") || got.Has("offset") {
		t.Errorf("the form sends %v", got)
	}
	if len(page.find("th", "aria-sort", "descending")) != 1 {
		t.Errorf("the page has no order: %s", page.text)
	}
	if rows := page.find("tr", "id", "record-20"); len(rows) != 0 { // on the first page
		t.Errorf("the page begins with the tallest plant")
	}
	wrong := get(h, "/api/plants/?q="+url.QueryEscape(words(101)))
	if wrong.status != 400 || !strings.Contains(wrong.text, "Search: Too many words") {
		t.Errorf("%d, want an error of the search: %s", wrong.status, wrong.text)
	}
	form := do(h, formRequest("/api/leaves/?_method=POST", "_find.plant=plant+59"))
	if values := form.find("input", "type", "radio"); !strings.Contains(form.text, "Plant 59") || len(values) == 0 {
		t.Errorf("the form finds no plant: %s", form.text)
	}
}

// words returns n different words.
func words(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("w%d", i))
	}
	return strings.Join(all, " ")
}

// The page of a list without pages has all records and no links to others. Of one that is too long, it says
// so, and has the form for the filters that select fewer.
func TestListWithoutPages(t *testing.T) {
	h := newPlants(t, schema.Description{Pages: pagination.Whole{Max: 60}}).browse
	page := get(h, "/api/plants/?sort=-id&limit=5&offset=3")
	if rows := page.find("tr", "id", "*"); len(rows) != 60 || !strings.Contains(page.text, "60 records in ") || page.status != 200 {
		t.Errorf("%d: a page of %d records: %.300s", page.status, len(rows), page.text)
	}
	for text := range page.links() {
		if strings.Contains(text, "Next") || strings.Contains(text, "Last") {
			t.Errorf("the page has a link %q", text)
		}
	}
	none := get(h, "/api/plants/?height=99")
	if !strings.Contains(none.text, "No records match.") {
		t.Errorf("without records, the page is %.300s", none.text)
	}
	checkAccessible(t, page)
	shown := get(h, "/api/plants/?height=3&sort=name")
	if rows := shown.find("tr", "id", "*"); len(rows) != 6 || !strings.Contains(shown.text, "6 records in ") {
		t.Errorf("of height 3 are %d records: %.300s", len(rows), shown.text)
	}
	file := do(h, request("GET", "/api/plants/?_export=csv", ""))
	if lines := strings.Count(file.body, "\n"); lines != 61 {
		t.Errorf("the file has %d lines: %.200s", lines, file.body)
	}

	long := newPlants(t, schema.Description{Pages: pagination.Whole{Max: 59}})
	page = get(long.browse, "/api/plants/?sort=-id")
	if page.status != 400 || !strings.Contains(page.text, "Too many records: the list has 60, and at most 59 are sent.") {
		t.Errorf("%d, want an error of a list that is too long: %.300s", page.status, page.text)
	}
	if values := page.formValues("filters", map[string]string{"height": "3"}); values.Get("sort") != "-id" || values.Get("height") != "3" {
		t.Errorf("the form of a list that is too long sends %v", values)
	}
	if file := get(long.browse, "/api/plants/?_export=csv"); strings.Count(file.body, "\n") != 61 {
		t.Errorf("the file of a list that is too long is %.200s", file.body)
	}
}

// The row of the form adds filters with names of their own. Chips lead to the page without them, and an error
// is beside the row, with the value of the first parameter that it is about.
func TestNamesOfFilters(t *testing.T) {
	h := newPlants(t, schema.Description{}).browse
	page := get(h, "/api/plants/?tall=2&height_max=4&kind=x&sort=id")
	for text, want := range map[string]string{"Height > 2": "?height_max=4&kind=x&sort=id", "Height ≤ 4": "?kind=x&sort=id&tall=2", "Leaves shape: x": "?height_max=4&sort=id&tall=2"} {
		found := ""
		for link, to := range page.links() {
			if strings.HasPrefix(link, text) {
				found = to
			}
		}
		if found != want {
			t.Errorf("%s leads to %q, want %q: %v", text, found, want, page.links())
		}
	}
	values := page.formValues("filters", map[string]string{fieldName: "height", lookupName: "gte", valueName: "3"})
	clean := get(h, "/api/plants/?"+values.Encode())
	if to := clean.header.Get("Location"); !strings.HasSuffix(to, "?height_max=4&height_min=3&kind=x&sort=id&tall=2") {
		t.Errorf("the form leads to %s", to)
	}
	wrong := get(h, "/api/plants/?height_min=x&tall=y")
	if wrong.status != 400 || !wrong.isOpen("panel") || !strings.Contains(wrong.text, "Some filters are not valid.") {
		t.Errorf("%d, want the form with errors: %s", wrong.status, wrong.text)
	}
	if ranged := get(h, "/api/plants/?id_min=x"); !strings.Contains(ranged.text, "Add") || ranged.formValues("filters", nil).Get(valueName) != "x" {
		t.Errorf("an error of a range is not beside the row: %s", ranged.text)
	}
	sent := wrong.formValues("filters", nil)
	equal(t, "the form", url.Values{"height_min": {"x"}, "q": {""}, filterMarker: {"true"}, fieldName: {"height"}, lookupName: {"gt"}, valueName: {"y"}}, sent)
}
