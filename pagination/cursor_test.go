package pagination_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

func encoded(content string) string { return base64.StdEncoding.EncodeToString([]byte(content)) }

// parseCursor returns the cursor of a request.
func parseCursor(text string) (pagination.Place, bool) {
	q := pagination.ParseQuery(url.Values{"cursor": {text}}.Encode())
	p, ok := pagination.Requested(pagination.Cursors{}, q, 0)
	p.Limit = 0
	return p, ok
}

// cursorOf returns the cursor of a place in links.
func cursorOf(p pagination.Place) string {
	q, _ := url.ParseQuery(string(pagination.AppendLink(nil, pagination.Cursors{}, pagination.Query{}, p))[1:])
	return q.Get("cursor")
}

// TestParseCursor has the cursors of drf-pages.
func TestParseCursor(t *testing.T) {
	seven := &pagination.Place{Window: pagination.Window{Offset: 7}}
	for _, row := range []struct {
		reason string
		text   string
		want   *pagination.Place // nil if it is invalid
	}{
		{"empty", "", &pagination.Place{}},
		{"only padding", "=", &pagination.Place{}},
		{"nothing of the alphabet", "!!!!", &pagination.Place{}},
		{"another name", encoded("x=1"), &pagination.Place{}},
		{"upper case", encoded("O=7"), &pagination.Place{}},
		{"offset", "bz03", seven},
		{"other characters are skipped", "bz0-3", seven},
		{"a blank is skipped", "b z 0 3", seven},
		{"a null character is skipped", "bz03\x00", seven},
		{"padding that is not needed", "bz03====", seven},
		{"what follows the padding", "YQ==bz03", &pagination.Place{}},
		{"a digit too many", "bz03a", nil},
		{"no padding", "YQ", nil},
		{"half a padding", "YQ=", nil},
		{"no base64", "abc", nil},
		{"a token", "nabc-_", &pagination.Place{Token: "abc-_"}},
		{"a token, in reverse", "pnp", &pagination.Place{Token: "np", Reverse: true}},
		{"an empty token", "n", nil},
		{"a token after other characters", "!nabc", nil},
		{"not ASCII before decoding", "bz03é", nil},
		{"not ASCII after it", "w6k=", nil},
		{"the first of several", encoded("o=7&o=9"), seven},
		{"the first of several is bad", encoded("o=x&o=9"), nil},
		{"empty parts", encoded("&o=7&"), seven},
		{"a semicolon", encoded("o=7;r=1"), nil},
		{"blanks and a sign", encoded("o=%20%2B7"), seven},
		{"full-width digits", encoded("o=%EF%BC%97"), seven},
		{"an empty offset", encoded("o="), nil},
		{"a negative offset", encoded("o=-1"), nil},
		{"a large offset", encoded("o=1001"), &pagination.Place{Window: pagination.Window{Offset: 1000}}},
		{"an offset out of range", encoded("o=99999999999999999999"), &pagination.Place{Window: pagination.Window{Offset: 1000}}},
		{"reverse", encoded("r=1"), &pagination.Place{Reverse: true}},
		{"any number but 0", encoded("r=-1"), &pagination.Place{Reverse: true}},
		{"not reverse", encoded("r=0"), &pagination.Place{}},
		{"no number", encoded("r=true"), nil},
		{"position", encoded("p=a+b%2B"), &pagination.Place{Position: "a b+", Positioned: true}},
		{"an empty position", encoded("p="), &pagination.Place{Positioned: true}},
		{"all", encoded("p=x&r=1&o=3"), &pagination.Place{Window: pagination.Window{Offset: 3}, Position: "x", Positioned: true, Reverse: true}},
	} {
		at, ok := parseCursor(row.text)
		want := pagination.Place{}
		if row.want != nil {
			want = *row.want
		}
		if diff := cmp.Diff(want, at); diff != "" || ok != (row.want != nil) {
			t.Errorf("%s: %t (-want +got):\n%s", row.reason, ok, diff)
		}
	}
}

func TestCursorOfPlace(t *testing.T) {
	for _, row := range []struct {
		at   pagination.Place
		want string
	}{
		{pagination.Place{}, ""},
		{pagination.Place{Positioned: true}, "p="},
		{pagination.Place{Window: pagination.Window{Offset: 3}, Position: "a b+é", Positioned: true, Reverse: true}, "o=3&r=1&p=a+b%2B%C3%A9"},
	} {
		equal(t, fmt.Sprintf("%+v", row.at), encoded(row.want), cursorOf(row.at))
		if again, ok := parseCursor(cursorOf(row.at)); again != row.at || !ok {
			t.Errorf("parsing %v = %v, %t", row.at, again, ok)
		}
	}
}

// listing serves sorted items by cursors, whose positions are the texts of the items.
func listing(items []int, style pagination.Cursors, u *url.URL) (page pagination.Envelope[int], ok bool) {
	q := pagination.ParseQuery(u.RawQuery)
	at, ok := pagination.Requested(style, q, 0)
	size := at.Limit
	if !ok {
		return page, false
	}
	list := slices.Clone(items)
	if at.Reverse {
		slices.Reverse(list)
	}
	if at.Positioned {
		bound, _ := strconv.Atoi(at.Position)
		list = slices.DeleteFunc(list, func(n int) bool { return n == bound || (n < bound) != at.Reverse })
	}
	list = list[min(at.Offset, len(list)):]
	list = list[:min(size+1, len(list))]
	next, previous := pagination.Neighbours(style, at, len(list), func(i int) string { return strconv.Itoa(list[i]) })
	page.Next, page.Previous = pagination.Link("/c", style, q, next), pagination.Link("/c", style, q, previous)
	page.Records = list[:min(size, len(list))]
	if at.Reverse {
		slices.Reverse(page.Records)
	}
	return page, true
}

