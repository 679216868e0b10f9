package pagination_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

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

func TestNumbersLinks(t *testing.T) {
	ten := pagination.Numbers{Limits: pagination.Limits{Default: 10}}
	for _, row := range []struct{ reason, query, next, previous string }{
		{"the first page", "", "/n?page=2", ""},
		{"no parameter is left", "page=2", "/n?page=3", "/n"},
		{"others are kept and sorted", "page=2&z=1&a=b", "/n?a=b&page=3&z=1", "/n?a=b&z=1"},
		{"blank values", "z=1&page=3&a=%20x&a=", "/n?a=+x&a=&page=4&z=1", "/n?a=+x&a=&page=2&z=1"},
		{"repeated pages", "page=3&page=2&q=1", "/n?page=3&q=1", "/n?q=1"},
		{"the last page", "page=last", "", "/n?page=11"},
	} {
		q := pagination.ParseQuery(row.query)
		p, _ := pagination.Requested(ten, q, 120)
		next, previous := pagination.Neighbours(ten, p, 120, nil)
		got := [2]string{pagination.Link("/n", ten, q, next), pagination.Link("/n", ten, q, previous)}
		equal(t, row.reason, [2]string{row.next, row.previous}, got)
	}
}
