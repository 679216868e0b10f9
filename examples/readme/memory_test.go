package readme

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func Example_memory() {
	house := catalogue.New()

	rome := time.FixedZone("", 2*60*60)
	for day := 1; day <= 28; day++ {
		start := time.Date(2026, 5, day, 18, 0, 0, 0, rome)
		_, err := house.Events().Insert(resources.Event{
			Name:      fmt.Sprintf("Reading no. %d", day),
			StartDate: resources.At(start),
			EndDate:   resources.At(start.Add(2 * time.Hour)),
		})
		if err != nil {
			panic(err)
		}
	}

	page, err := house.Events().Page(pagination.Window{Limit: 3, Offset: 20}, ordering.Desc("start_date"))
	if err != nil {
		panic(err)
	}
	for _, e := range page.Records {
		fmt.Println(e.ID, e.Name)
	}
	fmt.Println("of", page.Count)

	// Output:
	// 8 Reading no. 8
	// 7 Reading no. 7
	// 6 Reading no. 6
	// of 28
}

func Example_change() {
	dir, err := os.MkdirTemp("", "readme")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "house.json")
	house := catalogue.New()
	for id := 2; id <= 3; id++ {
		start := resources.At(time.Date(2026, 5, id, 18, 0, 0, 0, time.UTC))
		if _, err := house.Events().Insert(resources.Event{ID: id, Name: fmt.Sprint("Reading ", id), StartDate: start, EndDate: start}); err != nil {
			panic(err)
		}
	}

	err = house.Events().Update(3, func(e *resources.Event) error { e.Published = true; return nil })
	if err != nil {
		panic(err)
	}
	if err := house.Events().Delete(4); errors.Is(err, catalogue.ErrNotFound) {
		fmt.Println("there was none")
	}
	now := house.Events().Snapshot() // whoever writes meanwhile
	for e := range now.All() {
		fmt.Println(e.Name, e.Published)
	}
	err = house.SaveFile(path) // and LoadFile
	if err != nil {
		panic(err)
	}

	again := catalogue.New()
	err = again.LoadFile(path)
	fmt.Println(again.Events().Count(), err)
	// Output:
	// there was none
	// Reading 2 false
	// Reading 3 true
	// 2 <nil>
}

func Example_open() {
	house := catalogue.New()
	books, err := house.Records("books")
	if err != nil {
		panic(err)
	}
	emma, err := resources.ParseRecord([]byte(`{"name": "Emma", "price": 12.50}`))
	if err != nil {
		panic(err)
	}
	id, err := books.Insert(emma)
	if err != nil {
		panic(err)
	}

	fmt.Println(books.Get(id))
	// Output: {"id":1,"name":"Emma","price":12.50} <nil>
}

// Book is a record type of the program's own.
type Book struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

func Example_typed() {
	house, err := catalogue.NewWith(catalogue.Define[Book]("books", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	books, err := catalogue.Define[Book]("books", catalogue.Options{}).In(house)
	if err != nil {
		panic(err)
	}
	err = books.Batch(func(tx *catalogue.Tx[Book]) error { // both or none
		if _, err := tx.Insert(Book{Name: "Emma", Pages: 474}); err != nil {
			return err
		}
		_, err := tx.Insert(Book{Name: "Solaris", Pages: 204})
		return err
	})
	if err != nil {
		panic(err)
	}
	byPages, err := books.Ordered(ordering.Asc("pages"), ordering.Desc("name"))
	if err != nil {
		panic(err)
	}
	for b := range byPages {
		fmt.Println(b.Name)
	}

	// Output:
	// Solaris
	// Emma
}
