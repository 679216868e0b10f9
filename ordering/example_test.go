package ordering_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

type Title struct {
	Name        string    `json:"name"`
	Pages       int       `json:"pages"`
	PublishedOn time.Time `json:"publishedOn"`
}

func titles() []Title {
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	return []Title{{"Dune", 412, day(3)}, {"Emma", 474, day(1)}, {"Ulysses", 730, day(2)}, {"Solaris", 204, day(2)}}
}

func print(titles []Title) {
	var names []string
	for _, t := range titles {
		names = append(names, t.Name)
	}
	fmt.Println(strings.Join(names, " "))
}

func Example() {
	fields, err := ordering.FieldsOf[Title]()
	if err != nil {
		panic(err)
	}
	books := titles()
	terms := fields.Parse("-published_on,bogus,pages") // from a request
	if err := fields.Sort(books, terms...); err != nil {
		panic(err)
	}
	fmt.Println(ordering.Format(terms))
	print(books)
	// Output:
	// -published_on,pages
	// Dune Solaris Ulysses Emma
}

func ExampleParse() {
	known := func(name string) bool { return name == "name" || name == "start_date" }
	fmt.Println(ordering.Parse(" -start_date, startDate, name", known))
	// Output: [-start_date name]
}

func ExampleSnake() {
	fmt.Println(ordering.Snake("featureAuthors"), ordering.Camel("feature_authors"))
	// Output: feature_authors featureAuthors
}

func ExampleTerm() {
	t := ordering.Desc("name")
	fmt.Println(t, t.Field, t.Desc)
	// Output: -name name true
}

// This example filters a slice, sorts what is left and prints its first page.
func ExampleFields_Matcher_filterSlice() {
	fields, err := ordering.FieldsOf[Title]()
	if err != nil {
		panic(err)
	}
	match, err := fields.Matcher(ordering.AtLeast("pages", 400))
	if err != nil {
		panic(err)
	}
	books := slices.DeleteFunc(titles(), func(t Title) bool { return !match(t) })
	if err := fields.Sort(books, ordering.Desc("pages")); err != nil {
		panic(err)
	}
	start, end := pagination.Window{Limit: 2}.Bounds(len(books))
	page := books[start:end]
	fmt.Println(len(books), "books")
	print(page)
	// Output:
	// 3 books
	// Ulysses Emma
}

func ExampleBetween() {
	fields, _ := ordering.FieldsOf[Title]()
	match, err := fields.Matcher(ordering.Between("pages", 204, 412)) // 204 and 412 are included
	if err != nil {
		panic(err)
	}
	print(slices.DeleteFunc(titles(), func(t Title) bool { return !match(t) }))
	// Output: Dune Solaris
}

// Conditions on one field can be joined, and reversed.
func ExampleOr() {
	fields, _ := ordering.FieldsOf[Title]()
	short := ordering.Or(ordering.Less("pages", 204), ordering.Equal("pages", 204))
	match, err := fields.Matcher(ordering.Not(short))
	if err != nil {
		panic(err)
	}
	print(slices.DeleteFunc(titles(), func(t Title) bool { return !match(t) }))
	// Output: Dune Emma Ulysses
}

// A Name compares without regard to case.
type Name string

func (n Name) OrderingKey() sortkey.Key { return sortkey.Fold(string(n)) }

// An Addr compares by value, not by its text.
type Addr struct{ netip.Addr }

func (a Addr) OrderingKey() sortkey.Key {
	b := a.As16()
	return sortkey.Text(string(b[:]))
}

// In this example, types decide how their values compare.
func ExampleFieldsOf_ownOrder() {
	type Host struct {
		Name Name `json:"name"`
		Addr Addr `json:"addr"`
	}
	fields, err := ordering.FieldsOf[Host]()
	if err != nil {
		panic(err)
	}
	hosts := []Host{
		{"bob", Addr{netip.MustParseAddr("10.0.0.1")}},
		{"Carol", Addr{netip.MustParseAddr("9.0.0.1")}},
		{"alice", Addr{netip.MustParseAddr("::1")}},
	}
	for _, by := range []string{"name", "addr"} {
		err = fields.Sort(hosts, ordering.Asc(by))
		fmt.Println(hosts, err)
	}
	match, err := fields.Matcher(ordering.Equal("name", Name("CAROL")))
	fmt.Println(slices.IndexFunc(hosts, match), err)
	// Output:
	// [{alice ::1} {bob 10.0.0.1} {Carol 9.0.0.1}] <nil>
	// [{alice ::1} {Carol 9.0.0.1} {bob 10.0.0.1}] <nil>
	// 1 <nil>
}
