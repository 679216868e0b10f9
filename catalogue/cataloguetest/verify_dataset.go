package cataloguetest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A dataset holds the records that the services of a verification serve.
type dataset struct {
	key, path string
	house     *catalogue.Catalogue // never written to
	records   []json.RawMessage    // of the collection
	ids       []int
}

// newDataset returns a dataset with mostRecords records in one collection.
func newDataset(key string) (*dataset, error) {
	about, ok := resources.Lookup(key)
	if !ok {
		return nil, fmt.Errorf("cataloguetest: %w", unknownCollection(key))
	}
	d := &dataset{key: key, path: pathOf(about), house: catalogue.New()}
	var file bytes.Buffer
	if _, err := sample.New(datasetOptions(key)).WriteTo(&file); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	if err := json.Unmarshal(all[key], &d.records); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	for _, record := range d.records {
		var r struct{ ID int }
		if err := json.Unmarshal(record, &r); err != nil {
			return nil, fmt.Errorf("cataloguetest: %w", err)
		}
		d.ids = append(d.ids, r.ID)
	}
	return d, d.house.Load(&file)
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
func (d *dataset) replace(house *catalogue.Catalogue, records []json.RawMessage) error {
	// json.Marshal would escape '<' in the records.
	var list bytes.Buffer
	list.WriteByte('[')
	for i, record := range records {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(record)
	}
	list.WriteByte(']')
	return house.LoadCollection(d.key, &list)
}
