package cataloguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A dataset holds the records that the services of a verification serve.
type dataset struct {
	key, path string // of the collection
	paths     paths
	house     *catalogue.Catalogue // never written to
	records   [][]byte             // the first mostRecords of the collection
	ids       []int
}

// newDataset returns the dataset of a verification.
func newDataset(opts Verification) (*dataset, error) {
	house, err := opts.records()
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Root: opts.Root})
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	p := pathsOf(house, handler.Root())
	about, err := opts.choose(p, house)
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	d := &dataset{key: about.Key, path: p.of(about), paths: p, house: house}
	if err := d.read(); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return d, nil
}

// read reads the records of the collection.
func (d *dataset) read() error {
	c, err := d.house.Encoded(d.key)
	if err != nil {
		return err
	}
	window := pagination.Window{Limit: mostRecords}
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

// choose returns the collection that is fetched. It must be suitable.
func (v *Verification) choose(p paths, house *catalogue.Catalogue) (resources.Description, error) {
	if v.Collection == "" {
		for _, c := range house.All() {
			if about := c.Description(); unsuitable(about, c) == "" {
				return about, nil
			}
		}
		return resources.Description{}, fmt.Errorf("Verification.Catalogue: no collection is listed and has %d records", mostRecords)
	}
	about, err := p.lookup(v.Collection)
	if err != nil {
		return about, err
	}
	c, err := house.Encoded(v.Collection)
	if err != nil {
		return about, err
	}
	if reason := unsuitable(about, c); reason != "" {
		return about, fmt.Errorf("Verification.Collection: %s %s", about.Key, reason)
	}
	return about, nil
}

// unsuitable returns the reason why a collection cannot be used, or "".
func unsuitable(about resources.Description, c catalogue.Encoded) string {
	switch {
	case !about.Actions.Has(resources.List):
		return "has no list"
	case c.Count() < mostRecords:
		return fmt.Sprintf("has %d records; want at least %d", c.Count(), mostRecords)
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
	return house, d.replace(house, d.records[:n])
}

// replace replaces the records of the collection.
func (d *dataset) replace(house *catalogue.Catalogue, records [][]byte) error {
	list := slices.Concat([]byte("["), bytes.Join(records, []byte(",")), []byte("]"))
	return house.LoadCollection(d.key, bytes.NewReader(list))
}
