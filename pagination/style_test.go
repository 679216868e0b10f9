package pagination_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/pagination"
)

// A link has the parameters of the style in place of those in the query, and all others.
func TestAppendLink(t *testing.T) {
	q := pagination.ParseQuery("q=1&offset=3&page=3&cursor=x&limit=9&a=%20")
	at := func(limit, offset int) pagination.Place {
		return pagination.Place{Window: pagination.Window{Limit: limit, Offset: offset}}
	}
	for _, tt := range []struct {
		reason string
		style  pagination.Style
		q      pagination.Query
		to     pagination.Place
		want   string
	}{
		{"limit and offset", pagination.Limits{}, q, at(10, 20), "?a=+&cursor=x&limit=10&offset=20&page=3&q=1"},
		{"no offset", pagination.Limits{}, q, at(10, 0), "?a=+&cursor=x&limit=10&page=3&q=1"},
		{"an empty query", pagination.Limits{}, pagination.Query{}, at(10, 0), "?limit=10"},
		{"a number", pagination.Numbers{}, q, at(10, 20), "?a=+&cursor=x&limit=9&offset=3&page=3&q=1"},
		{"the first page", pagination.Numbers{}, q, at(10, 0), "?a=+&cursor=x&limit=9&offset=3&q=1"},
		{"no parameter is left", pagination.Numbers{}, pagination.ParseQuery("page=3"), at(10, 0), ""},
		{"a page of no size", pagination.Numbers{}, pagination.Query{}, at(0, 20), "?page=21"},
		{"a cursor", pagination.Cursors{}, q, at(10, 3), "?a=+&cursor=bz0z&limit=9&offset=3&page=3&q=1"},
		{"the first page by cursors", pagination.Cursors{}, q, at(10, 0), "?a=+&cursor=&limit=9&offset=3&page=3&q=1"},
		{"other names", pagination.Numbers{Page: "q"}, q, at(10, 10), "?a=+&cursor=x&limit=9&offset=3&page=3&q=2"},
	} {
		equal(t, tt.reason, "to: "+tt.want, string(pagination.AppendLink([]byte("to: "), tt.style, tt.q, tt.to)))
		want := "/b" + tt.want
		if tt.to.Limit == 0 {
			want = ""
		}
		equal(t, fmt.Sprintf("%s: Link", tt.reason), want, pagination.Link("/b", tt.style, tt.q, tt.to))
	}
}

// The functions of a style agree: a link to a place leads to it, with the parameters and the bounds
// in Traits. Each type of a style is in the list.
func TestStyles(t *testing.T) {
	sizes := pagination.Limits{Default: 5, Max: 8}
	styles := []pagination.Style{
		sizes, pagination.Numbers{Limits: sizes, Page: "p", Size: "size", Blank: true}, pagination.Cursors{Limits: sizes, Cursor: "after", Size: "size"},
		pagination.Numbers{Limits: sizes, Blank: true}, pagination.Cursors{Limits: sizes},
	}
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) traits\(`).FindAllStringSubmatch(string(source), -1) {
			if !slices.ContainsFunc(styles, func(s pagination.Style) bool { return fmt.Sprintf("%T", s) == "pagination."+method[1] }) {
				t.Errorf("%s is a style and not in the list", method[1])
			}
		}
	}
	for _, style := range styles {
		is := pagination.TraitsOf(style)
		page := pagination.Envelope[int]{Count: -1}
		if slices.Contains(is.Members, "count") {
			page.Count = 7
		}
		body, err := page.MarshalJSON()
		var names []string
		for _, name := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(body), -1) {
			names = append(names, name[1])
		}
		equal(t, fmt.Sprintf("%T: members of %s, %v", style, body, err), is.Members, names)
		other := pagination.Bounded(style, pagination.Limits{Default: 3, Max: 4})
		want := is
		want.Default, want.Max = 3, 4
		equal(t, fmt.Sprintf("%T with other bounds", style), want, pagination.TraitsOf(other))
		equal(t, fmt.Sprintf("%T with its own bounds again", style), style, pagination.Bounded(other, sizes))
		if is.Default != 5 || is.Max != 8 || is.Place == "" || is.About == "" || is.Anywhere && !is.Counted {
			t.Errorf("%T: %+v", style, is)
		}
		size := 5
		q := pagination.ParseQuery(is.Place + "=&" + is.Size + "=9")
		if is.Size != "" {
			size = 8
		}
		for range 3 {
			p, ok := pagination.Requested(style, q, 100)
			if !ok || p.Limit != size {
				t.Fatalf("%T: the place of %s is %+v, %t", style, q.Encode(), p, ok)
			}
			next, _ := pagination.Neighbours(style, p, 100, func(i int) string { return q.Encode() + string(rune('a'+i)) })
			q = pagination.ParseQuery(string(pagination.AppendLink(nil, style, q, next))[1:])
			if again, ok := pagination.Requested(style, q, 100); again != next || !ok {
				t.Errorf("%T: the link to %+v leads to %+v, %t", style, next, again, ok)
			}
		}
	}
	if p, ok := pagination.Requested(pagination.Numbers{}, pagination.ParseQuery("page="), 100); ok {
		t.Errorf("an empty number is %+v", p)
	}
	equal(t, "no style differs from Limits{}", pagination.TraitsOf(pagination.Limits{}), pagination.TraitsOf(nil))
}

// TestLinksDoNotModifyTheQuery uses a query from several goroutines, for the race
// detector.
func TestLinksDoNotModifyTheQuery(t *testing.T) {
	q := pagination.ParseQuery("b=1&limit=2&a=3&b=4&offset=5")
	done := make(chan string)
	for range 4 {
		go func() {
			next := pagination.AppendLink(nil, pagination.Limits{}, q, pagination.Place{Window: pagination.Window{Limit: 7, Offset: 14}})
			b, _ := q.Get("b")
			done <- string(next) + " " + b
		}()
	}
	for range 4 {
		equal(t, "the result", "?a=3&b=1&b=4&limit=7&offset=14 4", <-done)
	}
}
