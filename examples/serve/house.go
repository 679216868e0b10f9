package main

import (
	"bytes"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources/sample"
)

// load reads a house from a file, or makes one up if there is none.
func load(file string) (*catalogue.Catalogue, error) {
	house := catalogue.New()
	if file == "" {
		var made bytes.Buffer
		if _, err := sample.New(sample.Options{}).WriteTo(&made); err != nil {
			return nil, err
		}
		return house, house.Load(&made)
	}
	return house, house.LoadFile(file)
}
