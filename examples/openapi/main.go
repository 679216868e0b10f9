// Openapi prints the OpenAPI document of three collections: films, their directors and their
// awards. The file openapi.json is its output:
//
//	go run . > openapi.json
//
// Programs can serve the document instead, because an [openapi.Document] is an http.Handler.
package main

import (
	"log"
	"os"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// A Film has a director and any number of reviews.
type Film struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Status   string   `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Released *string  `json:"released" backlist:"date"`
	Minutes  int32    `json:"minutes" backlist:"min=0"`
	Price    string   `json:"price" backlist:"decimal=8.2"`
	Director int      `json:"director" backlist:"refers=directors"`
	Reviews  []Review `json:"reviews,omitempty"`
}

// A Review is a part of a film.
type Review struct {
	By    string `json:"by"`
	Stars *int   `json:"stars"`
}

// A Director is read-only.
type Director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// An Award describes the members that every award has. Awards are open records, which can
// have other members too.
type Award struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

// definitions returns the definitions of the three collections.
func definitions() ([]catalogue.AnyDefinition, error) {
	award, err := schema.DescriptionOf[Award]("awards")
	if err != nil {
		return nil, err
	}
	award.Name, award.Actions = "award", schema.List
	return []catalogue.AnyDefinition{
		catalogue.Define[Film]("films", catalogue.Options{Description: &schema.Description{
			Search:  []string{"title", "director__name"},
			Filters: []string{"status__in", "minutes__gte", "released__isnull", "director"},
			Actions: schema.List | schema.Create,
		}}),
		catalogue.Define[Director]("directors", catalogue.Options{Description: &schema.Description{Actions: schema.List}}),
		catalogue.Define[schema.Record]("awards", catalogue.Options{Description: &award}),
	}, nil
}

// document returns the OpenAPI document of the three collections.
func document() (*openapi.Document, error) {
	list, err := definitions()
	if err != nil {
		return nil, err
	}
	films, err := catalogue.New(list...)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(films, httpapi.Options{})
	if err != nil {
		return nil, err
	}
	return openapi.New(handler, openapi.Options{Title: "Films", Scheme: "Bearer"})
}

func main() {
	d, err := document()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(d.JSON()); err != nil {
		log.Fatal(err)
	}
}
