package sample_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

func ExampleWrite() {
	var file bytes.Buffer
	opts := sample.Options{Seed: 7, Sizes: map[string]int{"events": 1000, "books": 0}}
	if err := sample.Write(&file, opts); err != nil {
		fmt.Println(err)
		return
	}
	c, err := resources.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.Load(&file, catalogue.LoadOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	for key, collection := range c.All() {
		switch key {
		case "events", "labels", "books", "carts":
			fmt.Println(collection.Count(), key)
		}
	}
	// Output:
	// 0 books
	// 12 carts
	// 1000 events
	// 24 labels
}

// Records of collections that are not documented.
func ExampleRecords() {
	films := schema.Description{Key: "films", Segment: "films", Name: "film", Fields: []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "minutes", Kind: schema.Integer, Required: true, Min: "60", Max: "62"},
		{Name: "price", Kind: schema.Decimal, Required: true, Digits: 2, Places: 1},
		{Name: "genre", Kind: schema.Reference, Required: true, Refers: "genres"},
	}}
	genres := schema.Description{Key: "genres", Segment: "genres", Name: "genre"}
	opts := sample.Options{Seed: 1, Sizes: map[string]int{"films": 3, "genres": 2}}
	all, err := sample.Records(opts, films, genres)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, _ := json.Marshal(all) // catalogue.Load reads this
	fmt.Println(string(file))
	// Output:
	// {"films":[{"id":1,"minutes":61,"price":"4.0","genre":2},{"id":2,"minutes":61,"price":"7.6","genre":2},{"id":3,"minutes":61,"price":"0.5","genre":2}],"genres":[{"id":1},{"id":2}]}
}
