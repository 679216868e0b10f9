package cataloguetest

import (
	"bytes"
	"context"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
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
	house := catalogue.New()
	if err := house.Load(&file); err != nil {
		return nil, err
	}
	return house, buildIndexes(house)
})

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
