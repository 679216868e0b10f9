package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// pageSize is the default limit of the service.
const pageSize = 21

// record is an event and its JSON.
type record struct {
	event resources.Event
	json  []byte
}

// stored returns the copy that a store in Go keeps. It shares the JSON, which never
// changes.
func (r *record) stored() *record { return &record{cloneOf(r.event), r.json} }

// order is an order of pages. Ties break by id, in its direction.
type order int

const (
	byStart order = iota // the default
	byName
	byNameDown
	orders = 3
)

func (o order) String() string { return [orders]string{"date", "name", "-name"}[o] }

// query returns the order as it is written in a link.
func (o order) query() string { return [orders]string{"", "name", "-name"}[o] }

// store keeps events by id and in each order. Readers may run concurrently with
// each other and, except for btreeStore, with a writer.
type store interface {
	name() string

	load([]record) // fills an empty store with records in order of id; builds all indexes
	writer[record]

	count() int
	get(id int) (resources.Event, bool) // a copy

	// view reads the page at an offset into p in the cheapest way that the store
	// has, and returns the count of all records. ids returns the ids of that page.
	view(p *pageBuffer, o order, offset int) (count int)
	ids(p *pageBuffer) []int

	// copies returns copies of the records of a page, and the count.
	copies(o order, offset int) ([]resources.Event, int)

	// envelope appends the page as the service's JSON.
	envelope(dst []byte, o order, offset int) []byte

	close()
}

// pageBuffer holds a page in the form in which a store returns it.
type pageBuffer struct {
	backlist catalogue.View[resources.Event]
	records  []*record
	bunt     []buntRow
	sqlite   []sqliteRow
}

// maxCompared is the largest number of records with which all stores are compared.
// With more records some would take hours.
const maxCompared = 100_000

// constructors returns a constructor of each store that is compared with that many
// records, the library's first. An earlier revision is measured with the first
// peer only.
func (s setup) constructors(records int) []func() store {
	all := []func() store{newBacklist, newBTree, newSlice, newSort, newMemDB, newBuntDB, newSQLite}
	switch {
	case s.partner != nil && s.partner.follows:
		return all[:2]
	case records > maxCompared:
		return all[:3]
	}
	return all
}

func (s setup) newStores(n int) []store {
	var all []store
	for _, make := range s.constructors(n) {
		all = append(all, make())
	}
	return all
}

func closeAll(stores []store) {
	for _, s := range stores {
		s.close()
	}
}

func storeNames(stores []store) []string {
	all := make([]string, len(stores))
	for i, s := range stores {
		all[i] = s.name()
	}
	return all
}

// bounds returns the part of count records that the page at an offset contains.
func bounds(offset, count int) (start, end int) {
	return min(offset, count), min(offset+pageSize, count)
}
