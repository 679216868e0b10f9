package store

import (
	"cmp"
	"context"
	"runtime"
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

// column returns the column for a word of a part, whose first item is given. Making it takes about
// as long as looking for the word in the entries. The columns of a part take at most maxPerRecord bytes
// for each entry.
func (t *tree[K]) column(p *part[K], first item[K], w *Word) *column {
	before := p.columns.Load()
	for c := before; c != nil; c = c.next {
		if c.field == w.Field {
			return c
		}
	}
	c := &column{field: w.Field, ends: make([]uint32, 0, p.n), next: before}
	if before != nil {
		c.size = before.size
	}
	room, most := make([]byte, 0, 32*p.n), (maxPerRecord-4)*p.n-c.size
	t.items.Ascend(first, func(it item[K]) bool {
		if text, ok := w.Text(it.entry); ok {
			room = append(append(room, strings.ToUpper(text)...), mark)
		}
		c.ends = append(c.ends, uint32(len(room)))
		return len(room) <= most && len(c.ends) < p.n
	})
	if len(room) > most {
		c.ends = nil
	} else {
		c.texts, c.size = string(room), c.size+len(room)+4*p.n
	}
	p.columns.CompareAndSwap(before, c)
	return c
}

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

// look returns the entries that have some words. It reads the texts of parts. The error is
// ctx.Err() or Err of the turn.
func (t *tree[K]) look(ctx context.Context, words *Words, turn *Turn) (*hits, error) {
	if t.parts.directory.Load() == nil { // a search costs more than to make it
		t.parts.reads.Add(int32(4 + t.len()>>10))
	}
	d := t.divided()
	for ; d == nil; d = t.divided() { // until all writes are applied
		if err := cmp.Or(ctx.Err(), turn.Pause()); err != nil {
			return nil, err
		}
	}
	found, at, size := &hits{key: words.Key, bits: make([]uint64, t.len()/64+1)}, 0, 0
	var room [maxPart]int
	for _, g := range d.chunks {
		for i, p := range g.parts {
			counts := room[:p.n]
			clear(counts)
			for list, some := range words.Lists {
				for j := range some {
					sure := t.column(p, g.firsts[i], &some[j]).find(some[j].Word, list, counts)
					found.loose = found.loose || !sure
				}
			}
			for _, lists := range counts {
				if lists == len(words.Lists) {
					found.bits[at/64] |= 1 << (at % 64)
					found.n++
				}
				at++
			}
			size += p.columns.Load().size
			if err := cmp.Or(ctx.Err(), turn.Pause()); err != nil {
				return nil, err
			}
		}
		runtime.Gosched() // reading the texts of a chunk takes as long as some requests
	}
	d.texts.Store(int64(size))
	d.unsearched.Store(0)
	return found, nil
}

// textSize returns the size of the texts in bytes, as of the last search.
func (t *tree[K]) textSize() int {
	if d := t.parts.directory.Load(); d != nil {
		return int(d.texts.Load())
	}
	return 0
}

// search returns the entries that have some words. The counts and the other pages of the last words of a
// state need no search. The error is ctx.Err() or Err of the turn.
func (s *State) search(ctx context.Context, words *Words, turn *Turn) (*hits, error) {
	if found := s.hits.Load(); found != nil && found.key == words.Key {
		return found, nil
	}
	found, err := s.primary.look(ctx, words, turn)
	if found != nil && s.frozen.Load() {
		s.hits.Store(found)
	}
	return found, err
}

// entries returns the entries by id.
func (h *hits) entries(by primary) []*Entry {
	list := make([]*Entry, 0, h.n)
	for i, word := range h.bits {
		if word == 0 {
			continue
		}
		by.ids(64*i, 64, false, func(_ int, e *Entry) bool {
			if word&1 != 0 {
				list = append(list, e)
			}
			word >>= 1
			return word != 0
		})
	}
	return list
}
