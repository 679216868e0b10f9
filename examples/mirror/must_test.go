package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}
