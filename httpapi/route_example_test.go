package httpapi_test

import (
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// What a handler serves can be listed, by a program that describes it.
func ExampleHandler_Served() {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{BaseURL: "https://x.example/shop"})
	if err != nil {
		panic(err)
	}
	for _, s := range handler.Served() {
		if s.Creatable {
			fmt.Println("POST", handler.BaseURL()+s.Path)
		}
	}
	// Output:
	// POST https://x.example/shop/api/events/
	// POST https://x.example/shop/api/social-links/
}
