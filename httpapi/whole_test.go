package httpapi

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type (
	plant struct {
		ID     int     `json:"id"`
		Name   string  `json:"name" backlist:"maxlength=20"`
		Height int     `json:"height"`
		SownOn *string `json:"sownOn" backlist:"date"`
	}
	plantLeaf struct {
		ID    int    `json:"id"`
		Plant int    `json:"plant" backlist:"refers=plants,related=leaves"`
		Shape string `json:"leaf_shape" backlist:"choices=round|long"`
	}
)

// newPlants returns a catalogue of four plants, which are a list without pages, and three leaves. Most
// parameters have names of their own.
func newPlants(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[plant]("plants", catalogue.Options{Description: &schema.Description{
			Ordering:      []ordering.Term{ordering.Asc("name")},
			Search:        []string{"name", "leaves__leaf_shape"},
			Pages:         pagination.Whole{Max: 4},
			OrderingParam: "sort",
			SearchParam:   "full_text",
			Filters:       []string{"height", "min_height", "max_height", "sown_after", "sown_before", "search"},
			Parameters: map[string]string{
				"min_height": "height__gte", "max_height": "height__lte", "sown_after": "sown_on__gte", "sown_before": "sown_on__lte", "search": "name__icontains",
			},
		}}),
		catalogue.Define[plantLeaf]("leaves", catalogue.Options{Description: &schema.Description{
			Search:        []string{"plant__name"},
			SearchParam:   "of_plant",
			OrderingParam: "search",
			Filters:       []string{"shape", "tall", "height_min", "height_max"},
			Parameters:    map[string]string{"shape": "leaf_shape", "tall": "plant__height__gt", "height_min": "plant__height__gte", "height_max": "plant__height__lte"},
			JSONNames:     true,
		}}),
	)
	data := `{"plants":[{"id":1,"name":"Oak","height":9,"sownOn":null},{"id":2,"name":"Fern","height":1,"sownOn":"2024-05-01"},
		{"id":3,"name":"Elm","height":7,"sownOn":"2023-04-01"},{"id":4,"name":"Moss","height":0,"sownOn":"2024-06-01"}],
		"leaves":[{"id":1,"plant":1,"leaf_shape":"long"},{"id":2,"plant":2,"leaf_shape":"round"},{"id":3,"plant":3,"leaf_shape":"round"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	return c
}
