// Openapi prints the OpenAPI document of three collections: films, their directors and their
// awards. The file openapi.json is its output:
//
//	go run . > openapi.json
//
// Programs can serve the document instead, because an [openapi.Document] is an http.Handler.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// A Film has a director and any number of awards and reviews.
type Film struct {
	ID         int              `json:"id"`
	Title      string           `json:"title"`
	Slug       string           `json:"slug" backlist:"slug,unique"`
	Synopsis   string           `json:"synopsis" backlist:"blank"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int32            `json:"minutes" backlist:"min=0"`
	Rating     *json.Number     `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool             `json:"published"`
	Director   int              `json:"director" backlist:"refers=directors"`
	Awards     []int            `json:"awards" backlist:"refers=awards"`
	Reviews    []Review         `json:"reviews,omitempty"`
	CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
}

// A Review is a part of a film.
type Review struct {
	By    string `json:"by"`
	Stars *int   `json:"stars"`
}

// A Director cannot be changed, and is deleted only without films.
type Director struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Slug    string  `json:"slug" backlist:"slug,unique"`
	Born    *string `json:"born" backlist:"date"`
	Website string  `json:"website" backlist:"url,blank"`
}

// An Award describes the members that every award has. Awards are open records, which can
// have other members too.
type Award struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int    `json:"position" backlist:"default=0"`
}

// definitions returns the definitions of the three collections.
func definitions() ([]catalogue.AnyDefinition, error) {
	award, err := schema.DescriptionOf[Award]("awards")
	if err != nil {
		return nil, err
	}
	award.Name = "award"
	award.Actions = schema.List | schema.Create | schema.Retrieve | schema.Destroy
	return []catalogue.AnyDefinition{
		catalogue.Define[Film]("films", catalogue.Options{Description: &schema.Description{
			Search: []string{"title", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "awards", "minutes", "minutes__gte", "minutes__range",
				"released", "released__gte", "released__isnull", "rating__lt", "price", "price__in", "title__icontains", "premiere_at__gte",
			},
		}}),
		catalogue.Define[Director]("directors", catalogue.Options{Description: &schema.Description{
			Search:  []string{"^name", "=slug"},
			Actions: award.Actions,
		}}),
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
	handler, err := httpapi.New(films, httpapi.Options{ETags: true})
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
