package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// errDiffers is the error of a store that returns a wrong answer.
var errDiffers = errors.New("wrong answer")

// fewRecords is the largest number of records with which answers are compared after
// each step.
const fewRecords = 10_000

// agree compares the answers of every store with sorted records: after loading,
// and after inserts, updates, a batch, and deletes. With more than fewRecords
// records it compares at the beginning and the end only. The steps leave the stores
// as they were.
func agree[T any](stores []store[T], d *data[T]) error {
	now := newExpected(d)
	half := len(d.moved) / 2
	steps := []struct {
		name  string
		write func(store[T])
	}{
		{"as loaded", func(store[T]) {}},
		{"after inserts", func(s store[T]) {
			for i := range d.fresh {
				s.put(d.fresh[i:i+1], true)
			}
		}},
		{"after updates", func(s store[T]) {
			for i := range half {
				s.put(d.moved[i:i+1], false)
			}
		}},
		{"after a batch", func(s store[T]) { s.put(d.moved[half:], false) }},
		{"after deletes", func(s store[T]) {
			for i := range d.fresh {
				s.delete(d.kind.idOf(&d.fresh[i]))
			}
		}},
		{"after undoing all writes", func(s store[T]) { s.put(d.still, false) }},
	}
	for i, step := range steps {
		step.write(now)
		for _, s := range stores {
			step.write(s)
		}
		if len(d.records) > fewRecords && 0 < i && i < len(steps)-1 {
			continue
		}
		if err := now.compareAll(stores); err != nil {
			return fmt.Errorf("%s: %w: %w", step.name, errDiffers, err)
		}
	}
	return nil
}

// unchanged checks that every store holds the records that it was loaded with.
func unchanged[T any](stores []store[T], d *data[T]) error {
	if err := newExpected(d).compareAll(stores); err != nil {
		return fmt.Errorf("at the end: %w: %w", errDiffers, err)
	}
	return nil
}

// expected has the correct answers. It implements the writes of a store only.
type expected[T any] struct {
	store[T] // nil
	kind     *kind[T]
	byID     map[int]*item[T]
	lists    [][]*item[T] // by order, as of the last call of compareAll
}

func newExpected[T any](d *data[T]) *expected[T] {
	x := &expected[T]{kind: d.kind, byID: map[int]*item[T]{}}
	x.put(d.records, true)
	return x
}

func (x *expected[T]) put(records []item[T], _ bool) {
	for i := range records {
		x.byID[x.kind.idOf(&records[i])] = &records[i]
	}
}

func (x *expected[T]) delete(id int) { delete(x.byID, id) }

// compareAll compares the answers of every store: pages at many depths, and records by id.
func (x *expected[T]) compareAll(stores []store[T]) error {
	x.lists = nil
	for i := range x.kind.orders {
		list := make([]*item[T], 0, len(x.byID))
		for _, r := range x.byID {
			list = append(list, r)
		}
		slices.SortFunc(list, x.kind.compare(i))
		x.lists = append(x.lists, list)
		if i > 0 {
			list = slices.Clone(list)
			slices.Reverse(list)
			x.lists = append(x.lists, list)
		}
	}
	for _, s := range stores {
		if err := x.compare(s); err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	return nil
}

// fullPages is the number of offsets at which records are compared, not only ids.
const fullPages = 5

func (x *expected[T]) compare(s store[T]) error {
	n := len(x.byID)
	for o := range order(len(x.lists)) {
		for i, offset := range x.offsets(s) {
			start, end := bounds(offset, n)
			want := x.lists[o][start:end]
			if err := x.comparePage(s, o, offset, want, i < fullPages); err != nil {
				return fmt.Errorf("page at offset %d of %d by %s: %w", offset, n, o, err)
			}
		}
	}
	for _, id := range []int{0, 1, n / 2, n, n + 1, n + 2*batchSize} {
		got, ok := s.get(id)
		want, wanted := x.byID[id]
		if ok != wanted || ok && !same(want, got) {
			return fmt.Errorf("id %d: want %v, got %v, found %t", id, want, got, ok)
		}
	}
	return nil
}

// offsets returns offsets near both ends, past the end, and at random. If s sorts
// many records for each page, it returns one.
func (x *expected[T]) offsets(s store[T]) []int {
	n := len(x.byID)
	last := max(n-pageSize, 0)
	offsets := []int{n / 3, last, n, 0, pageSize - 1}
	offsets = append(offsets, 1, pageSize, pageSize+1, n/2, max(last-1, 0), last+1, n-1, n+1)
	if s.name() == "sort" && n > 2*fewRecords {
		return offsets[:1]
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for range 6 {
		offsets = append(offsets, rng.IntN(n))
	}
	return offsets
}

func (x *expected[T]) comparePage(s store[T], o order, offset int, want []*item[T], full bool) error {
	p, n := new(page[T]), len(x.byID)
	count := s.view(p, o, offset)
	if wantIDs, ids := each(want, x.kind.idOf), p.ids(x.kind); !slices.Equal(wantIDs, ids) || count != n {
		return fmt.Errorf("want ids %v of %d, got %v of %d", wantIDs, n, ids, count)
	}
	if !full {
		return nil
	}
	if got, count := copies(s, x.kind, p, o, offset); !slices.EqualFunc(want, got, same) || count != n {
		return fmt.Errorf("want copies %v of %d, got %v of %d", want, n, got, count)
	}
	if s, ok := any(s).(store[event]); ok {
		events := each(want, func(r *item[T]) T { return r.value })
		wantJSON := encodedPage(o, offset, n, events)
		if got := envelope(nil, s, new(page[event]), o, offset); !bytes.Equal(wantJSON, got) {
			return fmt.Errorf("want envelope\n%s\ngot\n%s", wantJSON, got)
		}
	}
	return nil
}

// same reports whether two records have the same JSON.
func same[T any](want *item[T], got T) bool { return bytes.Equal(marshal(want.value), marshal(got)) }
