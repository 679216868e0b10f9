package cataloguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// A dataset holds the records that the services of a verification serve.
type dataset struct {
	key, path string // of the collection
	paths     paths
	house     *catalogue.Catalogue // never written to
	records   [][]byte             // the first of the collection
	ids       []int
}

// newDataset returns the dataset of a verification.
func newDataset(opts Verification) (*dataset, error) {
	house, err := opts.records()
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return datasetOf(house, opts.Root, chosen{"Verification", opts.Collection, mostRecords}, mostRecords)
}

// datasetOf returns a dataset with at most the given number of records of a catalogue,
// which is not written to.
func datasetOf(house *catalogue.Catalogue, root string, c chosen, most int) (*dataset, error) {
	handler, err := httpapi.New(house, httpapi.Options{Root: root})
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	p := pathsOf(house, handler.Root())
	about, err := c.choose(p, house)
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	d := &dataset{key: about.Key, path: p.of(about), paths: p, house: house}
	if err := d.read(most); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return d, nil
}

// read reads at most the given number of records of the collection.
func (d *dataset) read(most int) error {
	c, err := d.house.Encoded(d.key)
	if err != nil {
		return err
	}
	window := pagination.Window{Limit: most}
	if _, d.records, err = c.Page(context.Background(), window, []ordering.Term{ordering.Asc("id")}); err != nil {
		return err
	}
	for _, record := range d.records {
		var r struct{ ID int }
		if err := json.Unmarshal(record, &r); err != nil {
			return err
		}
		d.ids = append(d.ids, r.ID)
	}
	return nil
}

// records returns the catalogue from which the dataset is taken, and never writes to it.
func (v *Verification) records() (*catalogue.Catalogue, error) {
	if v.Catalogue != nil {
		return v.Catalogue.Clone(), nil
	}
	var file bytes.Buffer
	if _, err := sample.New(datasetOptions(v.Collection)).WriteTo(&file); err != nil {
		return nil, err
	}
	house := catalogue.New()
	return house, house.Load(&file)
}

// A chosen collection is that of a dataset, as an option of a verification or an
// exploration names it.
type chosen struct {
	option string // the type of the options
	key    string // of the collection; empty: the first that is suitable
	least  int    // number of records that it must have
}

// choose returns the collection. It must be suitable.
func (c chosen) choose(p paths, house *catalogue.Catalogue) (schema.Description, error) {
	if c.key == "" {
		for _, collection := range house.All() {
			if about := collection.Description(); c.unsuitable(about, collection) == "" {
				return about, nil
			}
		}
		return schema.Description{}, fmt.Errorf("%s.Catalogue: no collection is listed and has %d records", c.option, c.least)
	}
	about, err := p.lookup(c.key)
	if err != nil {
		return about, err
	}
	collection, err := house.Encoded(c.key)
	if err != nil {
		return about, err
	}
	if reason := c.unsuitable(about, collection); reason != "" {
		return about, fmt.Errorf("%s.Collection: %s %s", c.option, about.Key, reason)
	}
	return about, nil
}

// unsuitable returns the reason why a collection cannot be used, or "".
func (c chosen) unsuitable(about schema.Description, collection catalogue.Encoded) string {
	switch {
	case !about.Actions.Has(schema.List):
		return "has no list"
	case collection.Count() < c.least:
		return fmt.Sprintf("has %d records; want at least %d", collection.Count(), c.least)
	}
	return ""
}

// datasetOptions returns small sizes for all collections but one.
func datasetOptions(key string) sample.Options {
	opts := sample.Options{Events: 10, Labels: 5, Authors: 10, SocialLinks: 10, Books: 10, Others: 5}
	size := map[string]*int{
		"events": &opts.Events, "labels": &opts.Labels, "authors": &opts.Authors,
		"social-links": &opts.SocialLinks, "books": &opts.Books,
	}[key]
	if size == nil {
		size = &opts.Others
	}
	*size = mostRecords
	return opts
}

// catalogue returns a catalogue with the first n records of the collection.
func (d *dataset) catalogue(n int) (*catalogue.Catalogue, error) {
	house := d.house.Clone()
	return house, replaceRecords(house, d.key, d.records[:n])
}

// write replaces the records of the collection by those of a state.
func (d *dataset) write(house *catalogue.Catalogue, s state) error {
	var records [][]byte
	for _, i := range s.indexes(true) {
		record := d.records[i]
		if from := s.contentsOf(i); from != i {
			var err error
			if record, err = withID(d.records[from], d.ids[i]); err != nil {
				return err
			}
		}
		records = append(records, record)
	}
	return replaceRecords(house, d.key, records)
}
