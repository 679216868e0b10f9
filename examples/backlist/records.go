package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// load returns a catalogue with the records of the file, or with generated ones.
func load(c config) (*catalogue.Catalogue, error) {
	house, err := resources.New()
	if err != nil {
		return nil, err
	}
	if c.data == "" {
		var records bytes.Buffer
		if err := sample.Write(&records, c.sample(house)); err != nil {
			return nil, err
		}
		return house, house.Load(&records, catalogue.LoadOptions{})
	}
	err = house.LoadFile(c.data, catalogue.LoadOptions{})
	if errors.Is(err, fs.ErrNotExist) && c.save != "" && sameFile(c.save, c.data) {
		err = fmt.Errorf("%w; to create it, run backlist once without -data", err)
	}
	return house, err
}

// sample returns the options of the generated records.
func (c config) sample(house *catalogue.Catalogue) sample.Options {
	opts := sample.Options{Seed: c.seed, Sizes: map[string]int{}}
	for key := range house.All() {
		size, ok := c.sizes[key]
		if !ok && !slices.Contains(sizeFlags[:], key) {
			size, ok = c.sizes[""]
		}
		if ok {
			opts.Sizes[key] = size
		}
	}
	return opts
}
