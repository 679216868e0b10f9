package resources_test

import (
	"fmt"
	"log"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

func ExampleNew() {
	c, err := resources.New()
	if err != nil {
		log.Fatal(err)
	}
	events, err := resources.Events.In(c)
	if err != nil {
		log.Fatal(err)
	}
	id, err := events.Insert(resources.Event{Name: "Signing", Labels: []int{1}})
	fmt.Println(id, err)
	// Output: 1 <nil>
}

// A definition with a documented key replaces the type of its records.
func ExampleNew_replace() {
	type Book struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	Books := catalogue.Define[Book]("books", catalogue.Options{})
	c, err := resources.New(Books)
	if err != nil {
		log.Fatal(err)
	}
	books, err := Books.In(c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(books.Insert(Book{Title: "Nights"}))
	// Output: 1 <nil>
}

func ExampleRecords() {
	c, err := resources.New()
	if err != nil {
		log.Fatal(err)
	}
	authors, err := resources.Records("authors").In(c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(authors.Count())
	// Output: 0
}
