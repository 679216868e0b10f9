package readme

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func Example_memory() {
	type Film struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Year int    `json:"year"`
	}
	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films"})
	check(err)
	check(films.ReplaceAll(slices.Values([]Film{{Name: "Vertigo", Year: 1958}, {Name: "Rope", Year: 1948}, {Name: "Psycho", Year: 1960}})))
	page, err := films.Page(pagination.Window{Limit: 2}, ordering.Desc("year"))
	check(err)
	fmt.Println(page.Count, page.Records) // 3 [{3 Psycho 1960} {1 Vertigo 1958}]
	film, err := films.Where(ordering.Equal("name", "Rope")).First()
	check(err)
	count, err := films.Where(ordering.Between("year", 1950, 1959)).Count()
	check(err)
	fmt.Println(film.ID, count) // 2 1

	// Output:
	// 3 [{3 Psycho 1960} {1 Vertigo 1958}]
	// 2 1
}
