package house

import (
	"log"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// newPublisher returns the service of the publishing house at /api/.
func newPublisher(store Store, errorLog *log.Logger) (*service, error) {
	var definitions []catalogue.AnyDefinition // they sort prices and amounts by value
	for _, d := range schema.Descriptions() {
		switch d.Key {
		case "events", "labels", "social-links": // structs, which sort themselves
		default:
			definitions = append(definitions, catalogue.Define[schema.Record](d.Key, catalogue.Options{Keys: sample.Keys()}))
		}
	}
	house, err := catalogue.NewWith(definitions...)
	if err != nil {
		return nil, err
	}
	return newService("publisher", "/api/", "Catalogue", house, store, errorLog)
}
