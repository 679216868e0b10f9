package main

import (
	"bytes"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources/sample"
)

// load returns a catalogue with the records of the file, or with generated ones.
func load(c config) (*catalogue.Catalogue, error) {
	house := catalogue.New()
	if c.data == "" {
		var records bytes.Buffer
		if _, err := sample.New(c.sample).WriteTo(&records); err != nil {
			return nil, err
		}
		return house, house.Load(&records)
	}
	return house, house.LoadFile(c.data)
}
