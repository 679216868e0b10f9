package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
)

// films returns a catalogue without films and directors.
func films() *catalogue.Catalogue {
	c, err := catalogue.New(
		catalogue.Define[schema.Record]("films", catalogue.Options{}),
		catalogue.Define[schema.Record]("directors", catalogue.Options{}),
	)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// newServer returns a server with five films.
func newServer() *httptest.Server { return newPagedServer(nil) }

// newPagedServer returns a server with five films, in pages of a style.
func newPagedServer(style pagination.Style) *httptest.Server {
	c := films()
	err := c.Load(strings.NewReader(`{"films":[{"id":1,"title":"Atlante"},{"id":2,"title":"Onda"},
		{"id":3,"title":"Il faro"},{"id":5,"title":"Lingua"},{"id":8,"title":"Sale"}]}`), catalogue.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{Pages: style})
	if err != nil {
		log.Fatal(err)
	}
	return httptest.NewServer(handler)
}

func ExampleClient_All() {
	server := newServer()
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL, PageSize: 3})
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range service.All(context.Background(), "films") {
		if err != nil {
			log.Fatal(err) // the iteration ends here
		}
		fmt.Println(string(record))
	}
	// Output:
	// {"id":1,"title":"Atlante"}
	// {"id":2,"title":"Onda"}
	// {"id":3,"title":"Il faro"}
	// {"id":5,"title":"Lingua"}
	// {"id":8,"title":"Sale"}
}

// The service has pages by cursors, in which each request determines the size.
func ExampleOptions_pages() {
	style := pagination.Cursors{Size: "page_size"}
	server := newPagedServer(style)
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL, Pages: style, PageSize: 3})
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range service.All(context.Background(), "films") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(record))
	}
	// Output:
	// {"id":1,"title":"Atlante"}
	// {"id":2,"title":"Onda"}
	// {"id":3,"title":"Il faro"}
	// {"id":5,"title":"Lingua"}
	// {"id":8,"title":"Sale"}
}

func ExampleClient_Import() {
	server := newServer()
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	for imported := range service.Import(context.Background(), films()) {
		if imported.Err != nil {
			log.Fatal(imported.Err)
		}
		fmt.Println(imported.Collection, imported.Records)
	}
	// Output:
	// directors 0
	// films 5
}
