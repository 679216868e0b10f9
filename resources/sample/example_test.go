package sample_test

import (
	"bytes"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
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
