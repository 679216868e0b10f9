package pagination_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// A request is a query for a list of 60 books, with the expected links, without the path,
// and the expected number of records. An empty link is null.
type request struct {
	reason         string
	query          string
	next, previous string
	records        int
}

// Links with the default limit.
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
				t.Errorf("got %d records, want %d", end-start, tt.records)
			}
		})
	}
}

// TestLimitAndOffset uses observed responses of DRF.
func TestLimitAndOffset(t *testing.T) {
	bad := func(reason, query string) request {
		return request{reason + " (ignored)", query, secondPage, "", 21}
	}
	seven := func(reason, query string) request {
		return request{reason + " (7)", query, "?limit=7&offset=7", "", 7}
	}
	checkRequests(t, []request{
		{"first page", "", secondPage, "", 21},
		{"limit", "limit=5", "?limit=5&offset=5", "", 5},
		{"maximum", "limit=1000", "", "", 60},
		{"above the maximum", "limit=1001", "", "", 60},
		{"2^63-1", "limit=9223372036854775807", "", "", 60},
		{"2^63", "limit=9223372036854775808", "", "", 60},
		{"10^26-1", "limit=99999999999999999999999999", "", "", 60},
		bad("zero", "limit=0"),
		bad("minus one", "limit=-1"),
		bad("minus zero", "limit=-0"),
		bad("no value", "limit"),
		bad("blank", "limit="),
		bad("letters", "limit=abc"),
		bad("fraction", "limit=1.5"),
		seven("escaped space", "limit=%207%20"),
		seven("plus for a space", "limit=+7"),
		seven("escaped plus", "limit=%2B7"),
		seven("space before the sign", "limit=+%2B7"),
		bad("space after the sign", "limit=%2B+7"),
		seven("leading zeros", "limit=007"),
		bad("two underscores", "limit=1__0"),
		bad("leading underscore", "limit=_1"),
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
		{"repeated limit", "limit=5&limit=9", "?limit=9&offset=9", "", 9},
		{"repeated limit, smaller", "limit=9&limit=5", "?limit=5&offset=5", "", 5},
		bad("repeated limit, blank", "limit=9&limit="),
		{"upper-case name", "Limit=5", "?Limit=5&limit=21&offset=21", "", 21},
		{"escaped name", "%6Cimit=5", "?limit=5&offset=5", "", 5},
		{"name with a space", "limit%20=5", "?limit=21&limit+=5&offset=21", "", 21},
		{"name with brackets", "limit[]=5", "?limit=21&limit%5B%5D=5&offset=21", "", 21},

		{"offset 0", "offset=0", secondPage, "", 21},
		{"offset 1", "offset=1", "?limit=21&offset=22", firstPage, 21},
		{"offset one less than a page", "offset=20", "?limit=21&offset=41", firstPage, 21},
		{"offset of a page", "offset=21", "?limit=21&offset=42", firstPage, 21},
		{"offset one more than a page", "offset=22", "?limit=21&offset=43", "?limit=21&offset=1", 21},
		{"one record after the page", "offset=38", "?limit=21&offset=59", "?limit=21&offset=17", 21},
		{"no record after the page", "offset=39", "", "?limit=21&offset=18", 21},
		{"last record", "offset=59", "", "?limit=21&offset=38", 1},
		{"offset at the end", "offset=60", "", "?limit=21&offset=39", 0},
		{"offset past the end", "offset=61", "", "?limit=21&offset=40", 0},
		bad("negative offset", "offset=-1"),
		bad("blank offset", "offset="),
		bad("offset of letters", "offset=abc"),
		bad("offset with a fraction", "offset=1.5"),
		{"offset with escaped spaces", "offset=%207%20", "?limit=21&offset=28", firstPage, 21},
		{"offset with a space", "offset=+7", "?limit=21&offset=28", firstPage, 21},
		{"repeated offset", "offset=3&offset=30", "?limit=21&offset=51", "?limit=21&offset=9", 21},
		bad("repeated offset, blank", "offset=30&offset="),

		{"second page of ten", "limit=10&offset=10", "?limit=10&offset=20", "?limit=10", 10},
		{"page of ten at 11", "limit=10&offset=11", "?limit=10&offset=21", "?limit=10&offset=1", 10},
		{"last page of ten", "limit=10&offset=55", "", "?limit=10&offset=45", 5},
		{"limit larger than the list", "limit=100&offset=7", "", "?limit=100", 53},
		{"maximum in links", "limit=5000&offset=7", "", "?limit=1000", 53},
		{"maximum in links for a limit out of range", "limit=9999999999999999999999&offset=59", "", "?limit=1000", 1},
		{"whole list", "limit=60", "", "", 60},
		{"all but one", "limit=59", "?limit=59&offset=59", "", 59},
	})
}