// TestInexact checks, for all pages of lists with ties, that a place is Inexact if its page has other
// records than those that follow, and no other place is. Tokens are the indexes of items.
func TestInexact(t *testing.T) {
	read := func(items []int, at pagination.Place) (indexes []int) {
		order := make([]int, len(items))
		for i := range order {
			if order[i] = i; at.Reverse {
				order[i] = len(items) - 1 - i
			}
		}
		after := func(i int) bool {
			bound, _ := strconv.Atoi(at.Position + at.Token)
			switch {
			case at.Token != "":
				return i != bound && (i < bound) == at.Reverse
			case at.Positioned:
				return items[i] != bound && (items[i] < bound) == at.Reverse
			}
			return true
		}
		order = slices.DeleteFunc(order, func(i int) bool { return !after(i) })
		return order[min(at.Offset, len(order)):]
	}
	for _, items := range [][]int{{}, {1}, {1, 1, 1, 1, 1, 1}, {1, 2, 2, 2, 3, 4, 4, 4, 4}, {1, 1, 1, 1, 2, 2, 2, 3}, make([]int, 1010)} {
		for _, size := range []int{1, 2, 3, 4, 7, 1003} {
			for n := range 2 * 6 * 12 {
				at := pagination.Place{Window: pagination.Window{Limit: size, Offset: n % 12}, Reverse: n >= 6*12}
				switch from := n / 12 % 6; {
				case from == 5 && len(items) > 0:
					at.Token, at.Offset = strconv.Itoa(at.Offset%len(items)), 0
				case from > 0:
					at.Position, at.Positioned = strconv.Itoa(from), true
				case len(items) > 1000:
					at.Offset += 990
				}
				list := read(items, at)
				list = list[:min(len(list), size+1)]
				next, previous := pagination.Neighbours(pagination.Cursors{}, at, len(list), func(i int) string { return strconv.Itoa(items[list[i]]) })
				page := list[:min(len(list), size)]
				if len(page) == 0 {
					continue // whether records are at the position is not known
				}
				for _, to := range []pagination.Place{next, previous} {
					edge := page[0]
					if to.Reverse == at.Reverse {
						edge = page[len(page)-1]
					}
					want := read(items, pagination.Place{Token: strconv.Itoa(edge), Reverse: to.Reverse})
					linked := to
					if linked.Offset = min(to.Offset, 1000); to.Token != "" {
						linked.Offset = 0 // which cursors with tokens do not have
					}
					got := read(items, linked)
					isFirst := items[page[0]] == items[page[len(page)-1]] && to.Reverse != at.Reverse
					if to.Limit == 0 || to.Inexact && (isFirst || to.Offset > 1000) {
						continue
					}
					if slices.Equal(got[:min(len(got), size)], want[:min(len(want), size)]) == to.Inexact {
						t.Errorf("%v, pages of %d: the page at %+v has the link %+v to %v, want %v", items[:min(len(items), 10)], size, at, to, got[:min(len(got), 5)], want[:min(len(want), 5)])
					}
				}
			}
		}
	}
}

// FuzzCursorWalk checks that the next links lead to all records of a list with many ties, once
// and in order, and that previous links end.
func FuzzCursorWalk(f *testing.F) {
	for i := range 40 {
		f.Add(uint8(i*7), uint8(1+i%9), uint8(1+i%13))
	}
	f.Fuzz(func(t *testing.T, count, ties, size uint8) {
		items := make([]int, count)
		for i := range items {
			items[i] = i / max(int(ties), 1)
		}
		style := pagination.Cursors{Limits: pagination.Limits{Default: max(int(size), 1)}}
		var seen []int
		u := &url.URL{}
		for u.RawQuery != "end" {
			page, ok := listing(items, style, u)
			if !ok || len(seen) > len(items) {
				t.Fatalf("%s: %t after %d records of %d", u, ok, len(seen), len(items))
			}
			seen = append(seen, page.Records...)
			if page.Next == "" {
				break
			}
			u = parseURL(t, page.Next)
		}
		if diff := cmp.Diff(items, append([]int{}, seen...)); diff != "" {
			t.Fatalf("records (-want +got):\n%s", diff)
		}
		for range len(items) + 2 {
			page, ok := listing(items, style, u)
			if !ok {
				t.Fatalf("%s is invalid", u)
			}
			if page.Previous == "" {
				return
			}
			u = parseURL(t, page.Previous)
		}
		t.Fatal("previous links do not end")
	})
}

func FuzzParseCursor(f *testing.F) {
	for _, text := range []string{"", "bz03", "abc", "cj0xJnA9eA==", "=bz0=3", "YQ==é", encoded("o=1_0&p=%ff")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := parseCursor(text)
		if again, valid := parseCursor(cursorOf(at)); ok && (!valid || again != at) {
			t.Fatalf("%q: %+v, and again %+v, %t", text, at, again, valid)
		}
	})
}
