package pagination_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"github.com/gobacklist/backlist/pagination"
)

func ExamplePage() {
	labels := []string{"Ardesia", "Brina", "Corvo", "Dedalo", "Edera"}
	u, _ := url.Parse("https://house.example/api/labels/?offset=2&limit=2&format=json")

	page := pagination.Page(labels, u, pagination.Limits{})
	fmt.Println(page.Records, "of", page.Count)
	fmt.Println(page.Next)
	fmt.Println(page.Previous)
	// Output:
	// [Corvo Dedalo] of 5
	// https://house.example/api/labels/?format=json&limit=2&offset=4
	// https://house.example/api/labels/?format=json&limit=2
}

func ExampleEnvelope() {
	page := pagination.Envelope[string]{
		Count:   3,
		Next:    "https://house.example/api/labels/?format=json&limit=2&offset=2",
		Records: []string{"Ardesia", "Brina & Corvo"},
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(page)
	// Output:
	// {"count":3,"next":"https://house.example/api/labels/?format=json&limit=2&offset=2","previous":null,"results":["Ardesia","Brina & Corvo"]}
}

// A client reads a page without knowing all its members.
func ExampleEnvelope_UnmarshalJSON_inClient() {
	type label struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	var page pagination.Envelope[label]
	err := json.Unmarshal([]byte(`{"count":2,"next":null,"previous":null,"results":[{"id":3,"name":"Ardesia"},{"id":4,"name":"Brina"}]}`), &page)
	fmt.Println(page.Records, page.Next == "", err)

	err = json.Unmarshal([]byte(`{"detail":"Not found."}`), &page)
	fmt.Println(err)
	// Output:
	// [{3 Ardesia} {4 Brina}] true <nil>
	// pagination: not a page: no results
}

func ExampleLink() {
	var limits pagination.Limits
	q := pagination.ParseQuery("ordering=-name&limit=10&offset=20&format=json")
	p, _ := pagination.Requested(limits, q, 60)

	next, previous := pagination.Neighbours(limits, p, 60, nil)
	fmt.Println(pagination.Link("https://house.example/api/books/", limits, q, next))
	fmt.Println(pagination.Link("https://house.example/api/books/", limits, q, previous))
	// Output:
	// https://house.example/api/books/?format=json&limit=10&offset=30&ordering=-name
	// https://house.example/api/books/?format=json&limit=10&offset=10&ordering=-name
}

func ExampleLimits() {
	limits := pagination.Limits{Default: 50, Max: 200}
	for _, raw := range []string{"", "limit=20&offset=40", "limit=5000", "limit=many&offset=-3"} {
		p, _ := pagination.Requested(limits, pagination.ParseQuery(raw), 0)
		fmt.Printf("%+v\n", p.Window)
	}
	// Output:
	// {Limit:50 Offset:0}
	// {Limit:20 Offset:40}
	// {Limit:200 Offset:0}
	// {Limit:50 Offset:0}
}

func ExampleWindow_Bounds() {
	days := []string{"Mon", "Tue", "Wed", "Thu", "Fri"}
	for _, offset := range []int{1, 4, 9} {
		w := pagination.Window{Limit: 2, Offset: offset}
		start, end := w.Bounds(len(days))
		fmt.Println(days[start:end])
	}
	// Output:
	// [Tue Wed]
	// [Fri]
	// []
}

func ExampleParseQuery() {
	q := pagination.ParseQuery("q=caff%C3%A8&q=t%C3%A8+verde&&tag=a;b&bad=%zz")
	last, ok := q.Get("q")
	fmt.Println(last, ok)
	fmt.Printf("%q\n", q.Values("q"))
	fmt.Println(q.Encode())
	// Output:
	// tè verde true
	// ["caffè" "tè verde"]
	// bad=%25zz&q=caff%C3%A8&q=t%C3%A8+verde&tag=a%3Bb
}

func ExampleNumbers() {
	labels := []string{"Ardesia", "Brina", "Corvo", "Dedalo", "Edera"}
	numbers := pagination.Numbers{Limits: pagination.Limits{Default: 2}}
	for _, query := range []string{"page=2&format=json", "page=last", "page=4"} {
		q := pagination.ParseQuery(query)
		p, ok := pagination.Requested(numbers, q, len(labels))
		if !ok {
			fmt.Println("404 Invalid page.")
			continue
		}
		start, end := p.Bounds(len(labels))
		next, _ := pagination.Neighbours(numbers, p, len(labels), nil)
		fmt.Printf("%v %q\n", labels[start:end], pagination.Link("/api/labels/", numbers, q, next))
	}
	// Output:
	// [Corvo Dedalo] "/api/labels/?format=json&page=3"
	// [Edera] ""
	// 404 Invalid page.
}

// A server without pages sends all records, or an error.
func ExampleWhole() {
	whole := pagination.Whole{Max: 3}
	serve := func(labels ...string) {
		place, _ := pagination.Requested(whole, pagination.ParseQuery("limit=1"), len(labels))
		if len(labels) > place.Limit {
			fmt.Println("400: at most", place.Limit, "records are sent")
			return
		}
		_ = json.NewEncoder(os.Stdout).Encode(labels)
	}
	serve("Ardesia", "Brina", "Corvo")
	serve("Ardesia", "Brina", "Corvo", "Dedalo")
	// Output:
	// ["Ardesia","Brina","Corvo"]
	// 400: at most 3 records are sent
}

// This example serves years that are sorted, some of them twice.
func ExampleCursors() {
	years := []string{"1999", "2004", "2004", "2004", "2011"}
	cursors := pagination.Cursors{Limits: pagination.Limits{Default: 2}}
	serve := func(query string) pagination.Envelope[string] {
		q := pagination.ParseQuery(query)
		at, ok := pagination.Requested(cursors, q, 0)
		if !ok || at.Reverse {
			return pagination.Envelope[string]{}
		}
		start, size := at.Offset, at.Limit
		for _, year := range years {
			if at.Positioned && year <= at.Position {
				start++
			}
		}
		read := years[min(start, len(years)):min(start+size+1, len(years))]
		next, _ := pagination.Neighbours(cursors, at, len(read), func(i int) string { return read[i] })
		return pagination.Envelope[string]{Count: -1, Next: pagination.Link("", cursors, q, next), Records: read[:min(size, len(read))]}
	}
	query := ""
	for {
		page := serve(query)
		u, _ := url.Parse(page.Next)
		at, _ := pagination.Requested(cursors, pagination.ParseQuery(u.RawQuery), 0)
		fmt.Println(page.Records, at.Position, at.Offset)
		if query = u.RawQuery; query == "" {
			break
		}
	}
	// Output:
	// [1999 2004] 1999 1
	// [2004 2004] 2004 0
	// [2011]  0
}
