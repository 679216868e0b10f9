package main

import (
	"fmt"
	"math/rand/v2"
)

// book is a record that is found by its fields. Its size is about 100 bytes, including
// its strings.
type book struct {
	ID        int    `json:"id"`
	Slug      string `json:"slug"`  // unique
	Start     int    `json:"start"` // a day; several books start on each
	Available bool   `json:"available"`
	Name      string `json:"name"`
}

// span is the days from one to another, without the latter.
type span struct{ from, to int }

// booksADay is the number of books that start on each day.
const booksADay = 4

// shelf is the input of the measurements of finding, the same for all finders.
type shelf struct {
	books []book // with ids 1 to n
	changes[book]
	spans    []span   // each has half of the books
	slugs    []string // random
	prefixes []string // of names; each has about a hundredth of the books
}

func newShelf(n int) *shelf {
	g := generator{rng: rand.New(rand.NewPCG(17, uint64(n))), n: n}
	days := max(n/booksADay, 2)
	numbers, starts := g.rng.Perm(n), g.rng.Perm(n)
	s := &shelf{}
	s.id = func(b *book) int { return b.ID }
	for i := range n {
		name := g.word() + " " + g.word()
		s.books = append(s.books, book{
			ID:        1 + i,
			Slug:      fmt.Sprintf("a-book-of-the-list-%07d", numbers[i]),
			Start:     starts[i] % days,
			Available: g.rng.IntN(2) == 0,
			Name:      fmt.Sprintf("%s %07d", name, g.rng.IntN(n)),
		})
	}
	for _, i := range g.rng.Perm(n)[:min(n, batchSize)] {
		b := s.books[i]
		b.Start = g.rng.IntN(days)
		s.moved = append(s.moved, b)
		s.still = append(s.still, s.books[i])
	}
	for range 1 << 12 {
		from := g.rng.IntN(days - days/2)
		s.spans = append(s.spans, span{from, from + days/2})
		s.prefixes = append(s.prefixes, g.word()+" "+g.word())
	}
	for range 1 << 16 {
		s.slugs = append(s.slugs, s.books[g.rng.IntN(n)].Slug)
	}
	return s
}

// depth is the offset of the page in the middle of a span.
func (s *shelf) depth() int { return len(s.books) / 4 }
