package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// openAs returns a collection that implements an optional interface. It returns a skip if
// it does not, or if the description lacks the action.
func openAs[T any](s *subject, action schema.Actions, m model) (c httpapi.Collection, as T, err error) {
	name := reflect.TypeFor[T]().Name()
	if !s.impl.Description.Actions.Has(action) {
		return nil, as, skip("the description does not have the action of an httpapi." + name)
	}
	if c, err = s.open(m); err != nil {
		return nil, as, err
	}
	as, ok := c.(T)
	if !ok {
		return nil, as, skip("the collection is not an httpapi." + name)
	}
	return c, as, nil
}

func checkDescription(s *subject) error {
	c, err := s.open(nil)
	if err != nil {
		return err
	}
	d, ok := c.(httpapi.Describer)
	if !ok {
		return skip("the collection is not an httpapi.Describer")
	}
	got, want := reflect.ValueOf(d.Description()), reflect.ValueOf(s.impl.Description)
	for i := range got.NumField() {
		a, b := got.Field(i), want.Field(i)
		if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return fmt.Errorf("Description: %s is %v, want %v as in the Implementation", got.Type().Field(i).Name, a, b)
		}
	}
	return nil
}

func checkGet(s *subject) error {
	m := s.impl.plain(5)
	_, r, err := openAs[httpapi.Retriever](s, schema.Retrieve, m)
	if err != nil {
		return err
	}
	for _, params := range []url.Values{nil, {}} {
		for _, want := range m {
			got, err := r.Get(s.ctx, want.id, params)
			if err != nil {
				return fmt.Errorf("Get of id %d: %w", want.id, err)
			}
			if !bytes.Equal(got, want.json) {
				return fmt.Errorf("Get of id %d: %s, want %s", want.id, got, want.json)
			}
		}
	}
	return nil
}

// missing returns ids that no record has.
func missing() []int { return []int{0, unused, math.MaxInt} }

func checkGetMissing(s *subject) error {
	for _, m := range []model{s.impl.plain(5), nil} {
		_, r, err := openAs[httpapi.Retriever](s, schema.Retrieve, m)
		if err != nil {
			return err
		}
		for _, id := range missing() {
			if got, err := r.Get(s.ctx, id, nil); !errors.Is(err, catalogue.ErrNotFound) {
				return fmt.Errorf("Get of id %d, which no record has: %s, error %v, want one wrapping catalogue.ErrNotFound", id, got, err)
			}
		}
	}
	return nil
}

// stored holds the JSON of all records by their ids.
type stored map[int][]byte

func (m model) stored() stored {
	all := stored{}
	for _, r := range m {
		all[r.id] = bytes.Clone(r.json)
	}
	return all
}

// checkStored checks that the collection has exactly these records. after names the
// operation before.
func (s *subject) checkStored(c httpapi.Collection, want stored, after string) error {
	count, records, err := c.Page(s.ctx, pagination.Window{Limit: unlimited}, byID())
	if err != nil {
		return fmt.Errorf("Page: %w", err)
	}
	if count != len(want) || len(records) != len(want) {
		return fmt.Errorf("after %s Page returns %d records and a count of %d, want %d", after, len(records), count, len(want))
	}
	for _, got := range records {
		id, err := idOf(got)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want[id]) {
			return fmt.Errorf("after %s Page returns %s, want %s", after, got, want[id])
		}
	}
	return nil
}
