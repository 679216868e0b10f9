package pagination_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// A link has the parameters of the style in place of those in the query, and all others.
func TestAppendLink(t *testing.T) {
	q := pagination.ParseQuery("q=1&offset=3&page=3&cursor=x&limit=9&a=%20")
	before := fmt.Sprint(q)
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
	equal(t, "the query, which others may read", before, fmt.Sprint(q))
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
			if !slices.ContainsFunc(append(styles, pagination.Whole{}), func(s pagination.Style) bool { return fmt.Sprintf("%T", s) == "pagination."+method[1] }) {
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

// A list without pages has the same place and no neighbours, whatever the query has.
func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		style pagination.Whole
		want  int
	}{{pagination.Whole{}, 10_000}, {pagination.Whole{Max: 8}, 8}, {pagination.Whole{Max: -1}, math.MaxInt}} {
		is := pagination.TraitsOf(tt.style)
		if is.Default != tt.want || is.Max != tt.want || is.Members != nil || is.Place+is.Size != "" {
			t.Errorf("%+v: %+v", tt.style, is)
		}
		q := pagination.ParseQuery("limit=3&offset=4&page=x&cursor=y&a=1")
		p, ok := pagination.Requested(tt.style, q, 100)
		equal(t, fmt.Sprintf("%+v: %t, the place", tt.style, ok), pagination.Place{Window: pagination.Window{Limit: tt.want}}, p)
		next, previous := pagination.Neighbours(tt.style, p, 100, nil)
		equal(t, "the neighbours", [2]pagination.Place{}, [2]pagination.Place{next, previous})
		equal(t, "with another bound", pagination.Style(pagination.Whole{Max: 5}), pagination.Bounded(tt.style, pagination.Limits{Default: 3, Max: 5}))
	}
}

// TestNumbersPlace has the values of drf-pages for a list of 120 records, in pages of 10.
func TestNumbersPlace(t *testing.T) {
	ten := pagination.Numbers{Limits: pagination.Limits{Default: 10}}
	sized := pagination.Numbers{Limits: pagination.Limits{Default: 10, Max: 50}, Page: "p", Size: "page_size"}
	const none = -1
	for _, row := range []struct {
		reason      string
		numbers     pagination.Numbers
		query       string
		count       int
		size, start int
	}{
		{"the zero value", pagination.Numbers{}, "page=2", 120, 21, 21},
		{"no page", ten, "", 120, 10, 0},
		{"a page", ten, "page=2", 120, 10, 10},
		{"blanks around it", ten, "page=%202%20", 120, 10, 10},
		{"Unicode blanks", ten, "page=%C2%A02%0A", 120, 10, 10},
		{"a sign", ten, "page=%2B2", 120, 10, 10},
		{"leading zeros", ten, "page=002", 120, 10, 10},
		{"full-width digits", ten, "page=%EF%BC%92", 120, 10, 10},
		{"Arabic digits", ten, "page=%D9%A2", 120, 10, 10},
		{"an underscore between digits", ten, "page=1_0", 120, 10, 90},
		{"an underscore at the end", ten, "page=1_", 120, none, 0},
		{"two underscores", ten, "page=1__0", 120, none, 0},
		{"an underscore after the sign", ten, "page=%2B_1", 120, none, 0},
		{"a superscript", ten, "page=%C2%B2", 120, none, 0},
		{"a fraction", ten, "page=1.0", 120, none, 0},
		{"zero", ten, "page=0", 120, none, 0},
		{"negative", ten, "page=-1", 120, none, 0},
		{"a null character", ten, "page=2%00", 120, none, 0},
		{"empty", ten, "page=", 120, none, 0},
		{"empty, in 3.18", pagination.Numbers{Blank: true}, "page=", 120, 21, 0},
		{"blank, in 3.18", pagination.Numbers{Blank: true}, "page=%20", 120, none, 0},
		{"the last page", ten, "page=12", 120, 10, 110},
		{"after the last page", ten, "page=13", 120, none, 0},
		{"out of range", ten, "page=99999999999999999999", 120, none, 0},
		{"last", ten, "page=last", 120, 10, 110},
		{"last of a page that is not full", ten, "page=last", 121, 10, 120},
		{"last in another case", ten, "page=Last", 120, none, 0},
		{"last with a blank", ten, "page=last%20", 120, none, 0},
		{"the last value counts", ten, "page=2&page=3", 120, 10, 20},
		{"names are case-sensitive", ten, "Page=2", 120, 10, 0},
		{"a size that is not read", ten, "page_size=3", 120, 10, 0},
		{"an empty list", ten, "page=1", 0, 10, 0},
		{"last of an empty list", ten, "page=last", 0, 10, 0},
		{"after an empty list", ten, "page=2", 0, none, 0},
		{"a negative count", ten, "page=1", -3, 10, 0},
		{"another name", sized, "p=2&page=3", 120, 10, 10},
		{"a size", sized, "page_size=5&p=2", 120, 5, 5},
		{"a size with blanks", sized, "page_size=%20005", 120, 5, 0},
		{"a large size", sized, "page_size=999&p=3", 120, 50, 100},
		{"a size out of range", sized, "page_size=99999999999999999999", 120, 50, 0},
		{"a size of 0", sized, "page_size=0", 120, 10, 0},
		{"a size that is not a number", sized, "page_size=5&page_size=x", 120, 10, 0},
		{"last with a size", sized, "p=last&page_size=7", 120, 7, 119},
		{"unlimited size", pagination.Numbers{Limits: pagination.Limits{Max: -1}, Size: "s"}, "s=99999999999999999999", 120, math.MaxInt, 0},
		{"an unknown count", ten, "page=7", math.MaxInt, 10, 60},
		{"last of an unknown count", ten, "page=last", math.MaxInt, 10, (math.MaxInt - 1) / 10 * 10},
	} {
		p, ok := pagination.Requested(row.numbers, pagination.ParseQuery(row.query), row.count)
		want := pagination.Window{Limit: row.size, Offset: row.start}
		if row.size == none {
			want = pagination.Window{}
		}
		if diff := cmp.Diff(want, p.Window); diff != "" || ok != (row.size != none) {
			t.Errorf("%s: ok %t (-want +got):\n%s", row.reason, ok, diff)
		}
	}
}
