package main

import (
	"encoding/json"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
)

// pageSize is the default limit of the service.
const pageSize = 21

// order is an order of pages. Ties break by id, in its direction.
type order int

const (
	byStart order = iota
	byName
	byNameDown
	orders = 3
)

func (o order) String() string { return [orders]string{"date", "name", "-name"}[o] }

// index returns the index of the order among those of a kind.
func (o order) index() int { return min(int(o), 1) }

// store keeps records by id and in each order. Readers may run concurrently with
// each other and, except for bare B-trees, with a writer.
type store[T any] interface {
	name() string
	load([]item[T])              // fills an empty store with records in order of id; builds all indexes
	put(r []item[T], fresh bool) // inserts records, or replaces those with the same ids, all at once
	delete(id int)
	get(id int) (T, bool) // a copy

	// view reads the page at an offset into p in the cheapest way that the store
	// has, and returns the count of all records.
	view(p *page[T], o order, offset int) (count int)

	close()
}

// page holds a page in the form in which a store returns it.
type page[T any] struct {
	view  catalogue.View[T]
	items []*item[T]
	texts []encodedRecord
}

// encodedRecord is a record of a store that keeps text.
type encodedRecord struct {
	id   int
	json string
}

func decoded[T any](t encodedRecord) (r T) {
	check(json.Unmarshal([]byte(t.json), &r))
	return r
}

// copies returns copies of the records of a page, and the count.
func copies[T any](s store[T], k *kind[T], p *page[T], o order, offset int) (all []T, count int) {
	if s, ok := s.(*backlistStore[T]); ok {
		return s.copies(o, offset)
	}
	count = s.view(p, o, offset)
	if p.texts != nil {
		return each(p.texts, decoded[T]), count
	}
	return each(p.items, func(r *item[T]) T { return k.clone(r.value) }), count
}

// address is the URL in the links of an envelope.
const address = "http://127.0.0.1/api/events/"

// query returns the order as it is written in links.
func (o order) query() pagination.Query {
	if o == byStart {
		return pagination.Query{}
	}
	return pagination.ParseQuery("ordering=" + o.String())
}

// envelope appends a page of events as the service's JSON. All stores use the library's links.
func envelope(dst []byte, s store[event], p *page[event], o order, offset int) []byte {
	count, q := s.view(p, o, offset), o.query()
	dst = append(dst, `{"count":`...)
	dst = strconv.AppendInt(dst, int64(count), 10)
	next, previous := neighbours(offset, count)
	dst = appendLink(append(dst, `,"next":`...), q, next)
	dst = appendLink(append(dst, `,"previous":`...), q, previous)
	dst = append(dst, `,"results":[`...)
	start := len(dst)
	for i := range p.view.Len() {
		text, err := p.view.JSON(i)
		check(err)
		dst = append(append(dst, text...), ',')
	}
	for _, r := range p.items {
		dst = append(append(dst, r.json...), ',')
	}
	for _, t := range p.texts {
		dst = append(append(dst, t.json...), ',')
	}
	return append(dst[:max(start, len(dst)-1)], "]}"...)
}

// neighbours returns the places of the pages after and before one.
func neighbours(offset, count int) (next, previous pagination.Place) {
	at := pagination.Place{Window: pagination.Window{Limit: pageSize, Offset: offset}}
	return pagination.Neighbours(pagination.Limits{}, at, count, nil)
}

// appendLink appends a link in quotes, or null if there is no such page.
func appendLink(dst []byte, q pagination.Query, to pagination.Place) []byte {
	if to.Limit == 0 {
		return append(dst, "null"...)
	}
	dst = append(append(dst, '"'), address...)
	return append(pagination.AppendLink(dst, pagination.Limits{}, q, to), '"')
}

type constructor[T any] func(*kind[T]) store[T]

// constructors returns a constructor of each store, the library's first.
func constructors() []constructor[event] {
	return []constructor[event]{
		newBacklist[event], newTree[event], newSlice[event], newMemDB[event], newStateDB[event], newSQLite[event],
	}
}

func opened[T any](k *kind[T], list []constructor[T]) []store[T] {
	return each(list, func(open constructor[T]) store[T] { return open(k) })
}

func filled[T any](d *data[T], list []constructor[T]) []store[T] {
	stores := opened(d.kind, list)
	for _, s := range stores {
		s.load(d.records)
	}
	return stores
}

func closeAll[T any](stores []store[T]) {
	for _, s := range stores {
		s.close()
	}
}

func storeNames[S interface{ name() string }](stores []S) []string {
	return each(stores, func(s S) string { return s.name() })
}

// bounds returns the part of count records that the page at an offset contains.
func bounds(offset, count int) (start, end int) {
	return min(offset, count), min(offset+pageSize, count)
}
