package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The records of a type passed to catalogue.Define are described as they are encoded.
func ExampleNew() {
	type Book struct {
		ID       int     `json:"id"`
		Name     string  `json:"name"`
		Subtitle *string `json:"subtitle"`
		Pages    int     `json:"pages,omitempty"`
	}
	house, err := catalogue.NewWith(catalogue.Define[Book]("books", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	document, err := openapi.New(context.Background(), handler, openapi.Options{Title: "The Shop", Server: "/shop"})
	if err != nil {
		panic(err)
	}
	var read struct {
		Paths      map[string]any
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(document.JSON(), &read); err != nil {
		panic(err)
	}
	var book bytes.Buffer
	if err := json.Compact(&book, read.Components.Schemas["Book"]); err != nil {
		panic(err)
	}
	fmt.Println(len(read.Paths), "paths")
	fmt.Println(&book)
	// Output:
	// 40 paths
	// {"type":"object","properties":{"id":{"type":"integer","format":"int64","readOnly":true},"name":{"type":"string"},"subtitle":{"oneOf":[{"type":"string"},{"type":"null"}]},"pages":{"type":"integer","format":"int64"}},"required":["id","name","subtitle"]}
}

func ExampleDocument_ServeHTTP() {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{})
	if err != nil {
		panic(err)
	}
	document, err := openapi.New(context.Background(), handler, openapi.Options{})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "", handler); err != nil {
		panic(err)
	}
	mux.Handle("/openapi.json", document)

	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, httptest.NewRequest("GET", "/openapi.json", nil))
	fmt.Println(recorder.Code, recorder.Header().Get("Content-Type"))
	fmt.Println(bytes.Equal(recorder.Body.Bytes(), document.JSON()))
	// Output:
	// 200 application/json
	// true
}

type film struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// films is an httpapi.Collection other than a catalogue's, for example one in a
// database.
type films struct{}

func (films) Fields(context.Context) ([]string, error) { return []string{"title"}, nil }

func (films) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return 0, nil, nil
}

func (films) RecordType() reflect.Type { return reflect.TypeFor[film]() }

// The method RecordType makes the type of a collection's records known.
func ExampleNew_recordType() {
	collections := map[string]httpapi.Collection{}
	for key, c := range catalogue.New().All() {
		collections[key] = c
	}
	collections["items"] = films{}
	handler, err := httpapi.NewHandler(collections, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	document, err := openapi.New(context.Background(), handler, openapi.Options{})
	if err != nil {
		panic(err)
	}
	var read struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				Enum       []string
			}
		}
	}
	if err := json.Unmarshal(document.JSON(), &read); err != nil {
		panic(err)
	}
	var names []string
	for name := range read.Components.Schemas["Item"].Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println(names, read.Components.Schemas["ItemOrderingTerm"].Enum)
	// Output:
	// [id title] [title -title]
}
