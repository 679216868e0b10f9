package jsonmember_test

import (
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

func ExampleOf() {
	type Base struct {
		ID      int    `json:"id"`
		Comment string `json:"comment,omitempty"`
	}
	type Book struct {
		Base
		Title  string `json:"title"`
		Pages  int
		Secret string `json:"-"`
	}
	members, _ := jsonmember.Of(reflect.TypeFor[Book]())
	for _, m := range members {
		fmt.Println(m.Name, m.Field.Name, m.Field.Index, m.Options)
	}
	// Output:
	// id ID [0 0] []
	// comment Comment [0 1] [omitempty]
	// title Title [1] []
	// Pages Pages [2] []
}
