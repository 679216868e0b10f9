package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

type event = resources.Event

// item is a record as the peers keep it. Only events have JSON, which the peers receive
// and the library makes itself.
type item[T any] struct {
	value T
	json  []byte
}

// kind describes a type of record to the stores.
type kind[T any] struct {
	open   func() (*catalogue.Collection[T], error) // an empty collection
	first  []ordering.Term                          // orders[0], unless it is the collection's default
	id     func(*T) *int
	clone  func(T) T
	orders []recordOrder[T]

	unique  func(*T) string      // a slug; nil if none exists
	columns []string             // of SQLite, after the id
	values  func(*item[T]) []any // the id and the columns
}

// recordOrder is an order of records, in which ties break by id.
type recordOrder[T any] struct {
	field   string
	compare func(a, b *T) int             // but for ties
	key     func(dst []byte, r *T) []byte // of a radix tree; sorts as compare does
}

func (k *kind[T]) stored(r *item[T]) *item[T] { return &item[T]{k.clone(r.value), r.json} }

func (k *kind[T]) idOf(r *item[T]) int { return *k.id(&r.value) }

// compare returns the comparison of items in an order, which breaks ties.
func (k *kind[T]) compare(order int) func(a, b *item[T]) int {
	f := k.orders[order].compare
	return func(a, b *item[T]) int {
		if c := f(&a.value, &b.value); c != 0 {
			return c
		}
		return k.idOf(a) - k.idOf(b)
	}
}

func number(dst []byte, n int) []byte { return binary.BigEndian.AppendUint64(dst, uint64(n)) }

func text(dst []byte, s string) []byte { return append(append(dst, s...), 0) }

func eventKind() *kind[event] {
	return &kind[event]{
		open: func() (*catalogue.Collection[event], error) {
			c, err := resources.New()
			if err != nil {
				return nil, err
			}
			return resources.Events.In(c)
		},
		id:    func(e *event) *int { return &e.ID },
		clone: cloneOf,
		orders: []recordOrder[event]{
			{"start_date", compareStart, func(dst []byte, e *event) []byte {
				return number(dst, int(e.StartDate.UnixMicro()))
			}},
			{"name", compareName, func(dst []byte, e *event) []byte { return text(dst, e.Name) }},
		},
		columns: []string{"start_date INTEGER NOT NULL", "name TEXT NOT NULL", "json BLOB NOT NULL"},
		values: func(r *item[event]) []any {
			return []any{r.value.ID, r.value.StartDate.UnixMicro(), r.value.Name, r.json}
		},
	}
}

func cloneOf(e event) event {
	e.Labels, e.Authors = slices.Clone(e.Labels), slices.Clone(e.Authors)
	return e
}

func compareStart(a, b *event) int { return a.StartDate.Compare(b.StartDate.Time) }

func compareName(a, b *event) int { return strings.Compare(a.Name, b.Name) }

// plainEvent is an event without methods, like a struct of a program's own.
type plainEvent event

func plainKind() *kind[plainEvent] {
	compare := func(f func(a, b *event) int) func(a, b *plainEvent) int {
		return func(a, b *plainEvent) int { return f((*event)(a), (*event)(b)) }
	}
	return &kind[plainEvent]{
		open: func() (*catalogue.Collection[plainEvent], error) {
			return catalogue.NewCollection[plainEvent](catalogue.Options{Ordering: []ordering.Term{ordering.Asc("start_date")}})
		},
		id:     func(p *plainEvent) *int { return &p.ID },
		clone:  func(p plainEvent) plainEvent { return plainEvent(cloneOf(event(p))) },
		orders: []recordOrder[plainEvent]{{"start_date", compare(compareStart), nil}, {"name", compare(compareName), nil}},
	}
}

// book is a small record. Its size is about 100 bytes, including its strings.
type book struct {
	ID        int    `json:"id"`
	Slug      string `json:"slug"`  // unique
	Start     int    `json:"start"` // a day; several books start on each
	Available bool   `json:"available"`
	Name      string `json:"name"`
}

// bookKind describes books that are found by their fields.
func bookKind() *kind[book] {
	return &kind[book]{
		open: func() (*catalogue.Collection[book], error) {
			return catalogue.NewCollection[book](catalogue.Options{
				Unique:  [][]string{{"slug"}},
				Indexes: [][]ordering.Term{{ordering.Asc("available"), ordering.Asc("start")}},
			})
		},
		first: []ordering.Term{ordering.Asc("start")},
		id:    func(b *book) *int { return &b.ID },
		clone: func(b book) book { return b },
		orders: []recordOrder[book]{
			{"start", compareDay, func(dst []byte, b *book) []byte { return number(dst, b.Start) }},
			{"name", compareTitle, func(dst []byte, b *book) []byte { return text(dst, b.Name) }},
		},
		unique:  func(b *book) string { return b.Slug },
		columns: []string{"slug TEXT UNIQUE", "start INTEGER", "available INTEGER", "name TEXT", "json BLOB"},
		values: func(r *item[book]) []any {
			b := &r.value
			return []any{b.ID, b.Slug, b.Start, b.Available, b.Name, marshal(b)}
		},
	}
}

