package main

import (
	"bytes"
	"encoding/json"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources/sample"
)

// A Story can be filtered, searched and written to, unlike most of the documented collections.
type Story struct {
	ID        int             `json:"id"`
	Title     string          `json:"title"`
	Slug      string          `json:"slug" backlist:"slug,unique"`
	Summary   string          `json:"summary" backlist:"blank"`
	Genre     string          `json:"genre" backlist:"choices=crime|fantasy|humour|love|science fiction"`
	Language  string          `json:"language" backlist:"choices=de|en|es|fr|it|ja|pl"`
	Pages     int             `json:"pages" backlist:"min=1,max=60"`
	Price     string          `json:"price" backlist:"decimal=4.2"`
	Published *string         `json:"published" backlist:"date"`
	Free      bool            `json:"free"`
	Series    *int            `json:"series" backlist:"refers=series"`
	CreatedAt schema.DateTime `json:"createdAt" backlist:"created"`
}

// A Series has stories.
type Series struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Slug  string `json:"slug" backlist:"slug,unique"`
}

// stories are the definitions of the collections of the demonstration.
func stories() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[Story]("stories", catalogue.Options{
			Ordering: []ordering.Term{ordering.Asc("title")},
			Description: &schema.Description{
				Filters: []string{
					"genre", "genre__in", "language", "language__in", "pages__gte", "pages__lte", "price__gte", "price__lte",
					"published__gte", "published__lte", "published__isnull", "free", "series",
				},
				Search: []string{"title", "summary", "series__title"},
			},
		}),
		catalogue.Define[Series]("series", catalogue.Options{Description: &schema.Description{Search: []string{"title"}}}),
	}
}

// generateStories fills the collections of the demonstration.
func generateStories(cat *catalogue.Catalogue, seed uint64) error {
	var descriptions []schema.Description
	for key, collection := range cat.All() {
		if key == "stories" || key == "series" {
			descriptions = append(descriptions, collection.Description())
		}
	}
	records, err := sample.Records(sample.Options{Seed: seed, Sizes: map[string]int{"stories": 300}}, descriptions...)
	if err != nil {
		return err
	}
	text, err := json.Marshal(records)
	if err != nil {
		return err
	}
	return cat.Load(bytes.NewReader(text), catalogue.LoadOptions{})
}
