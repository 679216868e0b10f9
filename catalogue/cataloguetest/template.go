package cataloguetest

import (
	"bytes"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources/sample"
)

// template is the sample house, made once; it is only ever forked and read.
var template = sync.OnceValues(func() (*catalogue.Catalogue, error) {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		return nil, err
	}
	house := catalogue.New()
	return house, house.Load(&file)
})
