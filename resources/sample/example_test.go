package sample_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

func ExampleNew() {
	house := sample.New(sample.Options{Seed: 7, Events: 1000, Books: -1})
	fmt.Println(len(house.Events), len(house.Labels), len(house.SocialLinks))
	fmt.Println(len(house.Records("books")), len(house.Records("carts")))
	// Output:
	// 1000 24 80
	// 0 12
}

// To find out whether null logos make a test fail, disable them.
func ExampleOddity() {
	nulls := func(without sample.Oddity) (count int) {
		for _, link := range sample.New(sample.Options{Without: without}).SocialLinks {
			if link.Logo == nil {
				count++
			}
		}
		return count
	}
	fmt.Println(nulls(0), nulls(sample.NullLogos))
	fmt.Println(nulls(sample.SharedLinks | sample.Midnights))
	// Output:
	// 60 0
	// 60
}

func ExampleHouse_WriteTo() {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	house := catalogue.New()
	if err := house.Load(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(house.Events().Count(), "events")
	// Output: 300 events
}

func ExampleHouse_Records() {
	house := sample.New(sample.Options{Books: 2})
	for _, book := range house.Records("books") {
		var name string
		if err := book.Decode("name", &name); err != nil {
			fmt.Println(err)
		}
		fmt.Println(book.ID, name != "")
	}
	// Output:
	// 1 true
	// 2 true
}

// Records of collections that are not documented.
func ExampleRecords() {
	films := schema.Description{Key: "films", Segment: "films", Name: "film", Fields: []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "minutes", Kind: schema.Integer, Required: true, Min: pointer(60), Max: pointer(62)},
		{Name: "price", Kind: schema.Decimal, Required: true, Digits: 2, Places: 1},
		{Name: "genre", Kind: schema.Reference, Required: true, Refers: "genres"},
	}}
	genres := schema.Description{Key: "genres", Segment: "genres", Name: "genre"}
	all, err := sample.Records(1, map[string]int{"films": 3, "genres": 2}, films, genres)
	if err != nil {
		fmt.Println(err)
		return
	}
	house, _ := json.Marshal(all) // catalogue.Load reads this
	fmt.Println(string(house))
	// Output:
	// {"films":[{"id":1,"minutes":61,"price":"4.0","genre":2},{"id":2,"minutes":61,"price":"7.6","genre":2},{"id":3,"minutes":61,"price":"0.5","genre":2}],"genres":[{"id":1},{"id":2}]}
}
