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
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

type film struct {
	ID       int     `json:"id"`
	Title    string  `json:"title"`
	Subtitle *string `json:"subtitle"`
	Minutes  int     `json:"minutes,omitempty"`
}

// filmHandler returns a handler that serves films.
func filmHandler() *httpapi.Handler {
	c, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	return handler
}

// Records are described as they are encoded.
func ExampleNew() {
	document, err := openapi.New(filmHandler(), openapi.Options{Title: "Films", Server: "/cinema"})
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
	var text bytes.Buffer
	if err := json.Indent(&text, read.Components.Schemas["Film"], "", " "); err != nil {
		panic(err)
	}
	fmt.Println(len(read.Paths), "paths") // the root, the list of films, and a film
	fmt.Println(&text)
	// Output:
	// 3 paths
	// {
	//  "type": "object",
	//  "properties": {
	//   "id": {
	//    "type": "integer",
	//    "format": "int64",
	//    "readOnly": true
	//   },
	//   "title": {
	//    "type": "string"
	//   },
	//   "subtitle": {
	//    "oneOf": [
	//     {
	//      "type": "string"
	//     },
	//     {
	//      "type": "null"
	//     }
	//    ]
	//   },
	//   "minutes": {
	//    "type": "integer",
	//    "format": "int64"
	//   }
	//  },
	//  "required": [
	//   "id",
	//   "title",
	//   "subtitle"
	//  ]
	// }
}

func ExampleDocument_ServeHTTP() {
	handler := filmHandler()
	document, err := openapi.New(handler, openapi.Options{})
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

// films is an httpapi.Collection other than a catalogue's, for example one in a
// database.
type films struct{}

func (films) Description() schema.Description {
	return schema.Description{Key: "films", Segment: "films", Name: "film", Actions: schema.List, Sortable: []string{"title"}}
}

func (films) List(context.Context, catalogue.Query) (catalogue.List, error) {
	return catalogue.List{}, nil
}

func (films) RecordType() reflect.Type { return reflect.TypeFor[film]() }

// The method RecordType makes the type of a collection's records known.
func ExampleNew_recordType() {
	handler, err := httpapi.NewHandler([]httpapi.Collection{films{}}, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	document, err := openapi.New(handler, openapi.Options{})
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
	for name := range read.Components.Schemas["Film"].Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println(names, read.Components.Schemas["FilmOrderingTerm"].Enum)
	// Output:
	// [id minutes subtitle title] [title -title]
}
