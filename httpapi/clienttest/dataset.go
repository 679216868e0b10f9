package clienttest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A dataset is a collection, and the records that the services of a client have.
type dataset struct {
	key, path string // of the collection
	root      string
	catalogue *catalogue.Catalogue // never written to
	records   [][]byte             // the first of the collection
	ids       []int
}

// newDataset returns a dataset with at least and at most the given numbers of records. Without
// a catalogue, the records are samples, repeated if there are too few of them.
func newDataset(opts Options, least, most int) (*dataset, error) {
	server, err := cataloguetest.Open(cataloguetest.Options{Catalogue: clone(opts.Catalogue), Root: opts.Root})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if opts.Catalogue == nil {
		opts.Collection = cmp.Or(opts.Collection, "events")
	}
	about, err := choose(server.Catalogue, opts, least)
	if err != nil {
		return nil, fmt.Errorf("clienttest: %w", err)
	}
	d := &dataset{key: about.Key, root: cmp.Or(opts.Root, "/api/"), catalogue: server.Catalogue}
	d.path = d.root + about.Segment + "/"
	err = d.read(most)
	for n := len(d.records); err == nil && n > 0 && len(d.records) < least; {
		err = d.repeat(len(d.records) - n)
	}
	if err != nil {
		return nil, fmt.Errorf("clienttest: %w", err)
	}
	return d, nil
}

func clone(c *catalogue.Catalogue) *catalogue.Catalogue {
	if c == nil {
		return nil
	}
	return c.Clone()
}

// choose returns the collection of a dataset, which must be suitable.
func choose(c *catalogue.Catalogue, opts Options, least int) (schema.Description, error) {
	if opts.Catalogue == nil {
		least = 1
	}
	if opts.Collection == "" {
		for _, collection := range c.All() {
			if about := collection.Description(); about.Actions.Has(schema.List) && collection.Count() >= least {
				return about, nil
			}
		}
		return schema.Description{}, fmt.Errorf("Options.Catalogue: no collection is listed and has %d records", least)
	}
	collection, err := c.Collection(opts.Collection)
	if err != nil {
		return schema.Description{}, err
	}
	about := collection.Description()
	switch {
	case !about.Actions.Has(schema.List):
		return about, fmt.Errorf("Options.Collection: %s has no list", about.Key)
	case collection.Count() < least:
		return about, fmt.Errorf("Options.Collection: %s has %d records; want at least %d", about.Key, collection.Count(), least)
	}
	return about, nil
}

// read reads at most the given number of records of the collection.
func (d *dataset) read(most int) error {
	c, err := d.catalogue.Collection(d.key)
	if err != nil {
		return err
	}
	list, err := c.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: most}, Terms: []ordering.Term{ordering.Asc("id")}})
	if err != nil {
		return err
	}
	d.records = list.Records
	for _, record := range d.records {
		id, err := idOf(record)
		if err != nil {
			return err
		}
		d.ids = append(d.ids, id)
	}
	return nil
}

// repeat adds a record with another id.
func (d *dataset) repeat(i int) error {
	id := d.ids[len(d.ids)-1] + 1
	record, err := withID(d.records[i], id)
	d.records, d.ids = append(d.records, record), append(d.ids, id)
	return err
}

// collection returns the description of the collection that is served at one of the paths.
func (d *dataset) collection(paths []string) (about schema.Description, path string, ok bool) {
	for _, c := range d.catalogue.All() {
		about := c.Description()
		if path := d.root + about.Segment + "/"; slices.Contains(paths, path) {
			return about, path, true
		}
	}
	return schema.Description{}, "", false
}

// serve returns a server of a catalogue with pages of the given size. It refuses requests that
// write, unless they are permitted.
func (d *dataset) serve(c *catalogue.Catalogue, limit int, writes bool) (*cataloguetest.Server, error) {
	opts := cataloguetest.Options{
		Catalogue:    c,
		Root:         d.root,
		Limits:       pagination.Limits{Default: limit, Max: limit},
		Secure:       true,
		MaxExchanges: 1,
	}
	if !writes {
		opts.Authorizer = httpapi.Bearer(rand.Text()) // which no client knows
	}
	return cataloguetest.Open(opts)
}

// first returns a catalogue with the first n records of the collection.
func (d *dataset) first(n int) (*catalogue.Catalogue, error) {
	c := d.catalogue.Clone()
	return c, d.load(c, d.records[:n])
}

// delete replaces the records of the collection by the first n records, without one.
func (d *dataset) delete(c *catalogue.Catalogue, n, id int) error {
	i := slices.Index(d.ids, id)
	return d.load(c, slices.Delete(slices.Clone(d.records[:n]), i, i+1))
}

// write replaces the records of the collection by those of a state.
func (d *dataset) write(c *catalogue.Catalogue, s state) error {
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
	return d.load(c, records)
}

// load replaces the records of the collection.
func (d *dataset) load(c *catalogue.Catalogue, records [][]byte) error {
	list := slices.Concat([]byte("["), bytes.Join(records, []byte(",")), []byte("]"))
	into, err := c.Collection(d.key)
	if err != nil {
		return err
	}
	return into.Load(bytes.NewReader(list), catalogue.LoadOptions{})
}

// idsIn returns the ids of the records that the collection has in a catalogue.
func (d *dataset) idsIn(c *catalogue.Catalogue) ([]int, error) {
	now := dataset{key: d.key, catalogue: c}
	err := now.read(-1)
	return now.ids, err
}

func idOf(record []byte) (int, error) {
	var r struct{ ID int }
	err := json.Unmarshal(record, &r)
	return r.ID, err
}

// withID returns a record with another id.
func withID(record []byte, id int) ([]byte, error) {
	r, err := schema.ParseRecord(record)
	if err != nil {
		return nil, err
	}
	r.ID = id
	return r.MarshalJSON()
}
