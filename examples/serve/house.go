package main

import (
	"bytes"
	"reflect"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
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
	return house, house.LoadFile(c.data)
}

// newCatalogue returns an empty catalogue that sorts prices and amounts by value.
func newCatalogue() (*catalogue.Catalogue, error) {
	var definitions []catalogue.AnyDefinition
	for key, c := range catalogue.New().All() {
		if c.RecordType() == reflect.TypeFor[resources.Record]() {
			definitions = append(definitions, catalogue.Define[resources.Record](key, catalogue.Options{Keys: sample.Keys()}))
		}
	}
	return catalogue.NewWith(definitions...)
}
