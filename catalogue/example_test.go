package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type Book struct {
	ID          int      `json:"id"`
	Name        string   `json:"name"`
	Pages       int      `json:"pages"`
	PublishedOn *string  `json:"publishedOn"`
	Tags        []string `json:"tags"`
}

// newBooks returns a collection of four books.
func newBooks() *catalogue.Collection[Book] {
	books, err := catalogue.NewCollection[Book](catalogue.Options{Name: "books"})
	if err != nil {
		panic(err)
	}
	err = books.Batch(func(tx *catalogue.Tx[Book]) error {
		for _, b := range []Book{
			{Name: "Emma", Pages: 474},
			{Name: "Dune", Pages: 412},
			{Name: "Solaris", Pages: 204},
			{Name: "Ulysses", Pages: 730},
		} {
			if _, err := tx.Insert(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return books
}

func Example() {
	house := catalogue.New()
	for day, name := range []string{"Reading", "Signing", "Workshop"} {
		start := time.Date(2026, 5, 12-day, 18, 0, 0, 0, time.FixedZone("", 2*60*60))
		_, err := house.Events().Insert(schema.Event{Name: name, StartDate: schema.At(start), EndDate: schema.At(start)})
		if err != nil {
			panic(err)
		}
	}
	page, err := house.Events().Page(pagination.Window{Limit: 2}) // ordered by start_date, the default
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Count, page.Records[0].Name, page.Records[1].Name)
	// Output: 3 Workshop Signing
}

func ExampleNewCollection() {
	type Shop struct {
		Code int    `json:"code"`
		City string `json:"city"`
	}
	shops, err := catalogue.NewCollection[Shop](catalogue.Options{
		Name:     "shops",
		ID:       "code",
		Ordering: []ordering.Term{ordering.Desc("city")},
	})
	if err != nil {
		panic(err)
	}
	shops.Insert(Shop{City: "Bern"})
	shops.Insert(Shop{Code: 7, City: "Zurich"})
	for s := range shops.All() {
		fmt.Println(s.Code, s.City)
	}
	_, err = catalogue.NewCollection[struct{ Name string }](catalogue.Options{Name: "names"})
	fmt.Println(errors.Is(err, catalogue.ErrInvalidType))
	// Output:
	// 7 Zurich
	// 1 Bern
	// true
}

var Books = catalogue.Define[Book]("books", catalogue.Options{})

func ExampleDefine() {
	house, err := catalogue.NewWith(Books)
	if err != nil {
		panic(err)
	}
	books, err := Books.In(house)
	if err != nil {
		panic(err)
	}
	id, _ := books.Insert(Book{Name: "Emma", Pages: 474})
	fmt.Println(id, books.Count())

	_, err = Books.In(catalogue.New()) // its books are open records
	fmt.Println(err)
	// Output:
	// 1 1
	// catalogue: books: invalid record type: its records are schema.Record, not catalogue_test.Book: make the catalogue with this definition
}

func ExampleCatalogue_Records() {
	house := catalogue.New()
	carts, err := house.Records("carts")
	if err != nil {
		panic(err)
	}
	cart, err := schema.ParseRecord([]byte(`{"total": 12.50, "items": [3, 4]}`))
	if err != nil {
		panic(err)
	}
	id, _ := carts.Insert(cart)
	stored, _ := carts.Get(id)
	fmt.Println(stored, carts.Fields())
	_, err = house.Records("cards")
	fmt.Println(err)
	// Output:
	// {"id":1,"total":12.50,"items":[3,4]} [id items total]
	// catalogue: unknown collection: "cards": did you mean carts?
}

func ExampleCatalogue_Load() {
	house := catalogue.New()
	err := house.Load(strings.NewReader(`{
		"authors": [{"id": 7, "name": "Anna"}, {"id": 9, "name": "Bruno"}],
		"books":   [{"id": 1, "name": "Emma", "author": 7}]
	}`))
	authors, _ := house.Encoded("authors")
	fmt.Println(authors.Count(), err)

	err = house.Load(strings.NewReader(`{"authors": [], "events": [{"id": 1, "name": null}]}`))
	var invalid *catalogue.RecordError
	if errors.As(err, &invalid) {
		fmt.Println(invalid.Collection, invalid.Index, invalid.Field)
	}
	fmt.Println(authors.Count(), "authors, as before")
	// Output:
	// 2 <nil>
	// events 0 name
	// 2 authors, as before
}

func ExampleCatalogue_LoadCollection() {
	house := catalogue.New()
	page := `{"count": 1, "next": null, "previous": null, "results": [{"id": 3, "name": "Solaris"}]}`
	err := house.LoadCollection("books", strings.NewReader(page))
	books, _ := house.Encoded("books")
	fmt.Println(books.Count(), err)
	// Output: 1 <nil>
}

func ExampleCatalogue_Save() {
	house, err := catalogue.NewWith(Books)
	if err != nil {
		panic(err)
	}
	books, _ := Books.In(house)
	books.Insert(Book{Name: "Emma & Co", Tags: []string{"classic"}})
	var file strings.Builder
	err = house.Save(&file)
	for line := range strings.Lines(file.String()) {
		if strings.Contains(line, "Emma") {
			fmt.Print(line)
		}
	}
	fmt.Println(err)
	// Output:
	// {"id":1,"name":"Emma & Co","pages":0,"publishedOn":null,"tags":["classic"]}],
	// <nil>
}

func ExampleCatalogue_SaveFile() {
	dir, err := os.MkdirTemp("", "backlist")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "house.json")

	house := catalogue.New()
	house.Labels().Insert(schema.Label{Name: "Blue"})
	fmt.Println(house.SaveFile(path))

	again := catalogue.New()
	fmt.Println(again.LoadFile(path), again.Labels().Count())
	fmt.Println(errors.Is(house.SaveFile(filepath.Join(dir, "gone", "house.json")), fs.ErrNotExist))
	// Output:
	// <nil>
	// <nil> 1
	// true
}

func ExampleCatalogue_LoadFile() {
	house := catalogue.New()
	err := house.LoadFile("no-such-file.json") // on the first start of a program, for example
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}

func ExampleCatalogue_Clone() {
	house := catalogue.New()
	house.Labels().Insert(schema.Label{Name: "Blue"})
	clone := house.Clone()
	clone.Labels().Insert(schema.Label{Name: "Red"})
	fmt.Println(house.Labels().Count(), clone.Labels().Count())
	// Output: 1 2
}

func ExampleCatalogue_All() {
	house := catalogue.New()
	for key, c := range house.All() {
		if c.Count() == 0 {
			fmt.Println("the first empty collection:", key)
			break
		}
	}
	// Output: the first empty collection: attribute-types
}

func ExampleCollection_Insert() {
	books := newBooks()
	id, err := books.Insert(Book{Name: "Frankenstein"})
	fmt.Println(id, err)
	_, err = books.Insert(Book{ID: 2, Name: "Dracula"})
	fmt.Println(errors.Is(err, catalogue.ErrExists), err)
	// Output:
	// 5 <nil>
	// true books: id is taken: 2
}

func ExampleCollection_Upsert() {
	books := newBooks()
	books.Upsert(Book{ID: 2, Name: "Dracula"})
	b, err := books.Get(2)
	fmt.Println(b.Name, books.Count(), err)
	// Output: Dracula 4 <nil>
}

func ExampleCollection_Update() {
	books := newBooks()
	err := books.Update(1, func(b *Book) error {
		b.Pages++
		return nil
	})
	fmt.Println(err, books.Update(9, func(*Book) error { return nil }))
	// Output: <nil> books: no such record: id 9
}

func ExampleCollection_Delete() {
	books := newBooks()
	fmt.Println(books.Delete(1), books.Delete(1))
	// Output: <nil> books: no such record: id 1
}

func ExampleCollection_Batch() {
	books := newBooks()
	err := books.Batch(func(tx *catalogue.Tx[Book]) error {
		if _, err := tx.Insert(Book{Name: "Walden"}); err != nil {
			return err
		}
		return tx.Delete(99) // fails, so the batch has no effect
	})
	fmt.Println(err, books.Count())
	// Output: books: no such record: id 99 4
}

func ExampleCollection_Page() {
	books := newBooks()
	page, err := books.Page(pagination.Window{Limit: 2, Offset: 1}, ordering.Desc("pages"))
	for _, b := range page.Records {
		fmt.Println(b.Name, b.Pages)
	}
	fmt.Println("of", page.Count, err)
	_, err = books.Page(pagination.Window{Limit: 2}, ordering.Asc("publishedOn"))
	fmt.Println(err)
	// Output:
	// Emma 474
	// Dune 412
	// of 4 <nil>
	// books: unknown field: "publishedOn": did you mean published_on?
}

func ExampleCollection_Ordered() {
	books := newBooks()
	byName, err := books.Ordered(ordering.Asc("name"))
	if err != nil {
		panic(err)
	}
	for b := range byName {
		fmt.Print(b.Name, " ")
	}
	// Output: Dune Emma Solaris Ulysses
}

func ExampleCollection_View() {
	books := newBooks()
	view, err := books.View(pagination.Window{Limit: 1}, ordering.Asc("name"))
	if err != nil {
		panic(err)
	}
	json, err := view.JSON(0)
	fmt.Println(view.At(0).Name, view.Len(), view.Count(), len(json) > 0, err)
	// Output: Dune 1 4 true <nil>
}

func ExampleCollection_Snapshot() {
	books := newBooks()
	before := books.Snapshot()
	books.Delete(1)
	fmt.Println(before.Count(), books.Count())
	// Output: 4 3
}

func ExampleEncoded() {
	house := catalogue.New()
	authors, _ := house.Records("authors")
	author, _ := schema.ParseRecord([]byte(`{"id": 7, "name": "Anna"}`))
	authors.Insert(author)

	links, err := house.Encoded("social-links")
	if err != nil {
		panic(err)
	}
	record, err := links.Create(context.Background(), []byte(`{"title": "Anna", "url": "https://a.example/", "type": "instagram", "author": 7}`))
	os.Stdout.Write(record)
	fmt.Println("", err)
	_, err = links.Create(context.Background(), []byte(`{"title": "Anna"}`))
	fmt.Println(err)
	// Output:
	// {"id":1,"title":"Anna","url":"https://a.example/","logo":null,"type":"instagram","author":7} <nil>
	// schema: invalid record: url: This field is required.; type: This field is required.; author: This field is required.
}
