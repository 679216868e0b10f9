package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
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
func newServer() *httptest.Server {
	c := films()
	err := c.Load(strings.NewReader(`{"films":[{"id":1,"title":"Atlante"},{"id":2,"title":"Onda"},
		{"id":3,"title":"Il faro"},{"id":5,"title":"Lingua"},{"id":8,"title":"Sale"}]}`), catalogue.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{})
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

func ExampleImport() {
	server := newServer()
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	imported, err := client.Import(context.Background(), films(), service)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range imported {
		fmt.Println(c.Collection, c.Records)
	}
	// Output:
	// films 5
	// directors 0
}

// The page with the third and fourth film is missing, so no films are loaded.
func ExampleReadFiles() {
	pages := fstest.MapFS{ // or os.DirFS("testdata")
		"directors.json": {Data: []byte(`{"count":0,"next":null,"previous":null,"results":[]}`)},
		"films-0.json": {Data: []byte(`{"count":5,"next":"http://films.example/api/films/?limit=2&offset=2","previous":null,
			"results":[{"id":1},{"id":2}]}`)},
		"films-4.json": {Data: []byte(`{"count":5,"next":null,"previous":"http://films.example/api/films/?limit=2&offset=2",
			"results":[{"id":8}]}`)},
	}
	into := films()
	recording, err := client.ReadFiles(pages, client.Options{Catalogue: into})
	if err != nil {
		log.Fatal(err)
	}
	imported, err := client.Import(context.Background(), into, recording)
	var page *client.PageError
	fmt.Println(errors.Is(err, client.ErrInconsistent), errors.As(err, &page) && page.Offset == 2)
	for _, c := range imported {
		fmt.Println(c.Collection, c.Records, c.Err)
	}
	// Output:
	// true true
	// films 0 films: offset 2: inconsistent pages: gap: the next page starts at 4 (films-4.json)
	// directors 0 <nil>
}
