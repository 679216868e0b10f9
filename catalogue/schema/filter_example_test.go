package schema_test

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func ExampleDescription_Filter() {
	films := schema.Description{
		Fields: []schema.Field{
			{Name: "title", Kind: schema.Text},
			{Name: "minutes", Kind: schema.Integer},
		},
		Filters: []string{"minutes__gte", "minutes__lt"},
		Search:  []string{"title"},
	}
	params, _ := url.ParseQuery("minutes__gte=90.7&search=night+city")
	filter, _ := films.Filter(params, nil)
	fmt.Println(filter.Tests, filter.Search)

	params, _ = url.ParseQuery("minutes__lt=x")
	_, err := films.Filter(params, nil)
	data, _ := json.Marshal(err)
	fmt.Println(string(data))
	// Output:
	// [{minutes gte [90]}] [night city]
	// {"minutes_Lt":["Enter a number."]}
}

func ExampleDescription_SearchTests() {
	films := schema.Description{Search: []string{"title", "^director__name"}}
	for _, test := range films.SearchTests("NIGHT") {
		fmt.Println(test.Field, test.Lookup, test.MatchesText("Midnight"))
	}
	// Output:
	// title icontains true
	// director__name istartswith false
}
