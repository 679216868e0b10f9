package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/resources"
)

func TestStoresAgree(t *testing.T) {
	for _, n := range []int{3, 21, 1500} {
		stores := settings(true, false).newStores(n)
		d := newData(n)
		for _, s := range stores {
			s.load(d.records)
		}
		if err := agree(stores, d); err != nil {
			t.Errorf("%d records: %v", n, err)
		}
		closeAll(stores)
	}
}

// faulty is a store with one wrong method.
type faulty struct {
	store
	fault string
}

func (f faulty) ids(p *pageBuffer) []int {
	ids := f.store.ids(p)
	if f.fault == "view" && len(ids) > 1 {
		ids[0], ids[1] = ids[1], ids[0]
	}
	return ids
}

func (f faulty) copies(o order, offset int) ([]resources.Event, int) {
	events, count := f.store.copies(o, offset)
	if f.fault == "copies" && len(events) > 0 {
		events[0].Slug = "another"
	}
	return events, count
}

func (f faulty) envelope(dst []byte, o order, offset int) []byte {
	dst = f.store.envelope(dst, o, offset)
	if f.fault == "envelope" {
		return append(dst, '\n')
	}
	return dst
}

func (f faulty) count() int {
	if f.fault == "count" {
		return f.store.count() - 1
	}
	return f.store.count()
}

func (f faulty) get(id int) (resources.Event, bool) {
	if f.fault == "get" {
		id = min(id, 1)
	}
	return f.store.get(id)
}

func (f faulty) update(r *record) {
	if f.fault != "update" {
		f.store.update(r)
	}
}

func TestWrongAnswers(t *testing.T) {
	d := newData(50)
	for _, row := range []struct{ fault, want string }{
		{"view", "slice as loaded: wrong answer: page at offset "},
		{"copies", "slice as loaded: wrong answer: page at offset 16 of 50 by date: copy 0: want {"},
		{"envelope", "slice as loaded: wrong answer: page at offset 16 of 50 by date: want envelope"},
		{"count", "slice as loaded: wrong answer: want 50 records, got 49"},
		{"get", "slice as loaded: wrong answer: id 25: want {"},
		{"update", "slice after updates: wrong answer: page at offset "},
	} {
		s := faulty{newSlice(), row.fault}
		s.load(d.records)
		err := agree([]store{s}, d)
		if !errors.Is(err, errDiffers) || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: agree = %v, want an error with prefix %q", row.fault, err, row.want)
		}
	}
}

// TestRecordSize checks the size of 600 to 1,000 bytes in the package documentation.
func TestRecordSize(t *testing.T) {
	for _, r := range newData(1000).records {
		if len(r.json) < 600 || len(r.json) > 1000 {
			t.Fatalf("%d bytes: %s", len(r.json), r.json)
		}
	}
}
