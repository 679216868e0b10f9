package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// load returns a catalogue with the records of the file, or with generated ones.
func load(c config) (*catalogue.Catalogue, error) {
	house, err := newCatalogue()
	if err != nil {
		return nil, err
	}
	if c.data == "" {
		var records bytes.Buffer
		if _, err := sample.New(c.sample).WriteTo(&records); err != nil {
			return nil, err
		}
		return house, house.Load(&records)
	}
	err = house.LoadFile(c.data)
	if errors.Is(err, fs.ErrNotExist) && c.save != "" && sameFile(c.save, c.data) {
		err = fmt.Errorf("%w; to create it, run backlist once without -data", err)
	}
	return house, err
}

// newCatalogue returns an empty catalogue that sorts prices and amounts by value.
func newCatalogue() (*catalogue.Catalogue, error) {
	var definitions []catalogue.AnyDefinition
	for key, c := range catalogue.New().All() {
		if c.RecordType() == reflect.TypeFor[schema.Record]() {
			definitions = append(definitions, catalogue.Define[schema.Record](key, catalogue.Options{Keys: sample.Keys()}))
		}
	}
	return catalogue.NewWith(definitions...)
}
