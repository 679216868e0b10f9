package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// backlistStore is a collection of this library.
type backlistStore[T any] struct {
	records *catalogue.Collection[T]
	terms   [][]ordering.Term // by order
}

func newBacklist[T any](k *kind[T]) store[T] {
	records, err := k.open()
	check(err)
	return backlistOf(k, records)
}

func backlistOf[T any](k *kind[T], records *catalogue.Collection[T]) *backlistStore[T] {
	s := &backlistStore[T]{records: records, terms: [][]ordering.Term{k.first}}
	for _, o := range k.orders[1:] {
		s.terms = append(s.terms, []ordering.Term{ordering.Asc(o.field)}, []ordering.Term{ordering.Desc(o.field)})
	}
	return s
}

func (s *backlistStore[T]) name() string { return "backlist" }

func (s *backlistStore[T]) load(records []item[T]) {
	s.batch(records, (*catalogue.Tx[T]).Insert)
	for _, terms := range s.terms { // builds the indexes
		_, err := s.records.Where().View(pagination.Window{Limit: 1}, terms...)
		check(err)
	}
}

func (s *backlistStore[T]) batch(records []item[T], write func(*catalogue.Tx[T], T) (int, error)) {
	check(s.records.Batch(func(tx *catalogue.Tx[T]) error {
		for i := range records {
			if _, err := write(tx, records[i].value); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *backlistStore[T]) put(records []item[T], fresh bool) {
	var err error
	switch {
	case len(records) != 1:
		s.batch(records, (*catalogue.Tx[T]).Upsert)
	case fresh:
		_, err = s.records.Insert(records[0].value)
	default:
		_, err = s.records.Upsert(records[0].value)
	}
	check(err)
}

func (s *backlistStore[T]) delete(id int) { check(s.records.Delete(id)) }

func (s *backlistStore[T]) get(id int) (T, bool) {
	r, err := s.records.Get(id)
	return r, err == nil
}

func (s *backlistStore[T]) view(p *page[T], o order, offset int) (count int) {
	v, err := s.records.Where().View(pagination.Window{Limit: pageSize, Offset: offset}, s.terms[o]...)
	check(err)
	p.view = v
	return v.Count()
}

func (s *backlistStore[T]) copies(o order, offset int) ([]T, int) {
	p, err := s.records.Page(pagination.Window{Limit: pageSize, Offset: offset}, s.terms[o]...)
	check(err)
	return p.Records, p.Count
}

func (s *backlistStore[T]) close() {}
