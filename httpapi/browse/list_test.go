package browse

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// A column of numbers is aligned like its header. A number in another column is too, but not
// its header.
func TestNumbers(t *testing.T) {
	const records = `{"books":[
		{"id":1,"pages":7,"price":"12.50","isbn":"9788800000000","mixed":1,"none":null,"ids":[1],"gap":5},
		{"id":2,"pages":null,"price":"1.00","isbn":"9788800000001","mixed":"x","none":null,"ids":[2],"gap":null},
		{"id":3,"pages":1e3,"price":"-0.10","isbn":"","mixed":2,"none":null,"ids":[]}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	page := get(h, "/api/books/?_columns=pages,price,isbn,mixed,none,ids,gap")
	got := make(map[string]string)
	for _, th := range page.find("th", "scope", "col") {
		got[th.attrs["class"]] += " "
	}
	want := map[string]string{"name number": " ", "number": "    ", "": "   "} // pages, price, gap and none; isbn, mixed and ids
	equal(t, "classes of the header", want, got)
	if cells := append(page.find("td", "class", "number number"), page.find("td", "class", "number")...); len(cells) != 8 {
		t.Errorf("%d cells with numbers, want 8", len(cells))
	}
	if cells := page.find("td", "class", "null number"); len(cells) != 5 {
		t.Errorf("%d null numbers, want 5", len(cells))
	}
	if cells := page.find("th", "class", "number name number"); len(cells) != 3 {
		t.Errorf("%d ids, want 3", len(cells))
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
		{"plus sign and number sign", "search=a+%2B%23", "a +#"},
	}
	for _, test := range tests {
		page := get(h, "/api/books/?limit=7&offset=14&"+test.query)
		links := page.links()
		for _, name := range []string{"1", "‹ Previous", "Next ›", "8", "Raw JSON", "ID⇅", "ID▲"} {
			link, shown := links[name]
			if !shown {
				continue
			}
			if got, _ := pagination.ParseQuery(strings.TrimPrefix(link, "?")).Get("search"); got != test.want {
				t.Errorf("%s: %s leads to %q", test.reason, name, link)
			}
		}
	}
}

// A list says how long the handler took beside its count. Other pages do not.
func TestTimeOfAnswer(t *testing.T) {
	h := newHandlers(t, load(t, books(9)), httpapi.Options{}).browse
	page := get(h, "/api/books/")
	if !regexp.MustCompile(`9 records in [\d.]+[mµ]?s `).MatchString(page.text) {
		t.Errorf("the page says nothing of the time: %s", page.text)
	}
	for _, target := range []string{"/api/", "/api/none/"} {
		if page := get(h, target); len(page.find("p", "class", "lead took")) != 0 {
			t.Errorf("%s has a time: %s", target, page.text)
		}
	}
}

// Pages by cursor have the links of the response, which lead to all records.
func TestCursors(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{Pages: pagination.Cursors{Limits: pagination.Limits{Default: 7}}}).browse
	page, pages, seen := get(h, "/api/books/?ordering=-id"), 1, map[string]bool{}
	for {
		for _, row := range page.find("tr", "id", "*") {
			seen[row.attrs["id"]] = true
		}
		if !strings.Contains(page.text, " A page of ") {
			t.Errorf("a number of all records: %s", page.text)
		}
		next := page.find("a", "rel", "next")
		if len(next) == 0 {
			break
		}
		page, pages = follow(t, h, "/api/books/", next[0].attrs["href"]), pages+1
	}
	if len(seen) != 50 || pages != 8 {
		t.Errorf("%d records on %d pages, want 50 on 8", len(seen), pages)
	}
	if got := follow(t, h, "/api/books/", page.one(t, "a", "rel", "prev").attrs["href"]).find("tr", "id", "record-8"); len(got) != 1 {
		t.Error("the page before the last lacks record 8")
	}
	if got := get(h, "/api/books/?cursor=x&ordering=id"); got.status != 404 || got.links()["Go to the first page"] != "?ordering=id" {
		t.Errorf("an invalid cursor: %d, %v", got.status, got.links())
	}
}

// Pages by number have the pager of pages by limit and offset: each of its links leads to the page
// that it names.
func TestNumberedPages(t *testing.T) {
	limits := pagination.Limits{Default: 7, Max: 60}
	for _, test := range []struct {
		style pagination.Numbers
		links map[string]string // of page 3
	}{
		{pagination.Numbers{Limits: limits}, map[string]string{"1": "?ordering=-id", "2": "?ordering=-id&page=2", "‹ Previous": "?ordering=-id&page=2", "Next ›": "?ordering=-id&page=4", "8": "?ordering=-id&page=8"}},
		{pagination.Numbers{Limits: limits, Page: "p", Size: "n"}, map[string]string{"1": "?n=7&ordering=-id", "8": "?n=7&ordering=-id&p=8"}},
	} {
		h := newHandlers(t, load(t, books(50)), httpapi.Options{Pages: test.style}).browse
		name := pagination.TraitsOf(test.style).Place
		page := get(h, "/api/books/?ordering=-id&"+name+"=3")
		for text, want := range test.links {
			if got := page.links()[text]; got != want {
				t.Errorf("%+v: %s leads to %s, want %s", test.style, text, got, want)
			}
		}
		if !strings.Contains(page.text, "Records 15–21 of 50") || len(page.find("tr", "id", "record-36")) != 1 {
			t.Errorf("%+v: %s", test.style, page.text)
		}
		missing := get(h, "/api/books/?ordering=-id&"+name+"=9")
		if first := missing.links()["Go to the first page"]; missing.status != 404 || first != "?ordering=-id" {
			t.Errorf("%+v: a page that does not exist is %d, and leads to %s", test.style, missing.status, first)
		}
	}
}
