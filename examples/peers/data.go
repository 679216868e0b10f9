package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// batchSize is the number of records that a batch writes.
const batchSize = 1000

// data is the input of a comparison, the same for all stores.
type data struct {
	records []record // with ids 1 to n; the ids of changes.fresh follow
	changes[record]
	offsets []int // random offsets of whole pages
	ids     []int // random ids
}

func newData(n int) *data {
	g := generator{rng: rand.New(rand.NewPCG(7, uint64(n))), n: n}
	d := &data{}
	d.id = func(r *record) int { return r.event.ID }
	for id := 1; id <= n; id++ {
		d.records = append(d.records, g.record(id))
	}
	for id := n + 1; id <= n+batchSize; id++ {
		d.fresh = append(d.fresh, g.record(id))
	}
	for _, i := range g.rng.Perm(n)[:min(n, batchSize)] {
		e := cloneOf(d.records[i].event)
		e.StartDate = g.date()
		d.moved = append(d.moved, wire(e))
		d.still = append(d.still, d.records[i])
	}
	for range 1 << 16 {
		d.offsets = append(d.offsets, g.rng.IntN(max(n-pageSize, 0)+1))
		d.ids = append(d.ids, 1+g.rng.IntN(n))
	}
	return d
}

// generator makes events whose order by id is neither that by date nor that by
// name. Some dates and some names are equal.
type generator struct {
	rng *rand.Rand
	n   int
}

func (g generator) record(id int) record {
	name := fmt.Sprintf("%s %s %d", g.word(), g.word(), g.rng.IntN(g.n))
	start := g.date()
	poster := fmt.Sprintf("https://cdn.example.org/media/poster/%08x", g.rng.Uint32())
	return wire(resources.Event{
		ID:          id,
		Name:        name,
		Slug:        strings.ReplaceAll(strings.ToLower(name), " ", "-"),
		Summary:     "An evening with the author and the translator",
		Description: "<p>" + strings.Repeat("The author reads from the new book. ", 6+g.rng.IntN(6)) + "</p>",
		Location:    "Literaturhaus " + g.word(),
		StartDate:   start,
		EndDate:     schema.At(start.Add(time.Duration(1+g.rng.IntN(72)) * time.Hour)),
		Published:   g.rng.IntN(6) > 0,
		Poster:      poster + ".jpg",
		PosterWebp:  poster + ".webp",
		Labels:      []int{1 + g.rng.IntN(20)},
		Authors:     []int{1 + g.rng.IntN(50), 51 + g.rng.IntN(50)},
	})
}

func (g generator) word() string {
	words := [...]string{"Reading", "Signing", "Evening", "Workshop", "Talk", "Dialogue", "Festival", "Breakfast", "Lecture", "Tour"}
	return words[g.rng.IntN(len(words))]
}

// date returns a time within two years, in one of four zones.
func (g generator) date() schema.DateTime {
	zone := time.FixedZone("", 3600*g.rng.IntN(4))
	first := time.Date(2025, 5, 10, 18, 0, 0, 0, zone)
	return schema.At(first.Add(time.Duration(g.rng.IntN(1<<20)) * time.Minute))
}

// wire returns an event with its JSON.
func wire(e resources.Event) record {
	text, err := marshal(e)
	check(err)
	return record{e, text}
}
