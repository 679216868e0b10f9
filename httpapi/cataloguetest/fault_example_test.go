package cataloguetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

type film struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

var films = catalogue.Define[film]("films", catalogue.Options{})

// threeFilms returns a server of three films.
func threeFilms() *cataloguetest.Server {
	server, err := cataloguetest.Open(cataloguetest.Options{
		Definitions: []catalogue.AnyDefinition{films},
	})
	if err == nil {
		data := `{"films": [{"id":1,"name":"Onda"},{"id":2,"name":"Lume"},{"id":3,"name":"Vela"}]}`
		err = server.Catalogue.Load(strings.NewReader(data), catalogue.LoadOptions{})
	}
	if err != nil {
		panic(err)
	}
	return server
}

// inject injects a fault into the requests for pages.
func inject(server *cataloguetest.Server, fault cataloguetest.Fault) {
	if _, err := server.TryInject(cataloguetest.Match{Path: "/api/films/"}, fault); err != nil {
		panic(err)
	}
}

// get prints the response to a request, as far as it can be read.
func get(server *cataloguetest.Server, query string) *http.Response {
	response, err := server.Client.Get(server.URL + "/api/films/" + query)
	if err != nil {
		fmt.Println(errors.Unwrap(err)) // without the URL
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(body))
	if err != nil {
		fmt.Println(err)
	}
	return response
}

func ExampleStatus() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.Status(429, `{"detail":"slower"}`))
	get(server, "")
	// Output:
	// 429 {"detail":"slower"}
}

// A client that takes a lost response for a write that has not happened, writes twice.
func ExampleLate() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.Late(cataloguetest.Status(502, "")))
	response, err := server.Client.Post(server.URL+"/api/films/", "application/json", strings.NewReader(`{"name":"Duna"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	list, err := films.In(server.Catalogue)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.StatusCode, list.Count())
	// Output:
	// 502 4
}

func ExampleHeader() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.Header("Content-Type", "text/html"))
	response := get(server, "?limit=1&offset=2")
	fmt.Println("Content-Type:", response.Header.Get("Content-Type"))
	// Output:
	// 200 {"count":3,"next":null,"previous":"http://catalogue.test/api/films/?limit=1&offset=1","results":[{"id":3,"name":"Vela"}]}
	// Content-Type: text/html
}

func ExampleResetAfter() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.ResetAfter(10))
	get(server, "")
	// Output:
	// 200 {"count":3
	// unexpected EOF
}

// Only a context or a time-out ends the wait for the rest of a body.
func ExampleStall() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.Stall(10))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/films/", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := server.Client.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	part := make([]byte, 10)
	_, err = io.ReadFull(response.Body, part)
	fmt.Println(response.StatusCode, string(part), err)
	cancel()
	_, err = io.ReadAll(response.Body)
	fmt.Println(err)
	// Output:
	// 200 {"count":3 <nil>
	// context canceled
}

func ExampleDo() {
	server := threeFilms()
	defer server.Close()
	list, err := films.In(server.Catalogue)
	if err != nil {
		fmt.Println(err)
		return
	}
	inject(server, cataloguetest.Do(func() {
		if err := list.Delete(1); err != nil {
			fmt.Println(err)
		}
	}))
	get(server, "?limit=1&offset=1") // the second film is the third
	// Output:
	// 200 {"count":2,"next":null,"previous":"http://catalogue.test/api/films/?limit=1","results":[{"id":3,"name":"Vela"}]}
}

func ExamplePage() {
	server := threeFilms()
	defer server.Close()
	inject(server, cataloguetest.Page(func(_ *http.Request, page *pagination.Envelope[json.RawMessage]) {
		page.Count = 1000
	}))
	get(server, "?limit=1&offset=2")
	// Output:
	// 200 {"count":1000,"next":null,"previous":"http://catalogue.test/api/films/?limit=1&offset=1","results":[{"id":3,"name":"Vela"}]}
}
