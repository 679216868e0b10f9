package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
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
	house := mustNew()
	for day, name := range []string{"Reading", "Signing", "Workshop"} {
		start := time.Date(2026, 5, 12-day, 18, 0, 0, 0, time.FixedZone("", 2*60*60))
		_, err := mustIn(resources.Events, house).Insert(resources.Event{Name: name, StartDate: schema.At(start), EndDate: schema.At(start)})
		if err != nil {
			panic(err)
		}
	}
	page, err := mustIn(resources.Events, house).Page(pagination.Window{Limit: 2}) // ordered by start_date, the default
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
	house, err := resources.New(Books)
	if err != nil {
		panic(err)
	}
	books, err := Books.In(house)
	if err != nil {
		panic(err)
	}
	id, _ := books.Insert(Book{Name: "Emma", Pages: 474})
	fmt.Println(id, books.Count())

	_, err = Books.In(mustNew()) // its books are open records
	fmt.Println(err)
	// Output:
	// 1 1
	// catalogue: books: invalid record type: its records are schema.Record, not catalogue_test.Book: make the catalogue with this definition
}

func ExampleDefinition_In_openRecords() {
	house := mustNew()
	carts, err := resources.Records("carts").In(house)
	if err != nil {
		panic(err)
	}
	cart, err := schema.ParseRecord([]byte(`{"total": 12.50, "items": [3, 4]}`))
	if err != nil {
		panic(err)
	}
	id, _ := carts.Insert(cart)
	stored, _ := carts.Get(id)
	fmt.Println(stored)
	_, err = resources.Records("cards").In(house)
	fmt.Println(err)
	// Output:
	// {"id":1,"total":12.50,"items":[3,4]}
	// catalogue: unknown collection: "cards": did you mean carts?
}