func compareDay(a, b *book) int { return cmp.Compare(a.Start, b.Start) }

func compareTitle(a, b *book) int { return strings.Compare(a.Name, b.Name) }

// batchSize is the number of records that a batch writes.
const batchSize = 1000

// data is the input of a comparison, the same for all stores.
type data[T any] struct {
	kind    *kind[T]
	records []item[T] // with ids 1 to n
	fresh   []item[T] // records that are not stored; their ids follow
	moved   []item[T] // some of the stored records at other places of orders[0], in random order
	still   []item[T] // the same records as they are stored
	offsets []int     // random offsets of whole pages
	ids     []int     // random ids
}

// newData returns data with the records from the first to the nth; the others are fresh.
func newData[T any](k *kind[T], rng *rand.Rand, all []item[T], n int, move func(*item[T])) *data[T] {
	d := &data[T]{kind: k, records: all[:n], fresh: all[n:]}
	for _, i := range rng.Perm(n)[:min(n, batchSize)] {
		moved := *k.stored(&all[i])
		move(&moved)
		d.moved, d.still = append(d.moved, moved), append(d.still, all[i])
	}
	for range 1 << 16 {
		d.offsets = append(d.offsets, rng.IntN(max(n-pageSize, 0)+1))
		d.ids = append(d.ids, 1+rng.IntN(n))
	}
	return d
}

func newEvents(n int) *data[event] {
	g := generator{rng: rand.New(rand.NewPCG(7, uint64(n))), n: n}
	var all []item[event]
	for id := 1; id <= n+batchSize; id++ {
		all = append(all, g.event(id))
	}
	return newData(eventKind(), g.rng, all, n, func(r *item[event]) {
		r.value.StartDate = g.date()
		*r = wire(r.value)
	})
}

// plainEvents returns the same data with events without methods.
func plainEvents(d *data[event]) *data[plainEvent] {
	convert := func(list []item[event]) []item[plainEvent] {
		return each(list, func(r item[event]) item[plainEvent] { return item[plainEvent]{value: plainEvent(r.value)} })
	}
	return &data[plainEvent]{
		plainKind(), convert(d.records), convert(d.fresh), convert(d.moved), convert(d.still), d.offsets, d.ids,
	}
}

// booksADay is the number of books that start on each day.
const booksADay = 4

func newBooks(n int) *data[book] {
	g := generator{rng: rand.New(rand.NewPCG(17, uint64(n))), n: n}
	days := max(n/booksADay, 2)
	numbers, starts := g.rng.Perm(n), g.rng.Perm(n)
	all := make([]item[book], n)
	for i := range all {
		all[i].value = book{
			ID:        1 + i,
			Slug:      fmt.Sprintf("a-book-of-the-list-%07d", numbers[i]),
			Start:     starts[i] % days,
			Available: g.rng.IntN(2) == 0,
			Name:      fmt.Sprintf("%s %s %07d", g.word(), g.word(), g.rng.IntN(n)),
		}
	}
	return newData(bookKind(), g.rng, all, n, func(r *item[book]) { r.value.Start = g.rng.IntN(days) })
}

// generator makes events whose order by id is neither that by date nor that by
// name. Some dates and some names are equal.
type generator struct {
	rng *rand.Rand
	n   int
}

func (g generator) event(id int) item[event] {
	name := fmt.Sprintf("%s %s %d", g.word(), g.word(), g.rng.IntN(g.n))
	start := g.date()
	poster := fmt.Sprintf("https://cdn.example.org/media/poster/%08x", g.rng.Uint32())
	return wire(event{
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
	words := [...]string{
		"Reading", "Signing", "Evening", "Workshop", "Talk", "Dialogue", "Festival", "Breakfast", "Lecture", "Tour",
	}
	return words[g.rng.IntN(len(words))]
}

// date returns a time within two years, in one of four zones.
func (g generator) date() schema.DateTime {
	zone := time.FixedZone("", 3600*g.rng.IntN(4))
	first := time.Date(2025, 5, 10, 18, 0, 0, 0, zone)
	return schema.At(first.Add(time.Duration(g.rng.IntN(1<<20)) * time.Minute))
}

// wire returns a value with its JSON.
func wire[T any](value T) item[T] { return item[T]{value, marshal(value)} }

// marshal returns JSON in which <, > and & are not escaped.
func marshal(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(e.Encode(value))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
