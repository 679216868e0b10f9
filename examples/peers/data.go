package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/gobacklist/backlist/resources"
)

// batchSize is how many records a batch writes.
const batchSize = 1000

// data is what all stores are given: the same records and the same choices.
type data struct {
	records []record // ids 1 to n; fresh ones are from n+1 on
	changes[record]
	offsets []int // random offsets of whole pages
	ids     []int // random ids
}

func newData(n int) *data {
	m := maker{rng: rand.New(rand.NewPCG(7, uint64(n))), n: n}
	d := &data{}
	d.id = func(r *record) int { return r.event.ID }
	for id := 1; id <= n; id++ {
		d.records = append(d.records, m.record(id))
	}
	for id := n + 1; id <= n+batchSize; id++ {
		d.fresh = append(d.fresh, m.record(id))
	}
	for _, i := range m.rng.Perm(n)[:min(n, batchSize)] {
		e := d.records[i].event.Clone()
		e.StartDate = m.date()
		d.moved = append(d.moved, wire(e))
		d.still = append(d.still, d.records[i])
	}
	for range 1 << 16 {
		d.offsets = append(d.offsets, m.rng.IntN(max(n-pageSize, 0)+1))
		d.ids = append(d.ids, 1+m.rng.IntN(n))
	}
	return d
}

// maker makes events up: ids in the order of neither date nor name, some dates
// and some names alike.
type maker struct {
	rng *rand.Rand
	n   int
}

func (m maker) record(id int) record {
	name := fmt.Sprintf("%s %s %d", m.word(), m.word(), m.rng.IntN(m.n))
	start := m.date()
	poster := fmt.Sprintf("https://cdn.example.org/media/poster/%08x", m.rng.Uint32())
	return wire(resources.Event{
		ID:          id,
		Name:        name,
		Slug:        strings.ReplaceAll(strings.ToLower(name), " ", "-"),
		Summary:     "An evening with the author and the translator",
		Description: "<p>" + strings.Repeat("The author reads from the new book. ", 6+m.rng.IntN(6)) + "</p>",
		Location:    "Literaturhaus " + m.word(),
		StartDate:   start,
		EndDate:     resources.At(start.Add(time.Duration(1+m.rng.IntN(72)) * time.Hour)),
		Published:   m.rng.IntN(6) > 0,
		Poster:      poster + ".jpg",
		PosterWebp:  poster + ".webp",
		Labels:      []int{1 + m.rng.IntN(20)},
		Authors:     []int{1 + m.rng.IntN(50), 51 + m.rng.IntN(50)},
	})
}

func (m maker) word() string {
	words := [...]string{"Reading", "Signing", "Evening", "Workshop", "Talk", "Dialogue", "Festival", "Breakfast", "Lecture", "Tour"}
	return words[m.rng.IntN(len(words))]
}

// date is within two years, in one of several offsets.
func (m maker) date() resources.DateTime {
	zone := time.FixedZone("", 3600*m.rng.IntN(4))
	first := time.Date(2025, 5, 10, 18, 0, 0, 0, zone)
	return resources.At(first.Add(time.Duration(m.rng.IntN(1<<20)) * time.Minute))
}

func wire(e resources.Event) record {
	text, err := e.MarshalJSON()
	check(err)
	return record{e, text}
}
