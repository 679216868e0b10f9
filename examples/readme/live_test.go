package readme

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/resources"
)

func Example_live() {
	shop := catalogue.New()
	for day := range 50 {
		if _, err := shop.Events().Insert(resources.Event{Name: fmt.Sprint("Reading ", day)}); err != nil {
			panic(err)
		}
	}
	handler, err := httpapi.New(shop, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, house := context.Background(), catalogue.New()

	service, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		panic(err)
	}
	report, err := client.Import(ctx, house, service, "events", "books") // none named: all
	if err != nil {
		panic(err)
	}
	difference, err := cataloguetest.DiffService(ctx, house, service, "events")

	fmt.Println(len(report), house.Events().Count(), difference, err)
	// Output: 2 50  <nil>
}
