package sortkey_test

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

func ExampleKey() {
	keys := []sortkey.Key{sortkey.Null(), sortkey.Text("b"), sortkey.Int(7), sortkey.JSON(`[1, "x"]`), sortkey.Bool(true)}
	slices.SortFunc(keys, sortkey.Key.Compare)
	fmt.Println(keys[0].Compare(sortkey.Bool(true)), keys[4].Compare(sortkey.Null()))
	// Output: 0 0
}

// A Price is text that compares by value.
type Price string

func (p Price) OrderingKey() sortkey.Key { return sortkey.Decimal(string(p)) }

func ExampleDecimal() {
	type Product struct {
		Price Price `json:"price"`
	}
	fields, err := ordering.FieldsOf[Product]()
	if err != nil {
		panic(err)
	}
	products := []Product{{"12.00"}, {"9.50"}, {"100"}}
	err = fields.Sort(products, ordering.Asc("price"))
	fmt.Println(products, err)
	match, err := fields.Matcher(ordering.Less("price", Price("12")))
	fmt.Println(match(products[0]), match(products[1]), err)
	// Output:
	// [{9.50} {12.00} {100}] <nil>
	// true false <nil>
}

func ExampleFold() {
	fmt.Println(sortkey.Fold("STRAßE") == sortkey.Fold("straße"), sortkey.Fold("straße") == sortkey.Fold("strasse"))
	// Output: true false
}
