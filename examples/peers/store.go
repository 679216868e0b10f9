package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// pageSize is that of the service.
const pageSize = 21

// record is an event and its wire form.
type record struct {
	event resources.Event
	json  []byte
}

// stored is the copy that a store in Go keeps; the JSON is never changed and
// shared.
func (r *record) stored() *record { return &record{r.event.Clone(), r.json} }

// order is one of the three in which pages are asked for; ties break by id in
// its direction.
type order int

const (
	byStart order = iota // the default
	byName
	byNameDown
	orders = 3
)

func (o order) String() string { return [orders]string{"date", "name", "-name"}[o] }

// query is the order as a link has it.
func (o order) query() string { return [orders]string{"", "name", "-name"}[o] }

// store is one way to keep events by id and in order. A store's readers may run
// beside each other and, but for the bare trees, beside a writer.
type store interface {
	name() string

	load([]record) // into an empty store, sorted by id; afterwards all orders are ready
	writer[record]

	count() int
	get(id int) (resources.Event, bool) // the caller's copy

	// The page at an offset, together with the count of all records: as the
	// store shows it at least cost, into memory that is used again, with ids to
	// tell what was shown; as copies that the caller owns; and as the service's
	// JSON.
	view(p *screen, o order, offset int) (count int)
	ids(p *screen) []int
	copies(o order, offset int) ([]resources.Event, int)
	envelope(dst []byte, o order, offset int) []byte

	close()
}

// screen is where a store shows a page: the stored records themselves, or what
// stands for them.
type screen struct {
	ours    catalogue.View[resources.Event]
	records []*record
	bunt    []buntRow
	sqlite  []sqliteRow
}

// many is the number of records up to which all kinds of stores are compared:
// with more, some would take all day.
const many = 100_000

// kinds returns functions that make an empty store of each kind that is compared
// with so many records, ours first. An earlier revision is measured without other
// peers than the first.
func (s setup) kinds(records int) []func() store {
	all := []func() store{newOurs, newBare, newSliced, newSorting, newMemDB, newBunt, newSQLite}
	switch {
	case s.partner != nil && s.partner.follows:
		return all[:2]
	case records > many:
		return all[:3]
	}
	return all
}

func (s setup) newStores(n int) []store {
	var all []store
	for _, make := range s.kinds(n) {
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

// bounds is the part of count records that the page at an offset shows.
func bounds(offset, count int) (start, end int) {
	return min(offset, count), min(offset+pageSize, count)
}
