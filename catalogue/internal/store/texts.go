package store

import (
	"strings"
)

// Words are what Match of a query demands of texts: one word of each list.
type Words struct {
	Lists [][]Word // Match holds only for entries that have these
	Loose bool     // Match does not hold for all that have them
	Key   string   // the same words have the same
}

// A Word is what a text of an entry must contain.
type Word struct {
	Word  string // UTF-8 in upper case, not empty
	Field string // of the text
	// Text returns the text, in any letters, and reports whether there is one. It must return the same for
	// equal records, and must be safe for concurrent use.
	Text func(e *Entry) (text string, ok bool)
}

// A column has the texts of a field of the entries of a part one after the other, so that a search
// need not read the entries.
type column struct {
	field string
	texts string   // in upper case, each followed by mark
	ends  []uint32 // of the text of each entry; nil if the texts are too large
	next  *column  // of another field
	size  int      // in bytes, with those that follow
}

// mark is a byte that UTF-8 does not have.
const mark = '\xff'

// find counts a list for the entries that have a word of it, and one of each list before. If the texts
// are too large, each entry may have the word, and find returns false.
func (c *column) find(word string, list int, counts []int) (sure bool) {
	for i, at := 0, 0; i < len(counts); i++ {
		if c.ends != nil {
			next := strings.Index(c.texts[at:], word)
			if next < 0 {
				break
			}
			for int(c.ends[i]) <= at+next {
				i++
			}
			at = int(c.ends[i])
		}
		if counts[i] == list {
			counts[i]++
		}
	}
	return c.ends != nil
}

// hits are the entries that have the words of a search: a bit for each position in the order by id.
type hits struct {
	key   string // of the words
	bits  []uint64
	n     int
	loose bool // some may not have them, because texts are too large
}
