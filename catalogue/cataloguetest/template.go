package cataloguetest

import (
	"bytes"
	"context"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// template is the sample house, made once; it is only ever forked and read.
var template = sync.OnceValues(func() (*catalogue.Catalogue, error) {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		return nil, err
	}
	house := catalogue.New()
	if err := house.Load(&file); err != nil {
		return nil, err
	}
	return house, warm(house)
})

// warm has every collection sorted by its default order, which forks then share.
func warm(house *catalogue.Catalogue) error {
	for _, c := range house.All() {
		if _, _, err := c.Page(context.Background(), pagination.Window{Limit: 1}, nil); err != nil {
			return err
		}
	}
	return nil
}