func ExampleCatalogue_Load() {
	house := mustNew()
	err := house.Load(strings.NewReader(`{
		"authors": [{"id": 7, "name": "Anna"}, {"id": 9, "name": "Bruno"}],
		"books":   [{"id": 1, "name": "Emma", "author": 7}]
	}`), catalogue.LoadOptions{})
	authors, _ := house.Collection("authors")
	fmt.Println(authors.Count(), err)

	err = house.Load(strings.NewReader(`{"authors": [], "events": [{"id": 1, "name": null}]}`), catalogue.LoadOptions{})
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

func ExampleCollection_Load() {
	books := newBooks()
	page := `{"count": 1, "next": null, "previous": null, "results": [{"id": 3, "name": "Solaris"}]}`
	err := books.Load(strings.NewReader(page), catalogue.LoadOptions{})
	fmt.Println(books.Count(), err)
	// Output: 1 <nil>
}

func ExampleCatalogue_Save() {
	house, err := resources.New(Books)
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

	house := mustNew()
	mustIn(resources.Labels, house).Insert(resources.Label{Name: "Blue"})
	fmt.Println(house.SaveFile(path))

	again := mustNew()
	fmt.Println(again.LoadFile(path, catalogue.LoadOptions{}), mustIn(resources.Labels, again).Count())
	fmt.Println(errors.Is(house.SaveFile(filepath.Join(dir, "gone", "house.json")), fs.ErrNotExist))
	// Output:
	// <nil>
	// <nil> 1
	// true
}

func ExampleCatalogue_LoadFile() {
	house := mustNew()
	err := house.LoadFile("no-such-file.json", catalogue.LoadOptions{}) // on the first start of a program, for example
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}

func ExampleCatalogue_Clone() {
	house := mustNew()
	mustIn(resources.Labels, house).Insert(resources.Label{Name: "Blue"})
	clone := house.Clone()
	mustIn(resources.Labels, clone).Insert(resources.Label{Name: "Red"})
	fmt.Println(mustIn(resources.Labels, house).Count(), mustIn(resources.Labels, clone).Count())
	// Output: 1 2
}

func ExampleCatalogue_All() {
	house := mustNew()
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

func ExampleSelection_All() {
	books := newBooks()
	byName, err := books.Where().All(ordering.Asc("name"))
	if err != nil {
		panic(err)
	}
	for b := range byName {
		fmt.Print(b.Name, " ")
	}
	// Output: Dune Emma Solaris Ulysses
}

func ExampleSelection_View() {
	books := newBooks()
	view, err := books.Where().View(pagination.Window{Limit: 1}, ordering.Asc("name"))
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

func ExampleAnyCollection() {
	house := mustNew()
	authors, _ := resources.Records("authors").In(house)
	author, _ := schema.ParseRecord([]byte(`{"id": 7, "name": "Anna"}`))
	authors.Insert(author)

	links, err := house.Collection("social-links")
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

func ExampleSelection_First() {
	books := newBooks()
	dune, err := books.Where(ordering.Equal("name", "Dune")).First()
	if err != nil {
		panic(err)
	}
	fmt.Println(dune.ID, dune.Pages)

	_, err = books.Where(ordering.Equal("name", "Persuasion")).First()
	fmt.Println(errors.Is(err, catalogue.ErrNotFound))
	// Output:
	// 2 412
	// true
}

func ExampleCollection_Where() {
	books := newBooks()
	long := books.Where(ordering.AtLeast("pages", 400), ordering.Less("name", "F"))
	byPages, err := long.All(ordering.Desc("pages"))
	if err != nil {
		panic(err)
	}
	for b := range byPages {
		fmt.Println(b.Name, b.Pages)
	}
	// Output:
	// Emma 474
	// Dune 412
}

func ExampleSelection_Page() {
	books := newBooks()
	long := books.Where(ordering.AtLeast("pages", 400))
	page, err := long.Page(pagination.Window{Limit: 2}, ordering.Asc("name"))
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Count, "books, the first two are")
	for _, b := range page.Records {
		fmt.Println(b.Name)
	}
	// Output:
	// 3 books, the first two are
	// Dune
	// Emma
}

// To show the page that contains a record, find its position first. Both calls use the
// same snapshot, so that no write comes between them.
func ExampleSelection_Position() {
	const limit = 2
	long := newBooks().Snapshot().Where(ordering.AtLeast("pages", 400))
	byName := ordering.Asc("name")

	p, err := long.Position(4, byName)
	if err != nil {
		panic(err)
	}
	page, err := long.Page(pagination.Window{Limit: limit, Offset: p - p%limit}, byName)
	if err != nil {
		panic(err)
	}
	fmt.Println("position", p, "of", page.Count)
	for _, b := range page.Records {
		fmt.Println(b.ID, b.Name)
	}
	// Output:
	// position 2 of 3
	// 4 Ulysses
}

// A batch finds the record with a slug and updates it, or inserts a new one. No other
// write comes between the two.
func ExampleTx_Where() {
	type Article struct {
		ID    int    `json:"id"`
		Slug  string `json:"slug"`
		Title string `json:"title"`
	}
	articles, err := catalogue.NewCollection[Article](catalogue.Options{Unique: []string{"slug"}})
	if err != nil {
		panic(err)
	}
	save := func(a Article) error {
		return articles.Batch(func(tx *catalogue.Tx[Article]) error {
			old, err := tx.Where(ordering.Equal("slug", a.Slug)).First()
			if err == nil {
				a.ID = old.ID
			} else if !errors.Is(err, catalogue.ErrNotFound) {
				return err
			}
			_, err = tx.Upsert(a)
			return err
		})
	}
	for _, title := range []string{"Draft", "Spring list"} {
		if err := save(Article{Slug: "spring", Title: title}); err != nil {
			panic(err)
		}
	}
	for a := range articles.All() {
		fmt.Println(a.ID, a.Slug, a.Title)
	}
	// Output: 1 spring Spring list
}

func ExampleOptions_unique() {
	type Author struct {
		ID    int     `json:"id"`
		Slug  string  `json:"slug"`
		Email *string `json:"email"` // may be null, which equals nothing
	}
	authors, err := catalogue.NewCollection[Author](catalogue.Options{
		Name:   "authors",
		Unique: []string{"slug", "email"},
	})
	if err != nil {
		panic(err)
	}
	authors.Insert(Author{Slug: "anna"})
	authors.Insert(Author{Slug: "bruno"})
	_, err = authors.Insert(Author{Slug: "anna"})
	fmt.Println(errors.Is(err, catalogue.ErrDuplicate))
	fmt.Println(err)
	// Output:
	// true
	// authors: duplicate value: slug "anna" is that of id 1
}

// An Address has a method Clone, because netip.Addr has unexported fields with references.
type Address struct{ netip.Addr }

func (a Address) Clone() Address { return a }

// Without a key function, addresses compare as text.
func ExampleOptions_keys() {
	type Server struct {
		ID   int     `json:"id"`
		Addr Address `json:"addr"`
	}
	servers, err := catalogue.NewCollection[Server](catalogue.Options{
		Keys: []ordering.KeyFunc{ordering.TypeKey(func(a Address) sortkey.Key {
			b := a.As16()
			return sortkey.Text(string(b[:]))
		})},
	})
	if err != nil {
		panic(err)
	}
	for _, addr := range []string{"10.0.0.10", "10.0.0.9", "192.168.0.1"} {
		if _, err := servers.Insert(Server{Addr: Address{netip.MustParseAddr(addr)}}); err != nil {
			panic(err)
		}
	}
	network := netip.MustParsePrefix("10.0.0.0/24")
	inside, err := servers.Where(
		ordering.AtLeast("addr", Address{network.Addr()}),
		ordering.AtMost("addr", Address{netip.MustParseAddr("10.0.0.255")}),
	).All(ordering.Asc("addr"))
	if err != nil {
		panic(err)
	}
	for s := range inside {
		fmt.Println(s.Addr)
	}
	// Output:
	// 10.0.0.9
	// 10.0.0.10
}

func ExampleCollection_Since() {
	books, err := catalogue.NewCollection[Book](catalogue.Options{Name: "books", History: 3})
	if err != nil {
		panic(err)
	}
	books.Insert(Book{Name: "Emma", Pages: 474})
	books.Insert(Book{Name: "Dune", Pages: 412})

	start := books.Snapshot() // start with the current records
	fmt.Println(start.Count(), "books")
	books.Batch(func(tx *catalogue.Tx[Book]) error {
		tx.Update(1, func(b *Book) error { b.Pages = 480; return nil })
		tx.Update(1, func(b *Book) error { b.Name = "Emma, revised"; return nil })
		return tx.Delete(2)
	})
	changes, now, err := books.Since(start.Revision()) // continue with the changes since
	for _, ch := range changes {
		fmt.Println(ch.Kind, ch.ID, ch.Record().Name, ch.Last)
	}
	fmt.Println(now-start.Revision(), err)

	books.Insert(Book{Name: "Solaris"})
	books.Insert(Book{Name: "Ulysses"})
	_, _, err = books.Since(start.Revision()) // four changes ago; three are kept
	fmt.Println(errors.Is(err, catalogue.ErrHistoryTrimmed), err)
	// Output:
	// 2 books
	// updated 1 Emma, revised false
	// deleted 2  true
	// 1 <nil>
	// true books: history has been trimmed: want changes after revision 2, only those after 3 are kept
}

// Changes can keep a copy of a collection up to date, such as a cache or a search index.
func ExampleCollection_Changes() {
	house, err := resources.New(catalogue.Define[resources.Label]("labels", catalogue.Options{History: 1000}))
	if err != nil {
		panic(err)
	}
	labels := mustIn(resources.Labels, house)
	labels.Insert(resources.Label{Name: "Blue"})

	ctx, stop := context.WithCancel(context.Background())
	show := func(names map[int]string) { // prints the labels once there are two
		if len(names) == 2 {
			fmt.Println(names)
			stop()
		}
	}
	done := make(chan error)
	go func() {
		for {
			names := map[int]string{}
			start := labels.Snapshot()
			for l := range start.All() {
				names[l.ID] = l.Name
			}
			show(names)
			for ch, err := range labels.Changes(ctx, start.Revision()) {
				if errors.Is(err, catalogue.ErrHistoryTrimmed) {
					break // fell behind: start again with a snapshot
				} else if err != nil {
					done <- err
					return
				}
				if names[ch.ID] = ch.Record().Name; ch.Kind == catalogue.Deleted {
					delete(names, ch.ID)
				}
				if ch.Last {
					show(names)
				}
			}
		}
	}()
	labels.Insert(resources.Label{Name: "Red"})
	fmt.Println(<-done)
	// Output:
	// map[1:Blue 2:Red]
	// context canceled
}

func ExampleChange_JSON() {
	carts, err := catalogue.NewCollection[schema.Record](catalogue.Options{Name: "carts", History: 10})
	if err != nil {
		panic(err)
	}
	cart, _ := schema.ParseRecord([]byte(`{"total": 12.50}`))
	id, _ := carts.Insert(cart)
	carts.Delete(id)

	changes, _, _ := carts.Since(0)
	for _, ch := range changes { // for example, as server-sent events
		data, _ := ch.JSON()
		fmt.Printf("id: %d\nevent: %v %d\ndata: %s\n", ch.Revision, ch.Kind, ch.ID, data)
	}
	// Output:
	// id: 1
	// event: inserted 1
	// data: {"id":1,"total":12.50}
	// id: 2
	// event: deleted 1
	// data: null
}
