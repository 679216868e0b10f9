package pagination_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// request is a request for a list of 60 books and the links in its answer, both
// without the path, and the number of records in it. An empty link is null.
type request struct {
	reason         string
	query          string
	next, previous string
	records        int
}

// The second page and its neighbours, with the default limit.
const (
	secondPage = "?limit=21&offset=21"
	firstPage  = "?limit=21"
)

func checkRequests(t *testing.T, requests []request) {
	const books = "https://host.example/api/books/"
	absolute := func(link string) string {
		if link == "" {
			return ""
		}
		return books + link
	}
	for _, tt := range requests {
		t.Run(tt.reason, func(t *testing.T) {
			q := pagination.ParseQuery(tt.query)
			w := pagination.Limits{}.Window(q)
			next, previous := pagination.Links(books, q, w, 60)
			if diff := cmp.Diff(absolute(tt.next), next); diff != "" {
				t.Errorf("next (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(absolute(tt.previous), previous); diff != "" {
				t.Errorf("previous (-want +got):\n%s", diff)
			}
			if start, end := w.Bounds(60); end-start != tt.records {
				t.Errorf("%d records, want %d", end-start, tt.records)
			}
		})
	}
}

// What DRF was observed to answer.
func TestLimitAndOffset(t *testing.T) {
	bad := func(reason, query string) request {
		return request{reason + " is bad", query, secondPage, "", 21}
	}
	seven := func(reason, query string) request {
		return request{reason + " is seven", query, "?limit=7&offset=7", "", 7}
	}
	checkRequests(t, []request{
		{"the first page", "", secondPage, "", 21},
		{"a limit", "limit=5", "?limit=5&offset=5", "", 5},
		{"the maximum shows all", "limit=1000", "", "", 60},
		{"above the maximum", "limit=1001", "", "", 60},
		{"the largest int64", "limit=9223372036854775807", "", "", 60},
		{"one more", "limit=9223372036854775808", "", "", 60},
		{"far more", "limit=99999999999999999999999999", "", "", 60},
		bad("zero", "limit=0"),
		bad("minus one", "limit=-1"),
		bad("minus zero", "limit=-0"),
		bad("no value", "limit"),
		bad("blank", "limit="),
		bad("letters", "limit=abc"),
		bad("a fraction", "limit=1.5"),
		seven("escaped space", "limit=%207%20"),
		seven("plus is a space", "limit=+7"),
		seven("an escaped plus is a sign", "limit=%2B7"),
		seven("space before the sign", "limit=+%2B7"),
		bad("space behind the sign", "limit=%2B+7"),
		seven("leading zeros", "limit=007"),
		bad("two underscores", "limit=1__0"),
		bad("an underscore in front", "limit=_1"),
		bad("superscript", "limit=%C2%B2"),
		seven("newline", "limit=7%0A"),
		seven("no-break space", "limit=7%C2%A0"),
		bad("zero-width space", "limit=7%E2%80%8B"),
		bad("NUL", "limit=7%00"),
		bad("unit separator", "limit=7%1F"),
		bad("comma", "limit=7,"),
		bad("exponent", "limit=1e2"),
		bad("hexadecimal", "limit=0x10"),
		seven("vertical tab", "limit=7%0B"),
		seven("next line", "limit=%C2%857"),
		bad("null", "limit=null"),
		{"4300 nines", "limit=" + strings.Repeat("9", 4300), "", "", 60},
		seven("4299 zeros and a 7", "limit="+strings.Repeat("0", 4299)+"7"),
		{"the last limit counts", "limit=5&limit=9", "?limit=9&offset=9", "", 9},
		{"the last limit counts, not the largest", "limit=9&limit=5", "?limit=5&offset=5", "", 5},
		bad("a last limit that is blank", "limit=9&limit="),
		{"another name: case", "Limit=5", "?Limit=5&limit=21&offset=21", "", 21},
		{"an escaped name", "%6Cimit=5", "?limit=5&offset=5", "", 5},
		{"another name: space", "limit%20=5", "?limit=21&limit+=5&offset=21", "", 21},
		{"another name: brackets", "limit[]=5", "?limit=21&limit%5B%5D=5&offset=21", "", 21},

		{"offset 0", "offset=0", secondPage, "", 21},
		{"offset 1: the first page is cut short, its link is not", "offset=1", "?limit=21&offset=22", firstPage, 21},
		{"one less than a page", "offset=20", "?limit=21&offset=41", firstPage, 21},
		{"a page", "offset=21", "?limit=21&offset=42", firstPage, 21},
		{"one more than a page", "offset=22", "?limit=21&offset=43", "?limit=21&offset=1", 21},
		{"one record is left", "offset=38", "?limit=21&offset=59", "?limit=21&offset=17", 21},
		{"none is left", "offset=39", "", "?limit=21&offset=18", 21},
		{"the last record", "offset=59", "", "?limit=21&offset=38", 1},
		{"the end", "offset=60", "", "?limit=21&offset=39", 0},
		{"behind the end", "offset=61", "", "?limit=21&offset=40", 0},
		bad("an offset below zero", "offset=-1"),
		bad("a blank offset", "offset="),
		bad("an offset of letters", "offset=abc"),
		bad("a fraction of an offset", "offset=1.5"),
		{"an offset and escaped space", "offset=%207%20", "?limit=21&offset=28", firstPage, 21},
		{"an offset and space", "offset=+7", "?limit=21&offset=28", firstPage, 21},
		{"the last offset counts", "offset=3&offset=30", "?limit=21&offset=51", "?limit=21&offset=9", 21},
		bad("a last offset that is blank", "offset=30&offset="),

		{"the second of pages of ten", "limit=10&offset=10", "?limit=10&offset=20", "?limit=10", 10},
		{"one further", "limit=10&offset=11", "?limit=10&offset=21", "?limit=10&offset=1", 10},
		{"a last page of five", "limit=10&offset=55", "", "?limit=10&offset=45", 5},
		{"a limit larger than the list", "limit=100&offset=7", "", "?limit=100", 53},
		{"links say the maximum", "limit=5000&offset=7", "", "?limit=1000", 53},
		{"links say the maximum, however large", "limit=9999999999999999999999&offset=59", "", "?limit=1000", 1},
		{"the whole list", "limit=60", "", "", 60},
		{"all but one", "limit=59", "?limit=59&offset=59", "", 59},
	})
}

// Where DESIGN decides otherwise than DRF: ASCII digits, of any number, and the
// largest int for what is too big for one.
func TestLimitAndOffsetUnlikeDRF(t *testing.T) {
	fromTheEnd := fmt.Sprintf("?limit=21&offset=%d", math.MaxInt-21)
	checkRequests(t, []request{
		{"an underscore between digits", "limit=1_0", secondPage, "", 21},
		{"an underscore between digits of an offset", "offset=1_0", secondPage, "", 21},
		{"Arabic digits", "limit=%D9%A3", secondPage, "", 21},
		{"full-width digits", "limit=%EF%BC%91%EF%BC%92", secondPage, "", 21},
		{"more nines than Python takes", "limit=" + nines, "", "", 60},
		{"more zeros than Python takes", "limit=" + strings.Repeat("0", 4300) + "7", "?limit=7&offset=7", "", 7},
		{"the offset 2^63-1, which is the largest where int has 64 bits", "offset=9223372036854775807", "", fromTheEnd, 0},
		{"one more", "offset=9223372036854775808", "", fromTheEnd, 0},
		{"far more", "offset=99999999999999999999999999", "", fromTheEnd, 0},
		{"an offset of more nines than Python takes", "offset=" + nines, "", fromTheEnd, 0},
	})
}

// What DRF was observed to answer.
func TestLinks(t *testing.T) {
	// first is a request for the first page; rest is what becomes of its query.
	first := func(reason, query, rest string) request {
		return request{reason, query, "?" + rest, "", 21}
	}
	checkRequests(t, []request{
		first("sorted by name", "b=2&a=1", "a=1&b=2&limit=21&offset=21"),
		{"limit and offset in their places", "z=1&offset=30&a=%C3%A9", "?a=%C3%A9&limit=21&offset=51&z=1", "?a=%C3%A9&limit=21&offset=9&z=1", 21},
		first("an escaped space", "q=a%20b", "limit=21&offset=21&q=a+b"),
		first("a space", "q=a+b", "limit=21&offset=21&q=a+b"),
		first("a plus", "q=%2B", "limit=21&offset=21&q=%2B"),
		first("not all that URLs may hold is bare", "q=%7E~*()!$'", "limit=21&offset=21&q=~~%2A%28%29%21%24%27"),
		first("what is bare", "q=-._~", "limit=21&offset=21&q=-._~"),
		first("a byte that is no UTF-8", "q=%e9", "limit=21&offset=21&q=%EF%BF%BD"),
		first("two of them", "q=%FF%FE", "limit=21&offset=21&q=%EF%BF%BD%EF%BF%BD"),
		first("UTF-8", "q=%E4%BD%A0", "limit=21&offset=21&q=%E4%BD%A0"),
		first("unescaped UTF-8 is taken for Latin-1", "q=\xe4\xbd\xa0", "limit=21&offset=21&q=%C3%A4%C2%BD%C2%A0"),
		first("a repeated name", "a=1&a=2&b=3&a=0", "a=1&a=2&a=0&b=3&limit=21&offset=21"),
		first("a name only", "x", "limit=21&offset=21&x="),
		first("a blank value", "x=", "limit=21&offset=21&x="),
		first("a value only", "=5", "=5&limit=21&offset=21"),
		first("empty parts", "&&x=1&", "limit=21&offset=21&x=1"),
		first("a semicolon", "x=1;y=2", "limit=21&offset=21&x=1%3By%3D2"),
		first("a second equals sign", "x=a=b", "limit=21&offset=21&x=a%3Db"),
		first("escaped separators", "x=%26%3D%23", "limit=21&offset=21&x=%26%3D%23"),
		first("sorted by code point", "X=1&x=2&_=3&1=4&%C3%A9=5", "1=4&X=1&_=3&limit=21&offset=21&x=2&%C3%A9=5"),
		first("a blank format", "format=", "format=&limit=21&offset=21"),
		{"all that is documented", "format=json&limit=3&offset=6&ordering=-name", "?format=json&limit=3&offset=9&ordering=-name", "?format=json&limit=3&offset=3&ordering=-name", 3},
		{"repeated limits and offsets collapse", "limit=5&offset=10&limit=6&offset=12", "?limit=6&offset=18", "?limit=6&offset=6", 6},
		first("a blank offset collapses too", "offset=5&offset=", "limit=21&offset=21"),
		first("what a URL may not hold", "q=\"<>\\^`{|}", "limit=21&offset=21&q=%22%3C%3E%5C%5E%60%7B%7C%7D"),
		first("a percent sign", "q=%", "limit=21&offset=21&q=%25"),
		first("a broken escape", "q=%zz", "limit=21&offset=21&q=%25zz"),
		first("half an escape", "q=%2", "limit=21&offset=21&q=%252"),
		first("NUL", "q=%00", "limit=21&offset=21&q=%00"),
		first("slash and question mark", "q=a%2Fb/c?d", "limit=21&offset=21&q=a%2Fb%2Fc%3Fd"),
		first("brackets in a name", "limit[]=3", "limit=21&limit%5B%5D=3&offset=21"),
		first("brackets in a value", "a=%5B%5D[]", "a=%5B%5D%5B%5D&limit=21&offset=21"),
		first("a URL", "q=http://h/p?x=1", "limit=21&offset=21&q=http%3A%2F%2Fh%2Fp%3Fx%3D1"),

		// Of the recorded requests, those of other kinds.
		first("a percent sign as a name", "%&%6f%72%64%65%72%69%6e%67=slug,,-slug", "%25=&limit=21&offset=21&ordering=slug%2C%2C-slug"),
		first("an equals sign as a value", "==&limit=%2B%207", "=%3D&limit=21&offset=21"),
		first("an escaped equals sign in a name", "%C3%B1%3D=%00", "limit=21&offset=21&%C3%B1%3D=%00"),
		first("spaces and commas", "ordering=-name+,+-location%20,+start_date", "limit=21&offset=21&ordering=-name+%2C+-location+%2C+start_date"),
		first("lower-case escapes", "_=%c3%bf&_=%f0%9f%99%82", "_=%C3%BF&_=%F0%9F%99%82&limit=21&offset=21"),
		first("broken limits collapse", "limit=inf&limit=<b>\"&ordering=-startDate", "limit=21&offset=21&ordering=-startDate"),
		{"an escaped digit", "limit=%35&limit=%097", "?limit=7&offset=7", "", 7},
		{"names between limit and offset", "n~=%20&limi=1&offset[]=2&offset=10&m=a%3Db", "?limi=1&limit=21&m=a%3Db&n~=+&offset=31&offset%5B%5D=2", "?limi=1&limit=21&m=a%3Db&n~=+&offset%5B%5D=2", 21},
		{"a bad name sorts behind all that is ASCII", "offset=63&%ff=%FE", "", "?limit=21&offset=42&%EF%BF%BD=%EF%BF%BD", 0},
	})
}

func TestLinksOfWindowsMadeInGo(t *testing.T) {
	type links struct{ Next, Previous string }
	edge := fmt.Sprintf("/?limit=5&offset=%d", math.MaxInt-5)
	for _, tt := range []struct {
		reason string
		window pagination.Window
		count  int
		want   links
	}{
		{"an empty list", pagination.Window{Limit: 5}, 0, links{}},
		{"an empty list has a page before what is behind it", pagination.Window{Limit: 3, Offset: 5}, 0, links{"", "/?limit=3&offset=2"}},
		{"a count below zero counts as zero", pagination.Window{Limit: 5, Offset: 5}, math.MinInt, links{"", "/?limit=5"}},
		{"an offset below zero counts as zero", pagination.Window{Limit: 5, Offset: math.MinInt}, 60, links{"/?limit=5&offset=5", ""}},
		{"no limit, no links", pagination.Window{Offset: 5}, 60, links{}},
		{"a limit below zero, no links", pagination.Window{Limit: math.MinInt, Offset: 5}, 60, links{}},
		{"the largest limit", pagination.Window{Limit: math.MaxInt, Offset: 1}, math.MaxInt, links{"", fmt.Sprintf("/?limit=%d", math.MaxInt)}},
		{"the largest offset", pagination.Window{Limit: 5, Offset: math.MaxInt}, math.MaxInt, links{"", edge}},
		{"the last but one page of the longest list", pagination.Window{Limit: 5, Offset: math.MaxInt - 10}, math.MaxInt, links{edge, fmt.Sprintf("/?limit=5&offset=%d", math.MaxInt-15)}},
		{"the last page of the longest list", pagination.Window{Limit: 5, Offset: math.MaxInt - 5}, math.MaxInt, links{"", fmt.Sprintf("/?limit=5&offset=%d", math.MaxInt-10)}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			next, previous := pagination.Links("/", pagination.Query{}, tt.window, tt.count)
			if diff := cmp.Diff(tt.want, links{next, previous}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	q := pagination.ParseQuery("q=1")
	w := pagination.Window{Limit: 10, Offset: 20}
	dst := []byte("to: ")

	next, ok := pagination.AppendNext(dst, "/b", q, w, 60)
	if diff := cmp.Diff("to: /b?limit=10&offset=30&q=1", string(next)); diff != "" || !ok {
		t.Errorf("AppendNext: %t (-want +got):\n%s", ok, diff)
	}
	previous, ok := pagination.AppendPrevious(dst, "/b", q, w, 60)
	if diff := cmp.Diff("to: /b?limit=10&offset=10&q=1", string(previous)); diff != "" || !ok {
		t.Errorf("AppendPrevious: %t (-want +got):\n%s", ok, diff)
	}
	if got, ok := pagination.AppendNext(dst, "/b", q, w, 30); ok || string(got) != "to: " {
		t.Errorf("AppendNext on the last page = %q, %t", got, ok)
	}
	if got, ok := pagination.AppendPrevious(dst, "/b", q, pagination.Window{Limit: 10}, 30); ok || string(got) != "to: " {
		t.Errorf("AppendPrevious on the first page = %q, %t", got, ok)
	}
}

// Making links does not reorder the query that others read at the same time.
func TestLinksLeaveTheQueryAlone(t *testing.T) {
	q := pagination.ParseQuery("b=1&limit=2&a=3&b=4&offset=5")
	done := make(chan string)
	for range 4 {
		go func() {
			next, _ := pagination.Links("", q, pagination.Window{Limit: 7, Offset: 7}, 60)
			b, _ := q.Get("b")
			done <- next + " " + b
		}()
	}
	for range 4 {
		if diff := cmp.Diff("?a=3&b=1&b=4&limit=7&offset=14 4", <-done); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
