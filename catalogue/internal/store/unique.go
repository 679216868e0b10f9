package store

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A Duplicate is the error of a write after which two records would have the same value
// of a unique field.
type Duplicate struct {
	Field string
	Entry *Entry // the entry that was to be written
	Other int    // the id of the record that has the value
}

func (d *Duplicate) Error() string {
	return fmt.Sprintf("id %d has the %s of id %d", d.Entry.ID, d.Field, d.Other)
}

// uniqueIndexes returns an empty index for each unique field. They are never dropped.
func (sc *Schema) uniqueIndexes() (list []namedIndex) {
	for _, field := range sc.Unique {
		terms := []ordering.Term{ordering.Asc(field)}
		if field != sc.ID && findTerms(list, terms) < 0 {
			list = append(list, namedIndex{terms, newIndex(sc.resolve(terms), terms), new(atomic.Int64), true})
		}
	}
	return list
}

// unique returns a [*Duplicate] if the state would have one after changes, which have at
// most one change for each record. It runs the program's code.
// O(changes × unique fields × log n).
func (s *State) unique(changes []Change) error {
	for _, x := range s.indexes {
		if !x.unique {
			continue
		}
		if err := s.uniqueIn(x, changes); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) uniqueIn(x namedIndex, changes []Change) error {
	key := s.schema.resolve(x.terms)[0].Key
	var written map[string]int // ids by encoded key
	if len(changes) > 1 {
		written = make(map[string]int, len(changes))
	}
	for _, ch := range changes {
		if ch.New == nil {
			continue
		}
		k := key(ch.New)
		if k.Compare(ordering.Null()) == 0 {
			continue
		}
		if written != nil {
			encoded := string(k.Append(nil))
			if id, twice := written[encoded]; twice {
				return &Duplicate{x.terms[0].Field, ch.New, id}
			}
			written[encoded] = ch.New.ID
		}
		other := x.first(ordering.Range{From: k, To: k, ToIncluded: true}, false)
		if other != nil && !changed(changes, other.ID) {
			return &Duplicate{x.terms[0].Field, ch.New, other.ID}
		}
	}
	return nil
}

// changed reports whether changes, which are sorted by id, have one for the record with
// the id.
func changed(changes []Change, id int) bool {
	_, found := slices.BinarySearchFunc(changes, id, func(ch Change, id int) int { return ch.ID() - id })
	return found
}
