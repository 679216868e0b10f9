package main

import (
	"bytes"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources/sample"
)

// load reads a house from the file, or makes one up if there is none.
func load(c config) (*catalogue.Catalogue, error) {
	house := catalogue.New()
	if c.data == "" {
		var made bytes.Buffer
		if _, err := sample.New(c.made).WriteTo(&made); err != nil {
			return nil, err
		}
		return house, house.Load(&made)
	}
	return house, house.LoadFile(c.data)
}
