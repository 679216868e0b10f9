package cataloguetest

import (
	"math/rand/v2"
	"slices"
)

// A state is the state of a collection in a story. It is never changed.
type state struct {
	present  []bool // which records of the dataset exist
	contents []int  // whose contents each record has, by index; nil: its own
	swapped  [2]int // the records that the last write exchanged, if contents is not nil
}

// newState returns the state with n records: every second one of the dataset, so that
// others can be inserted between them.
func newState(of, n int) state {
	s := state{present: make([]bool, of)}
	for i := range n {
		s.present[2*i+1] = true
	}
	return s
}

// indexes returns the records that exist, or those that do not.
func (s state) indexes(present bool) (list []int) {
	for i, is := range s.present {
		if is == present {
			list = append(list, i)
		}
	}
	return list
}

// set returns a state in which a record exists or does not. All records have their own
// contents.
func (s state) set(i int, present bool) state {
	after := state{present: slices.Clone(s.present)}
	after.present[i] = present
	return after
}

// insert, delete, swap and load return the state after a write. The argument chooses the
// records.

func (s state) insert(arg int) state {
	absent := s.indexes(false)
	if len(absent) == 0 {
		return s
	}
	return s.set(absent[arg%len(absent)], true)
}

func (s state) delete(arg int) state {
	present := s.indexes(true)
	if len(present) == 0 {
		return s
	}
	return s.set(present[arg%len(present)], false)
}

// swap exchanges the contents of two records, except their ids.
func (s state) swap(arg int) state {
	present := s.indexes(true)
	n := len(present)
	if n < 2 {
		return s
	}
	a := arg % n
	b := (a + 1 + arg/n%(n-1)) % n
	after := state{present: s.present, swapped: [2]int{present[a], present[b]}}
	for i := range s.present {
		after.contents = append(after.contents, s.contentsOf(i))
	}
	after.contents[present[a]], after.contents[present[b]] = s.contentsOf(present[b]), s.contentsOf(present[a])
	return after
}

// load replaces all records by others. An argument below 128 replaces one of them only,
// so that their number stays the same; of the records that a greater one loads, about
// seven of eight have existed before.
func (s state) load(arg int) state {
	present, absent := s.indexes(true), s.indexes(false)
	if arg < 128 && len(present) > 0 && len(absent) > 0 {
		return s.set(present[arg%8%len(present)], false).set(absent[arg/8%len(absent)], true)
	}
	rng := rand.New(rand.NewPCG(uint64(arg), 0))
	after := state{present: make([]bool, len(s.present))}
	for i, is := range s.present {
		after.present[i] = is == (rng.IntN(8) > 0)
	}
	return after
}

// contentsOf returns the index of the record whose contents a record has.
func (s state) contentsOf(i int) int {
	if s.contents == nil {
		return i
	}
	return s.contents[i]
}