// TestLimitAndOffsetUnlikeDRF covers the differences to DRF: numbers have ASCII digits
// only, but any number of them, and numbers out of range count as the largest int.
func TestLimitAndOffsetUnlikeDRF(t *testing.T) {
	fromTheEnd := fmt.Sprintf("?limit=21&offset=%d", math.MaxInt-21)
	checkRequests(t, []request{
		{"underscore between digits", "limit=1_0", secondPage, "", 21},
		{"underscore between digits of an offset", "offset=1_0", secondPage, "", 21},
		{"Arabic digits", "limit=%D9%A3", secondPage, "", 21},
		{"full-width digits", "limit=%EF%BC%91%EF%BC%92", secondPage, "", 21},
		{"more nines than Python accepts", "limit=" + nines, "", "", 60},
		{"more zeros than Python accepts", "limit=" + strings.Repeat("0", 4300) + "7", "?limit=7&offset=7", "", 7},
		{"offset 2^63-1", "offset=9223372036854775807", "", fromTheEnd, 0},
		{"offset 2^63", "offset=9223372036854775808", "", fromTheEnd, 0},
		{"offset 10^26-1", "offset=99999999999999999999999999", "", fromTheEnd, 0},
		{"offset of more nines than Python accepts", "offset=" + nines, "", fromTheEnd, 0},
	})
}

