package cataloguetest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// stock is what the services of a verification are filled with.
type stock struct {
	key, path string
	house     *catalogue.Catalogue // only ever forked
	records   []json.RawMessage    // of the collection
	ids       []int
}

// newStock makes a house with enough records in one collection.
func newStock(key string) (*stock, error) {
	about, ok := resources.Lookup(key)
	if !ok {
		return nil, fmt.Errorf("cataloguetest: %w: %q", catalogue.ErrUnknownCollection, key)
	}
	s := &stock{key: key, path: pathOf(about), house: catalogue.New()}
	var file bytes.Buffer
	if _, err := sample.New(stockSizes(key)).WriteTo(&file); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	if err := json.Unmarshal(all[key], &s.records); err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	for _, record := range s.records {
		var r struct{ ID int }
		if err := json.Unmarshal(record, &r); err != nil {
			return nil, fmt.Errorf("cataloguetest: %w", err)
		}
		s.ids = append(s.ids, r.ID)
	}
	return s, s.house.Load(&file)
}

// stockSizes is a small house but for one collection.
func stockSizes(key string) sample.Options {
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

// fork is a house with the first so many of the collection's records.
func (s *stock) fork(records int) (*catalogue.Catalogue, error) {
	house := s.house.Clone()
	return house, s.fill(house, s.records[:records])
}

// fill puts these records in the place of what the collection holds.
func (s *stock) fill(house *catalogue.Catalogue, records []json.RawMessage) error {
	// Not json.Marshal: that would write '<' otherwise than the records have it.
	var list bytes.Buffer
	list.WriteByte('[')
	for i, record := range records {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(record)
	}
	list.WriteByte(']')
	return house.LoadCollection(s.key, &list)
}
