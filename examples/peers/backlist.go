package main

import (
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// backlistStore is a collection of this library.
type backlistStore struct {
	house   *catalogue.Catalogue
	events  *catalogue.Collection[resources.Event]
	terms   [orders][]ordering.Term
	queries [orders]pagination.Query
}

func newBacklist() store {
	house, err := resources.New()
	check(err)
	return wrap(house)
}

func wrap(house *catalogue.Catalogue) *backlistStore {
	events, err := resources.Events.In(house)
	check(err)
	s := &backlistStore{house: house, events: events}
	s.terms[byName] = []ordering.Term{ordering.Asc("name")}
	s.terms[byNameDown] = []ordering.Term{ordering.Desc("name")}
	s.queries[byName] = pagination.ParseQuery("ordering=name")
	s.queries[byNameDown] = pagination.ParseQuery("ordering=-name")
	return s
}

func (s *backlistStore) name() string { return "backlist" }

func (s *backlistStore) load(records []record) {
	check(s.events.Batch(func(tx *catalogue.Tx[resources.Event]) error {
		for i := range records {
			if _, err := tx.Insert(records[i].event); err != nil {
				return err
			}
		}
		return nil
	}))
	s.prepare()
}

// prepare builds the indexes.
func (s *backlistStore) prepare() {
	for _, terms := range s.terms {
		_, err := s.events.Where().View(pagination.Window{Limit: 1}, terms...)
		check(err)
	}
}

func (s *backlistStore) insert(r *record) {
	_, err := s.events.Insert(r.event)
	check(err)
}

func (s *backlistStore) update(r *record) {
	_, err := s.events.Upsert(r.event)
	check(err)
}

func (s *backlistStore) delete(id int) { check(s.events.Delete(id)) }

func (s *backlistStore) batch(records []record) {
	check(s.events.Batch(func(tx *catalogue.Tx[resources.Event]) error {
		for i := range records {
			if _, err := tx.Upsert(records[i].event); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *backlistStore) count() int { return s.events.Count() }

func (s *backlistStore) get(id int) (resources.Event, bool) {
	e, err := s.events.Get(id)
	return e, err == nil
}

func (s *backlistStore) view(p *pageBuffer, o order, offset int) (count int) {
	v, err := s.events.Where().View(pagination.Window{Limit: pageSize, Offset: offset}, s.terms[o]...)
	check(err)
	p.backlist = v
	return v.Count()
}

func (s *backlistStore) ids(p *pageBuffer) (ids []int) {
	for i := range p.backlist.Len() {
		ids = append(ids, p.backlist.At(i).ID)
	}
	return ids
}

func (s *backlistStore) copies(o order, offset int) ([]resources.Event, int) {
	p, err := s.events.Page(pagination.Window{Limit: pageSize, Offset: offset}, s.terms[o]...)
	check(err)
	return p.Records, p.Count
}

func (s *backlistStore) envelope(dst []byte, o order, offset int) []byte {
	w := pagination.Window{Limit: pageSize, Offset: offset}
	v, err := s.events.Where().View(w, s.terms[o]...)
	check(err)
	dst = append(dst, `{"count":`...)
	dst = strconv.AppendInt(dst, int64(v.Count()), 10)
	dst = append(dst, `,"next":`...)
	dst = quoted(pagination.AppendNext(append(dst, '"'), address, s.queries[o], w, v.Count()))
	dst = append(dst, `,"previous":`...)
	dst = quoted(pagination.AppendPrevious(append(dst, '"'), address, s.queries[o], w))
	dst = append(dst, `,"results":[`...)
	for i := range v.Len() {
		text, err := v.JSON(i)
		check(err)
		dst = appendRecord(dst, text)
	}
	return appendTail(dst)
}

// quoted closes the quotes of a link. If there is no link, it replaces the opening
// quote with null.
func quoted(dst []byte, ok bool) []byte {
	if !ok {
		return append(dst[:len(dst)-1], "null"...)
	}
	return append(dst, '"')
}

func (s *backlistStore) close() {}
