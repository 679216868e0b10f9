package ordering_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// This example filters a slice, sorts what is left and prints its first page.
func ExampleFields_Matcher() {
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
	page := pagination.Slice(books, pagination.Window{Limit: 2})
	fmt.Println(len(books), "books")
	print(page)
	// Output:
	// 3 books
	// Ulysses Emma
}

func ExampleBetween() {
	fields, _ := ordering.FieldsOf[Title]()
	second := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
	onSecond := ordering.Between("published_on", second, second.AddDate(0, 0, 1)) // from is included, to is not
	match, err := fields.Matcher(onSecond)
	if err != nil {
		panic(err)
	}
	print(slices.DeleteFunc(titles(), func(t Title) bool { return !match(t) }))
	// Output: Ulysses Solaris
}

// This example compares names without regard to case.
func ExampleFieldKey() {
	type User struct {
		Name string `json:"name"`
	}
	fields, err := ordering.FieldsOf[User](
		ordering.FieldKey("name", func(s string) ordering.Key { return ordering.Text(strings.ToLower(s)) }))
	if err != nil {
		panic(err)
	}
	users := []User{{"bob"}, {"Carol"}, {"alice"}}
	err = fields.Sort(users, ordering.Asc("name"))
	fmt.Println(users, err)
	match, err := fields.Matcher(ordering.Equal("name", "CAROL"))
	fmt.Println(match(users[2]), err)
	// Output:
	// [{alice} {bob} {Carol}] <nil>
	// true <nil>
}

// This example compares IP addresses by value, not by their text.
func ExampleTypeKey() {
	type Host struct {
		Addr netip.Addr `json:"addr"`
	}
	fields, err := ordering.FieldsOf[Host](ordering.TypeKey(func(a netip.Addr) ordering.Key {
		b := a.As16()
		return ordering.Text(string(b[:]))
	}))
	if err != nil {
		panic(err)
	}
	hosts := []Host{{netip.MustParseAddr("10.0.0.1")}, {netip.MustParseAddr("9.0.0.1")}}
	err = fields.Sort(hosts, ordering.Asc("addr"))
	fmt.Println(hosts, err)
	// Output: [{9.0.0.1} {10.0.0.1}] <nil>
}

// This example compares prices, which are text, by value.
func ExampleDecimal() {
	type Product struct {
		Price string `json:"price"`
	}
	fields, err := ordering.FieldsOf[Product](ordering.FieldKey("price", ordering.Decimal))
	if err != nil {
		panic(err)
	}
	products := []Product{{"12.00"}, {"9.50"}, {"100"}}
	err = fields.Sort(products, ordering.Asc("price"))
	fmt.Println(products, err)
	match, err := fields.Matcher(ordering.Less("price", "12"))
	fmt.Println(match(products[0]), match(products[1]), err)
	// Output:
	// [{9.50} {12.00} {100}] <nil>
	// true false <nil>
}
