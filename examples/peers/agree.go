package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gobacklist/backlist/resources"
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
func agree(stores []store, d *data) error {
	now := newExpected(d.records)
	steps := []struct {
		name  string
		write func(store)
	}{
		{"as loaded", func(store) {}},
		{"after inserts", func(s store) {
			for i := range d.fresh {
				s.insert(&d.fresh[i])
			}
		}},
		{"after updates", func(s store) {
			for i := range d.moved[:len(d.moved)/2] {
				s.update(&d.moved[i])
			}
		}},
		{"after a batch", func(s store) { s.batch(d.moved[len(d.moved)/2:]) }},
		{"after deletes", func(s store) {
			for i := range d.fresh {
				s.delete(d.fresh[len(d.fresh)-1-i].event.ID)
			}
		}},
		{"after undoing all writes", func(s store) { s.batch(d.still) }},
	}
	for i, step := range steps {
		compared := len(d.records) <= fewRecords || i == 0 || i == len(steps)-1
		step.write(now)
		if compared {
			now.sort()
		}
		for _, s := range stores {
			step.write(s)
			if !compared {
				continue
			}
			if err := now.compare(s); err != nil {
				return fmt.Errorf("%s %s: %w: %w", s.name(), step.name, errDiffers, err)
			}
		}
	}
	return nil
}

// unchanged checks that every store holds the records that it was loaded with.
func unchanged(stores []store, d *data) error {
	now := newExpected(d.records)
	now.sort()
	for _, s := range stores {
		if err := now.compare(s); err != nil {
			return fmt.Errorf("%s at the end: %w: %w", s.name(), errDiffers, err)
		}
	}
	return nil
}

// expected has the correct answers. It implements the writes of a store only. The
// lists are correct after a call of sort.
type expected struct {
	store // nil
	byID  map[int]*record
	lists [orders][]*record
}

func newExpected(records []record) *expected {
	x := &expected{byID: map[int]*record{}}
	x.batch(records)
	return x
}

func (x *expected) insert(r *record) { x.byID[r.event.ID] = r }
func (x *expected) update(r *record) { x.byID[r.event.ID] = r }
func (x *expected) delete(id int)    { delete(x.byID, id) }

func (x *expected) batch(records []record) {
	for i := range records {
		x.update(&records[i])
	}
}

func (x *expected) sort() {
	list := make([]*record, 0, len(x.byID))
	for _, r := range x.byID {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *record) int {
		return cmp.Or(a.event.StartDate.Compare(b.event.StartDate.Time), a.event.ID-b.event.ID)
	})
	x.lists[byStart] = slices.Clone(list)
	slices.SortFunc(list, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.event.Name, b.event.Name), a.event.ID-b.event.ID)
	})
	x.lists[byName] = slices.Clone(list)
	slices.Reverse(list)
	x.lists[byNameDown] = list
}

// compare compares the answers of s: pages at many depths, and records by id.
func (x *expected) compare(s store) error {
	n := len(x.byID)
	if got := s.count(); got != n {
		return fmt.Errorf("want %d records, got %d", n, got)
	}
	for o := range order(orders) {
		for i, offset := range x.offsets(s) {
			err := x.compareView(s, o, offset)
			if err == nil && i < fullPages {
				err = x.compareContent(s, o, offset)
			}
			if err != nil {
				return fmt.Errorf("page at offset %d of %d by %s: %w", offset, n, o, err)
			}
		}
	}
	for _, id := range []int{0, 1, n / 2, n, n + 1, n + 2*batchSize} {
		if err := x.compareRecord(s, id); err != nil {
			return fmt.Errorf("id %d: %w", id, err)
		}
	}
	return nil
}

// offsets returns offsets near both ends, past the end, and at random. If s sorts
// many records for each page, it returns one.
func (x *expected) offsets(s store) []int {
	n := len(x.byID)
	last := max(n-pageSize, 0)
	offsets := []int{n / 3, last, n, 0, pageSize - 1, 1, pageSize, pageSize + 1, n / 2, max(last-1, 0), last + 1, n - 1, n + 1}
	if _, slow := s.(*sortStore); slow && n > 20_000 {
		return offsets[:1]
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for range 6 {
		offsets = append(offsets, rng.IntN(n))
	}
	return offsets
}

func (x *expected) page(o order, offset int) []*record {
	start, end := bounds(offset, len(x.byID))
	return x.lists[o][start:end]
}

func (x *expected) compareView(s store, o order, offset int) error {
	want := x.page(o, offset)
	var p pageBuffer
	count := s.view(&p, o, offset)
	if wantIDs, ids := idsOf(want), s.ids(&p); !slices.Equal(wantIDs, ids) || count != len(x.byID) {
		return fmt.Errorf("want ids %v of %d, got %v of %d", wantIDs, len(x.byID), ids, count)
	}
	return nil
}

// fullPages is the number of offsets at which records are compared, not only ids.
const fullPages = 5

func (x *expected) compareContent(s store, o order, offset int) error {
	want := x.page(o, offset)
	events, count := s.copies(o, offset)
	if len(events) != len(want) || count != len(x.byID) {
		return fmt.Errorf("want %d copies of %d, got %d of %d", len(want), len(x.byID), len(events), count)
	}
	for i, e := range events {
		if err := compareJSON(want[i], e); err != nil {
			return fmt.Errorf("copy %d: %w", i, err)
		}
	}
	wantJSON := appendPage(nil, o, offset, len(x.byID), want)
	if got := s.envelope(nil, o, offset); !bytes.Equal(wantJSON, got) {
		return fmt.Errorf("want envelope\n%s\ngot\n%s", wantJSON, got)
	}
	return nil
}

func (x *expected) compareRecord(s store, id int) error {
	want, wanted := x.byID[id]
	got, ok := s.get(id)
	if ok != wanted {
		return fmt.Errorf("want found %t, got %t", wanted, ok)
	}
	if !ok {
		return nil
	}
	return compareJSON(want, got)
}

func compareJSON(want *record, got resources.Event) error {
	if text := wire(got).json; !bytes.Equal(want.json, text) {
		return fmt.Errorf("want %s, got %s", want.json, text)
	}
	return nil
}

func idsOf(page []*record) []int {
	ids := make([]int, len(page))
	for i, r := range page {
		ids[i] = r.event.ID
	}
	return ids
}
