package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// small is a record of about 100 bytes, including its strings.
type small struct {
	ID     int             `json:"id"`
	Name   string          `json:"name"`
	Number float64         `json:"number"`
	Date   schema.DateTime `json:"date"`
}

func smallType() recordType[small] {
	return recordType[small]{
		id:     func(r *small) *int { return &r.ID },
		copy:   func(r *small) small { return *r },
		orders: []func(a, b *small) int{compareDate},
		names:  []string{"date"},
	}
}

func compareDate(a, b *small) int {
	if c := a.Date.Compare(b.Date.Time); c != 0 {
		return c
	}
	return a.ID - b.ID
}

// newSmallRecords returns records with consecutive ids and random dates.
func newSmallRecords(first, n int) []small {
	rng := rand.New(rand.NewPCG(11, uint64(first)))
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	all := make([]small, n)
	for i := range all {
		all[i] = small{
			ID:     first + i,
			Name:   fmt.Sprintf("An item of the list %010d", first+i),
			Number: float64(rng.IntN(100_000)) / 100,
			Date:   schema.At(start.Add(time.Duration(rng.Int64N(1<<30)) * time.Second)),
		}
	}
	return all
}

// smallRecords measures small records in large numbers, with one store in memory at
// a time. Its ratios are between figures that were not measured in turns.
func smallRecords(s setup, t *table) {
	if s.small == 0 {
		return
	}
	records := newSmallRecords(1, s.small)
	fresh := newSmallRecords(s.small+1, batchSize)
	constructors := []func(recordType[small]) typedStore[small]{newTypedBacklist[small], newTypedBTree[small], newSmallSlice}
	if s.partner != nil && s.partner.follows {
		constructors = constructors[:1]
	}
	defer debug.FreeOSMemory()
	samples := s.sample(1, len(constructors), func(i int) []float64 {
		return measureSmall(s.alone(), constructors[i], records, fresh)
	})
	names := columns(s, []string{"backlist", "btree", "slice"}[:len(constructors)], "before")
	sec := section{title: fmt.Sprintf("SMALL RECORDS, %s OF THEM", thousands(len(records))), peers: names[1:]}
	row := func(figure int, what string, format func(float64) string, g goal) {
		sec.lines = append(sec.lines, values(what, names, pick(samples, figure), format, g))
	}
	row(0, "bulk load of structs, by id and date", duration, atMost(1.2, "btree"))
	row(1, "bytes a record beyond the record", whole, atMost(130, ""))
	row(2, "page by date, first (hot)", duration, atMost(0.6, "btree"))
	row(3, "page by date, last (hot)", duration, atMost(0.6, "btree"))
	row(4, "page by date, random", duration, atMost(0.2, "btree"))
	row(5, "insert, unread", duration, atMost(1.5, "btree"))
	t.add(sec)
}

// measureSmall loads a store and returns the nanoseconds of loading, the bytes per
// record, and the nanoseconds of pages and of an insert.
func measureSmall(s setup, create func(recordType[small]) typedStore[small], records, fresh []small) []float64 {
	debug.FreeOSMemory() // frees the store before
	before := heap()
	store := create(smallType())
	start := time.Now()
	store.load(records)
	load := float64(time.Since(start))
	bytes := (float64(heap())-float64(before))/float64(len(records)) - float64(unsafe.Sizeof(small{}))
	figures := []float64{load, bytes}
	rng := rand.New(rand.NewPCG(13, 13))
	random := make([]int, 1<<16)
	for i := range random {
		random[i] = rng.IntN(len(records) - pageSize)
	}
	for _, offsets := range [][]int{always(0), always(len(records) - pageSize), random} {
		figures = append(figures, median(s.timeRow([]work{readingPages(store, offsets)}, unbounded)[0]))
	}
	c := changes[small]{fresh: fresh, id: func(r *small) int { return r.ID }}
	return append(figures, median(s.garbage().timeRow([]work{inserting(store, c, noRead)}, unbounded)[0]))
}

func readingPages(s typedStore[small], offsets []int) work {
	at := cursor{list: offsets}
	return clocked(func(times int) {
		sum := 0
		for range times {
			sum += s.page(at.take())
		}
		runtime.KeepAlive(sum)
	})
}

// smallSlice is a slice sorted by date and a map by id. It has the measured methods
// only.
type smallSlice struct {
	typedStore[small] // nil
	byID              map[int]*small
	byDate            []*small
	seen              []*small
}

func newSmallSlice(recordType[small]) typedStore[small] { return &smallSlice{} }

func (s *smallSlice) load(records []small) {
	s.byID = make(map[int]*small, len(records))
	s.byDate = make([]*small, len(records))
	for i, r := range records {
		s.byID[r.ID], s.byDate[i] = &r, &r
	}
	slices.SortFunc(s.byDate, compareDate)
}

func (s *smallSlice) insert(r *small) {
	c := *r
	s.byID[c.ID] = &c
	s.byDate = inserted(s.byDate, &c, compareDate)
}

func (s *smallSlice) delete(id int) {
	s.byDate = removed(s.byDate, s.byID[id], compareDate)
	delete(s.byID, id)
}

func (s *smallSlice) page(offset int) (count int) {
	start, end := bounds(offset, len(s.byDate))
	s.seen = append(s.seen[:0], s.byDate[start:end]...)
	return len(s.byDate)
}
