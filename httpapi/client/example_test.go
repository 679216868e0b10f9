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
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
)

// newServer returns a server with five books.
func newServer() *httptest.Server {
	house := catalogue.New()
	err := house.LoadCollection("books", strings.NewReader(`[{"id":1,"name":"Atlante"},{"id":2,"name":"Onda"},
		{"id":3,"name":"Il faro"},{"id":5,"name":"Lingua"},{"id":8,"name":"Sale"}]`))
	if err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{})
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
	for record, err := range service.All(context.Background(), "books") {
		if err != nil {
			log.Fatal(err) // the iteration ends here
		}
		fmt.Println(string(record))
	}
	// Output:
	// {"id":1,"name":"Atlante"}
	// {"id":2,"name":"Onda"}
	// {"id":3,"name":"Il faro"}
	// {"id":5,"name":"Lingua"}
	// {"id":8,"name":"Sale"}
}

func ExampleClient_Walk() {
	server := newServer()
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL, PageSize: 3})
	if err != nil {
		log.Fatal(err)
	}
	walk, err := service.Walk(context.Background(), "books")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(walk.Records), "records from", walk.Pages, "pages") // 1 2 3, 3 5 8
	// Output:
	// 5 records from 2 pages
}

func ExampleImport() {
	server := newServer()
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	house := catalogue.New()
	report, err := client.Import(context.Background(), house, service, "books", "authors") // without keys, all collections
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report {
		fmt.Println(c.Collection, c.Records)
	}
	// Output:
	// books 5
	// authors 0
}

// The page with the third and fourth book is missing, so no books are loaded.
func ExampleReadFiles() {
	recording, err := client.ReadFiles(fstest.MapFS{ // or os.DirFS("testdata")
		"labels.json": {Data: []byte(`{"count":0,"next":null,"previous":null,"results":[]}`)},
		"books-0.json": {Data: []byte(`{"count":5,"next":"http://shop.example/api/books/?limit=2&offset=2","previous":null,
			"results":[{"id":1},{"id":2}]}`)},
		"books-4.json": {Data: []byte(`{"count":5,"next":null,"previous":"http://shop.example/api/books/?limit=2&offset=2",
			"results":[{"id":8}]}`)},
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := client.Import(context.Background(), catalogue.New(), recording)
	var gap *client.PageError
	fmt.Println(errors.Is(err, client.ErrGap), errors.As(err, &gap) && gap.Offset == 2)
	fmt.Print(report)
	// Output:
	// true true
	// books: not loaded: offset 2: gap: the next page starts at 4 (books-4.json)
	// labels: 0 records from 1 page of labels.json
}

func ExampleReadHAR() {
	file := strings.NewReader(`{"log": {"version": "1.2", "entries": [
		{"request": {"method": "GET", "url": "https://shop.example/"},
		 "response": {"status": 200, "content": {"mimeType": "text/html", "text": "…"}}},
		{"request": {"method": "GET", "url": "https://shop.example/api/faqs/?format=json"},
		 "response": {"status": 200, "content": {"mimeType": "application/json",
			"text": "{\"count\":1,\"next\":null,\"previous\":null,\"results\":[{\"id\":4,\"question\":\"Who?\"}]}"}}}
	]}}`)
	recording, err := client.ReadHAR(file)
	if err != nil {
		log.Fatal(err)
	}
	house := catalogue.New()
	report, err := client.Import(context.Background(), house, recording)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
	// Output:
	// faqs: 1 record from 1 page of entry 1, https://shop.example/api/faqs/?format=json
}
