package cataloguetest

import (
	"bytes"
	"context"
	"reflect"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// sampleCatalogue returns the sample records. All calls return the same catalogue,
// which must only be cloned and read.
var sampleCatalogue = sync.OnceValues(func() (*catalogue.Catalogue, error) {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		return nil, err
	}
	house, err := newCatalogue()
	if err != nil {
		return nil, err
	}
	if err := house.Load(&file); err != nil {
		return nil, err
	}
	return house, buildIndexes(house)
})

// newCatalogue returns an empty catalogue that sorts prices and amounts by value, as the
// service does.
func newCatalogue() (*catalogue.Catalogue, error) {
	var definitions []catalogue.AnyDefinition
	for key, c := range catalogue.New().All() {
		if c.RecordType() == reflect.TypeFor[schema.Record]() {
			definitions = append(definitions, catalogue.Define[schema.Record](key, catalogue.Options{Keys: sample.Keys()}))
		}
	}
	return catalogue.NewWith(definitions...)
}

// buildIndexes builds the index of every collection's default ordering, which
// clones then share.
func buildIndexes(house *catalogue.Catalogue) error {
	for _, c := range house.All() {
		if _, _, err := c.Page(context.Background(), pagination.Window{Limit: 1}, nil); err != nil {
			return err
		}
	}
	return nil
}
