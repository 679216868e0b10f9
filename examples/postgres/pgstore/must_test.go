package pgstore_test

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
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

// descriptions returns those of the documented collections.
func descriptions() (list []schema.Description) {
	for _, c := range mustNew().All() {
		list = append(list, c.Description())
	}
	return list
}

// described returns the description of a documented collection.
func described(key string) schema.Description {
	c, err := mustNew().Collection(key)
	if err != nil {
		panic(err)
	}
	return c.Description()
}

// fieldsOf returns the names that the records of a collection can be ordered by.
func fieldsOf(c *catalogue.Catalogue, key string) []string {
	coll, err := c.Collection(key)
	if err != nil {
		panic(err)
	}
	return sortable(coll.Description())
}

// sortable returns the names that records can be ordered by.
func sortable(d schema.Description) []string {
	names := d.Sortable
	for _, f := range d.Fields {
		names = append(names, ordering.Snake(f.Name))
	}
	return names
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}
