package house

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

type film struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Minutes  int    `json:"minutes" backlist:"min=0"`
	Director int    `json:"director" backlist:"refers=directors"`
}

// filmDefinitions returns the collections of films and directors. Their records are open,
// because the code of a collection of structs is half a megabyte for each type. What is
// served is the same.
func filmDefinitions() ([]catalogue.AnyDefinition, error) {
	directors, err := schema.DescriptionOf[director]("directors")
	if err != nil {
		return nil, err
	}
	films, err := schema.DescriptionOf[film]("films")
	if err != nil {
		return nil, err
	}
	films.Filters = []string{"director", "minutes__gte"}
	films.Search = []string{"name", "director__name"}
	return []catalogue.AnyDefinition{
		catalogue.Define[schema.Record](directors.Key, catalogue.Options{Description: &directors}),
		catalogue.Define[schema.Record](films.Key, catalogue.Options{Description: &films}),
	}, nil
}