// TestLinks uses observed responses of DRF.
func TestLinks(t *testing.T) {
	// first returns a request for the first page; rest is the query of its next link.
	first := func(reason, query, rest string) request {
		return request{reason, query, "?" + rest, "", 21}
	}
	checkRequests(t, []request{
		first("sorted by name", "b=2&a=1", "a=1&b=2&limit=21&offset=21"),
		{"limit and offset sorted by name", "z=1&offset=30&a=%C3%A9", "?a=%C3%A9&limit=21&offset=51&z=1", "?a=%C3%A9&limit=21&offset=9&z=1", 21},
		first("escaped space", "q=a%20b", "limit=21&offset=21&q=a+b"),
		first("plus for a space", "q=a+b", "limit=21&offset=21&q=a+b"),
		first("escaped plus", "q=%2B", "limit=21&offset=21&q=%2B"),
		first("escaped punctuation", "q=%7E~*()!$'", "limit=21&offset=21&q=~~%2A%28%29%21%24%27"),
		first("unescaped punctuation", "q=-._~", "limit=21&offset=21&q=-._~"),
		first("invalid UTF-8", "q=%e9", "limit=21&offset=21&q=%EF%BF%BD"),
		first("two bytes of invalid UTF-8", "q=%FF%FE", "limit=21&offset=21&q=%EF%BF%BD%EF%BF%BD"),
		first("escaped UTF-8", "q=%E4%BD%A0", "limit=21&offset=21&q=%E4%BD%A0"),
		first("unescaped UTF-8 interpreted as Latin-1", "q=\xe4\xbd\xa0", "limit=21&offset=21&q=%C3%A4%C2%BD%C2%A0"),
		first("repeated name", "a=1&a=2&b=3&a=0", "a=1&a=2&a=0&b=3&limit=21&offset=21"),
		first("name without value", "x", "limit=21&offset=21&x="),
		first("blank value", "x=", "limit=21&offset=21&x="),
		first("value without name", "=5", "=5&limit=21&offset=21"),
		first("empty parts", "&&x=1&", "limit=21&offset=21&x=1"),
		first("semicolon", "x=1;y=2", "limit=21&offset=21&x=1%3By%3D2"),
		first("two equals signs", "x=a=b", "limit=21&offset=21&x=a%3Db"),
		first("escaped separators", "x=%26%3D%23", "limit=21&offset=21&x=%26%3D%23"),
		first("sorted by code point", "X=1&x=2&_=3&1=4&%C3%A9=5", "1=4&X=1&_=3&limit=21&offset=21&x=2&%C3%A9=5"),
		first("blank format", "format=", "format=&limit=21&offset=21"),
		{"all documented parameters", "format=json&limit=3&offset=6&ordering=-name", "?format=json&limit=3&offset=9&ordering=-name", "?format=json&limit=3&offset=3&ordering=-name", 3},
		{"repeated limit and offset", "limit=5&offset=10&limit=6&offset=12", "?limit=6&offset=18", "?limit=6&offset=6", 6},
		first("repeated offset, blank", "offset=5&offset=", "limit=21&offset=21"),
		first("characters that are invalid in URLs", "q=\"<>\\^`{|}", "limit=21&offset=21&q=%22%3C%3E%5C%5E%60%7B%7C%7D"),
		first("percent sign", "q=%", "limit=21&offset=21&q=%25"),
		first("invalid escape", "q=%zz", "limit=21&offset=21&q=%25zz"),
		first("incomplete escape", "q=%2", "limit=21&offset=21&q=%252"),
		first("NUL", "q=%00", "limit=21&offset=21&q=%00"),
		first("slash and question mark", "q=a%2Fb/c?d", "limit=21&offset=21&q=a%2Fb%2Fc%3Fd"),
		first("brackets in a name", "limit[]=3", "limit=21&limit%5B%5D=3&offset=21"),
		first("brackets in a value", "a=%5B%5D[]", "a=%5B%5D%5B%5D&limit=21&offset=21"),
		first("URL", "q=http://h/p?x=1", "limit=21&offset=21&q=http%3A%2F%2Fh%2Fp%3Fx%3D1"),

		// Further recorded requests.
		first("percent sign as a name", "%&%6f%72%64%65%72%69%6e%67=slug,,-slug", "%25=&limit=21&offset=21&ordering=slug%2C%2C-slug"),
		first("equals sign as a value", "==&limit=%2B%207", "=%3D&limit=21&offset=21"),
		first("escaped equals sign in a name", "%C3%B1%3D=%00", "limit=21&offset=21&%C3%B1%3D=%00"),
		first("spaces and commas", "ordering=-name+,+-location%20,+start_date", "limit=21&offset=21&ordering=-name+%2C+-location+%2C+start_date"),
		first("lower-case escapes", "_=%c3%bf&_=%f0%9f%99%82", "_=%C3%BF&_=%F0%9F%99%82&limit=21&offset=21"),
		first("invalid limits", "limit=inf&limit=<b>\"&ordering=-startDate", "limit=21&offset=21&ordering=-startDate"),
		{"escaped digit", "limit=%35&limit=%097", "?limit=7&offset=7", "", 7},
		{"names between limit and offset", "n~=%20&limi=1&offset[]=2&offset=10&m=a%3Db", "?limi=1&limit=21&m=a%3Db&n~=+&offset=31&offset%5B%5D=2", "?limi=1&limit=21&m=a%3Db&n~=+&offset%5B%5D=2", 21},
		{"name of invalid UTF-8 after ASCII names", "offset=63&%ff=%FE", "", "?limit=21&offset=42&%EF%BF%BD=%EF%BF%BD", 0},
	})
}

func TestAppendNextAndPrevious(t *testing.T) {
	q := pagination.ParseQuery("q=1")
	w := pagination.Window{Limit: 10, Offset: 20}
	dst := []byte("to: ")

	next, ok := pagination.AppendNext(dst, "/b", q, w, 60)
	if diff := cmp.Diff("to: /b?limit=10&offset=30&q=1", string(next)); diff != "" || !ok {
		t.Errorf("AppendNext: %t (-want +got):\n%s", ok, diff)
	}
	previous, ok := pagination.AppendPrevious(dst, "/b", q, w)
	if diff := cmp.Diff("to: /b?limit=10&offset=10&q=1", string(previous)); diff != "" || !ok {
		t.Errorf("AppendPrevious: %t (-want +got):\n%s", ok, diff)
	}
	if got, ok := pagination.AppendNext(dst, "/b", q, w, 30); ok || string(got) != "to: " {
		t.Errorf("AppendNext on the last page = %q, %t", got, ok)
	}
	if got, ok := pagination.AppendPrevious(dst, "/b", q, pagination.Window{Limit: 10}); ok || string(got) != "to: " {
		t.Errorf("AppendPrevious on the first page = %q, %t", got, ok)
	}
}

// TestLinksDoNotModifyTheQuery uses a query from several goroutines, for the race
// detector.
func TestLinksDoNotModifyTheQuery(t *testing.T) {
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
