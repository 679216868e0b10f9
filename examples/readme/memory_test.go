package readme

import (
	"fmt"
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

// Book is a record type of the program's own.
type Book struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

func Example_typed() {
	house, err := catalogue.NewTyped(catalogue.Typed[Book]("books"))
	if err != nil {
		panic(err)
	}
	books, err := catalogue.Of[Book](house, "books")
	if err != nil {
		panic(err)
	}
	err = books.Update(func(tx *catalogue.Tx[Book]) error { // both or none
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
