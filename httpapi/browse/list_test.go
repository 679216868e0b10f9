package browse

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// headers returns the texts of the header, each with its arrow.
func (res result) headers() []string {
	var all []string
	inHead := false
	for _, tag := range res.tags {
		switch {
		case tag.name == "th" && tag.attrs["scope"] == "col":
			inHead = true
			all = append(all, "")
		case tag.name == "/th":
			inHead = false
		}
		if inHead {
			all[len(all)-1] += tag.text
		}
	}
	return all
}

// The id comes first, then the columns that the records are ordered by, then the others in
// their order.
func TestColumnOrder(t *testing.T) {
	const records = `{"books":[{"name":"a","id":1,"price":"1.50","pages":7,"unitPrice":"2"}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	tests := []struct {
		reason, query string
		want          []string
	}{
		{"default ordering", "", []string{"ID▲", "Name⇅", "Price⇅", "Pages⇅", "Unit price⇅"}},
		{"descending id", "?ordering=-id", []string{"ID▼", "Name⇅", "Price⇅", "Pages⇅", "Unit price⇅"}},
		{"one term", "?ordering=pages", []string{"ID⇅", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
		{"a name in camelCase", "?ordering=-unit_price", []string{"ID⇅", "Unit price▼", "Name⇅", "Price⇅", "Pages⇅"}},
		{"two terms", "?ordering=-pages,name", []string{"ID⇅", "Pages▼", "Name▲", "Price⇅", "Unit price⇅"}},
		{"the id is the second term", "?ordering=pages,-id", []string{"ID▼", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
		{"unknown terms", "?ordering=x,pages", []string{"ID⇅", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, get(h, "/api/books/"+test.query).headers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	got := get(newHandlers(t, load(t, threeEvents), httpapi.Options{}).browse, "/api/events/").headers()
	if diff := cmp.Diff([]string{"ID⇅", "Start date▲", "Name⇅"}, got[:3]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A value stays in the column of its member.
func TestValuesOfMovedColumns(t *testing.T) {
	const records = `{"books":[{"name":"n1","id":1,"pages":7},{"pages":8,"id":2,"name":"n2"},{"id":3,"pages":9}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	if got := get(h, "/api/books/?ordering=-pages"); !strings.Contains(got.text, "ID⇅ Pages▼ Name⇅ 3 9 2 8 n2 1 7 n1") {
		t.Errorf("the table is %s", got.text)
	}
}

// A column of numbers is aligned like its header. A number in another column is too, but not
// its header.
func TestNumbers(t *testing.T) {
	const records = `{"books":[
		{"id":1,"pages":7,"price":"12.50","isbn":"9788800000000","mixed":1,"none":null,"ids":[1],"gap":5},
		{"id":2,"pages":null,"price":"1.00","isbn":"9788800000001","mixed":"x","none":null,"ids":[2],"gap":null},
		{"id":3,"pages":1e3,"price":"-0.10","isbn":"","mixed":2,"none":null,"ids":[]}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	page := get(h, "/api/books/")
	got := make(map[string]string)
	for _, th := range page.find("th", "scope", "col") {
		got[th.attrs["class"]] += " "
	}
	want := map[string]string{"id number": " ", "number": "   ", "": "    "} // pages, price and gap; isbn, mixed, none and ids
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes of the header (-want +got):\n%s", diff)
	}
	if cells := page.find("td", "class", "number"); len(cells) != 8 {
		t.Errorf("%d cells with numbers, want 8", len(cells))
	}
	if cells := page.find("th", "class", "id number"); len(cells) != 4 {
		t.Errorf("%d ids, want 4 with the header", len(cells))
	}
}

func TestPageJump(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{}).browse
	const last = "?format=api&limit=21&offset=483"
	tests := []struct{ reason, query, want string }{
		{"second page", "?_page=2", "?format=api&limit=21&offset=21"},
		{"first page", "?_page=1&offset=300", "?format=api&limit=21"},
		{"last page", "?_page=24", last},
		{"past the last page", "?_page=25", last},
		{"beyond an int64", "?_page=99999999999999999999", last},
		{"zero", "?_page=0", "?format=api&limit=21"},
		{"negative", "?_page=-99999999999999999999", "?format=api&limit=21"},
		{"not a number", "?_page=x", "?format=api&limit=21"},
		{"white space", "?_page=+2+", "?format=api&limit=21&offset=21"},
		{"the last value counts", "?_page=3&_page=2", "?format=api&limit=21&offset=21"},
		{"other parameters are kept", "?x=1&x=%26&limit=5&ordering=-id&_page=2", "?format=api&limit=5&offset=5&ordering=-id&x=1&x=%26"},
		{"a limit that the handler reduces", "?limit=5000&_page=9", "?format=api&limit=5000"},
		{"an invalid limit", "?limit=x&_page=2", "?format=api&limit=21&offset=21"},
	}
	for _, test := range tests {
		got := get(h, "/api/books/"+test.query)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != test.want {
			t.Errorf("%s: %d, Location %q, want %q", test.reason, got.status, got.header.Get("Location"), test.want)
		}
		if got.header.Get("Vary") != "Accept" {
			t.Errorf("%s: Vary is %q", test.reason, got.header.Get("Vary"))
		}
	}
}

// A handler with a lower maximum decides how large the pages are.
func TestPageJumpWithReducedLimit(t *testing.T) {
	cat := load(t, books(500))
	h, err := httpapi.New(cat, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reduced := around(t, func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		q := r.URL.Query()
		q.Set("limit", "10")
		r.URL.RawQuery = q.Encode()
		h.ServeHTTP(w, r)
	})
	if got := get(reduced, "/api/books/?limit=100&_page=3").header.Get("Location"); got != "?format=api&limit=10&offset=20" {
		t.Errorf("the third page is %q", got)
	}
}

// The form leads to every page, and keeps the parameters of the page that it is on.
func TestPageForm(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{}).browse
	for number := 1; number <= 8; number++ {
		page := get(h, "/api/books/?limit=7&offset=14&ordering=-id")
		input := page.one(t, "input", "name", "_page").attrs
		if input["value"] != "3" || input["min"] != "1" || input["max"] != "8" {
			t.Fatalf("the input is %v", input)
		}
		values := page.formValues("jump", map[string]string{"_page": fmt.Sprint(number)})
		got := follow(t, h, "/api/books/", get(h, "/api/books/?"+values.Encode()).header.Get("Location"))
		rows := got.find("tr", "id", "*")
		if want := fmt.Sprintf("record-%d", 50-(number-1)*7); len(rows) == 0 || rows[0].attrs["id"] != want {
			t.Errorf("page %d starts with %v, want %s", number, rows, want)
		}
	}
	for _, query := range []string{"", "?limit=50", "?limit=51"} {
		if got := get(h, "/api/books/"+query); (len(got.find("form", "class", "jump")) == 1) != (query == "") {
			t.Errorf("%s: %d forms for a page", query, len(got.find("form", "class", "jump")))
		}
	}
	if got := get(h, "/api/books/?offset=9223372036854775807&limit=1").one(t, "input", "name", "_page").attrs["value"]; got != "50" {
		t.Errorf("past the end, the number of the page is %s", got)
	}
}

// Without a list there are no pages to jump to.
func TestPageJumpElsewhere(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	for target, status := range map[string]int{
		"/api/?_page=2": 200, "/api/films/1/?_page=2": 200, "/api/films/?_page=2&status=bogus": 400, "/api/x/?_page=2": 404, "/api/films?_page=2": 301,
	} {
		if got := get(h, target); got.status != status {
			t.Errorf("GET %s: %d, want %d", target, got.status, status)
		}
	}
}

// Whatever the handler returns, a jump ends.
func TestJumpOfOtherResponses(t *testing.T) {
	for _, body := range []string{``, `7`, `{"count":-5,"results":[]}`, `{"count":9,"results":[{"id":"x"}]}`, `{"count":9223372036854775807,"results":[]}`, `{"count":3,"results":[7]}`} {
		h := around(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		if got := get(h, "/api/books/?_page=7"); got.status >= 500 {
			t.Errorf("%s: %d", body, got.status)
		}
	}
}

func TestPagerLinks(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{})
	const none = ""
	tests := []struct {
		reason, query, summary      string
		first, previous, next, last string
	}{
		{"first page", "", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
		{"second page", "?limit=21&offset=21", "Records 22–42 of 500", "?format=api&limit=21", "?format=api&limit=21",
			"?format=api&limit=21&offset=42", "?format=api&limit=21&offset=483"},
		{"last page", "?offset=483", "Records 484–500 of 500", "?format=api&limit=21", "?format=api&limit=21&offset=462", none, none},
		{"offset between pages", "?limit=100&offset=5", "Records 6–105 of 500", "?format=api&limit=100", "?format=api&limit=100",
			"?format=api&limit=100&offset=105", "?format=api&limit=100&offset=400"},
		{"next to last of full pages", "?limit=100&offset=300", "Records 301–400 of 500", "?format=api&limit=100", "?format=api&limit=100&offset=200",
			"?format=api&limit=100&offset=400", "?format=api&limit=100&offset=400"},
		{"all records", "?limit=900", "Records 1–500 of 500", none, none, none, none},
		{"one record", "?limit=1&offset=7", "Record 8 of 500", "?format=api&limit=1", "?format=api&limit=1&offset=6",
			"?format=api&limit=1&offset=8", "?format=api&limit=1&offset=499"},
		{"other parameters are kept", "?ordering=-id&x=%C3%A9+%26&x=2&offset=21", "Records 22–42 of 500", "?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2",
			"?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=42&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=483&ordering=-id&x=%C3%A9+%26&x=2"},
		{"the last value of a parameter is used", "?limit=5&limit=10&offset=100&offset=20", "Records 21–30 of 500", "?format=api&limit=10", "?format=api&limit=10&offset=10",
			"?format=api&limit=10&offset=30", "?format=api&limit=10&offset=490"},
		{"invalid limit and offset", "?limit=x&offset=y", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h.browse, "/api/books/"+test.query)
			links := got.links()
			want := []string{test.first, test.previous, test.next, test.last}
			if diff := cmp.Diff(want, []string{links["« First"], links["‹ Previous"], links["Next ›"], links["Last »"]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.text, test.summary) {
				t.Errorf("the page does not show %q", test.summary)
			}
		})
	}
}

// Following next from the first page visits each record once.
func TestFollowNext(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{})
	target, seen := "/api/books/?limit=7", 0
	for page := 0; page < 8; page++ {
		got := get(h.browse, target)
		for _, row := range got.find("tr", "id", "*") {
			if seen++; row.attrs["id"] != fmt.Sprintf("record-%d", seen) {
				t.Errorf("row %d has id %q", seen, row.attrs["id"])
			}
		}
		next := got.find("a", "rel", "next")
		if len(next) == 0 {
			break
		}
		target = "/api/books/" + next[0].attrs["href"]
	}
	if seen != 50 {
		t.Errorf("visited %d records, want 50", seen)
	}
}

func TestEmptyPage(t *testing.T) {
	h := newHandlers(t, load(t, books(43)), httpapi.Options{})
	if got := get(h.browse, "/api/events/"); got.status != 200 || !strings.Contains(got.text, "There are no records yet.") || len(got.find("table", "", "")) > 0 {
		t.Errorf("empty collection: %d %s", got.status, got.text)
	}
	got := get(h.browse, "/api/books/?offset=9000")
	if link := got.links()["Go to the last page"]; link != "?format=api&limit=21&offset=42" {
		t.Errorf("past the end: the link to the last page is %q", link)
	}
}

func TestPageSizes(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{})
	tests := []struct {
		reason, query, current string
		want                   map[string]string
	}{
		{"default size", "?ordering=id", "21", map[string]string{"10": "?format=api&limit=10&ordering=id", "50": "?format=api&limit=50&ordering=id", "100": "?format=api&limit=100&ordering=id"}},
		{"other size", "?limit=33&offset=66", "33", map[string]string{"10": "?format=api&limit=10&offset=66", "21": "?format=api&limit=21&offset=66"}},
		{"more than the maximum", "?limit=5000&offset=1", "1000", nil},
	}
	for _, test := range tests {
		got := get(h.browse, "/api/books/"+test.query)
		if current := got.one(t, "a", "aria-current", "true").text; current != test.current {
			t.Errorf("%s: the current size is %s, want %s", test.reason, current, test.current)
		}
		for text, link := range test.want {
			if got.links()[text] != link {
				t.Errorf("%s: %s leads to %q, want %q", test.reason, text, got.links()[text], link)
			}
		}
	}
}

func TestOrderingLinks(t *testing.T) {
	h := newHandlers(t, load(t, threeEvents), httpapi.Options{})
	tests := []struct {
		reason, query    string
		sorted, sort     string // the marked column and its direction
		column, wantLink string // a column and its link
	}{
		{"default ordering", "", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"another column", "", "Start date", "ascending", "name", "?format=api&ordering=name"},
		{"ascending", "?ordering=name", "Name", "ascending", "name", "?format=api&ordering=-name"},
		{"descending", "?ordering=-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"two terms", "?ordering=-end_date,name", "End date", "descending", "name", "?format=api&ordering=name"},
		{"unknown term", "?ordering=price,-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"only unknown terms", "?ordering=price", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"the limit is kept, the offset is not", "?ordering=name&limit=1&offset=2", "Name", "ascending", "name", "?format=api&limit=1&ordering=-name"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h.browse, "/api/events/"+test.query)
			if th := got.one(t, "th", "aria-sort", "*"); th.attrs["aria-sort"] != test.sort {
				t.Errorf("aria-sort = %s, want %s", th.attrs["aria-sort"], test.sort)
			}
			if !strings.Contains(got.text, test.sorted+map[string]string{"ascending": "▲", "descending": "▼"}[test.sort]) {
				t.Errorf("no arrow at %s", test.sorted)
			}
			if said := got.one(t, "p", "class", "lead order").text; strings.TrimSpace(said) != "By "+test.sorted+", "+test.sort {
				t.Errorf("the ordering is shown as %q", said)
			}
			if link := got.one(t, "a", "title", test.column).attrs["href"]; link != test.wantLink {
				t.Errorf("%s leads to %q, want %q", test.column, link, test.wantLink)
			}
		})
	}
	got := get(h.browse, "/api/events/?ordering=-name")
	for i, row := range got.find("tr", "id", "*") {
		if want := []string{"record-2", "record-1", "record-3"}[i]; row.attrs["id"] != want {
			t.Errorf("row %d is %s, want %s", i, row.attrs["id"], want)
		}
	}
}

// Links keep the parameters that the handler reads, including those that net/url drops.
func TestLinksKeepQuery(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{}).browse
	tests := []struct{ reason, query, want string }{
		{"semicolon", "search=a;b", "a;b"},
		{"escaped semicolon", "search=a%3Bb", "a;b"},
		{"invalid escape", "search=100%25%zz%", "100%%zz%"},
		{"not UTF-8", "search=%ff", "\uFFFD"},
		{"bytes above ASCII", "search=é", "é"},
		{"plus sign and number sign", "search=a+%2B%23", "a +#"},
	}
	for _, test := range tests {
		page := get(h, "/api/books/?limit=7&offset=14&"+test.query)
		links := page.links()
		for _, name := range []string{"« First", "‹ Previous", "Next ›", "Last »", "10", "Raw JSON", "ID⇅", "ID▲"} {
			link, shown := links[name]
			if !shown {
				continue
			}
			if got, _ := pagination.ParseQuery(strings.TrimPrefix(link, "?")).Get("search"); got != test.want {
				t.Errorf("%s: %s leads to %q", test.reason, name, link)
			}
		}
		if got := page.formValues("jump", nil).Get("search"); got != test.want {
			t.Errorf("%s: the form for a page sends %q", test.reason, got)
		}
		jump := get(h, "/api/books/?_page=2&"+test.query).header.Get("Location")
		if got, _ := pagination.ParseQuery(strings.TrimPrefix(jump, "?")).Get("search"); got != test.want {
			t.Errorf("%s: the second page is %q", test.reason, jump)
		}
	}
}
