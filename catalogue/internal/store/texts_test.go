package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// textWord returns a word of the text of a record.
func textWord(word string) Word {
	return Word{Word: word, Field: "text", Text: func(e *Entry) (string, bool) { return recordOf(e).text, true }}
}

// noteWord returns a word of the note of a record.
func noteWord(word string) Word {
	return Word{Word: word, Field: "note", Text: func(e *Entry) (string, bool) {
		if note := recordOf(e).note; note != nil {
			return *note, true
		}
		return "garbage", false
	}}
}

// hasWords reports whether a record has a word of each list.
func hasWords(r *record, lists [][]Word) bool {
	return !slices.ContainsFunc(lists, func(list []Word) bool {
		return !slices.ContainsFunc(list, func(w Word) bool {
			switch {
			case w.Field == "text":
				return strings.Contains(strings.ToUpper(r.text), w.Word)
			case r.note != nil:
				return strings.Contains(strings.ToUpper(*r.note), w.Word)
			}
			return false
		})
	})
}

// search returns a query for records that have a word of each list, and the number of calls of Match.
func search(lists ...[]Word) (q Query, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	q.Words = &Words{Lists: lists}
	for _, list := range lists {
		for _, w := range list {
			q.Words.Key += fmt.Sprintf("%s %q,", w.Field, w.Word)
		}
		q.Words.Key += "&"
	}
	q.Match = func(e *Entry) bool {
		calls.Add(1)
		return hasWords(recordOf(e), lists)
	}
	return q, calls
}

// checkColumns reports columns that do not have the texts of their entries, and returns how many
// there are.
func checkColumns(t *testing.T, s *State) (n int) {
	t.Helper()
	x := s.primary.(*tree[struct{}])
	d, at := x.parts.directory.Load(), 0
	if d == nil {
		return 0
	}
	if d.behind.Load() {
		x.catchUp(d)
	}
	all := s.Entries()
	for _, g := range d.chunks {
		for _, p := range g.parts {
			entries, size := all[at:at+p.n], 0
			for c := p.columns.Load(); c != nil; c = c.next {
				if n++; c.ends == nil {
					continue
				}
				size += len(c.texts) + 4*len(c.ends)
				var texts []byte
				var ends []uint32
				for _, e := range entries {
					if text, ok := map[string]Word{"text": textWord(""), "note": noteWord("")}[c.field].Text(e); ok {
						texts = append(append(texts, strings.ToUpper(text)...), mark)
					}
					ends = append(ends, uint32(len(texts)))
				}
				if diff := cmp.Diff([]any{string(texts), ends}, []any{c.texts, c.ends}); diff != "" {
					t.Fatalf("the column of %s of the part at %d (-want +got):\n%s", c.field, at, diff)
				}
			}
			if c := p.columns.Load(); c != nil && (c.size != size || size > maxPerRecord*p.n) {
				t.Fatalf("the columns of %d entries have %d bytes, counted %d", p.n, size, c.size)
			}
			at += p.n
		}
	}
	return n
}

// randomText returns a text of letters of which some are longer or shorter in upper case, and which
// may have bytes that are not UTF-8.
func randomText(rng *rand.Rand) string {
	letters := []string{"a", "b", "A", "ß", "ı", "ſ", "\u212a", "k", "K", "é", "ⱥ", "\xff", "\xc3", "\x00", "\ufffd", " ", "日"}
	var b strings.Builder
	for range rng.IntN(6) {
		b.WriteString(letters[rng.IntN(len(letters))])
	}
	return b.String()
}

// TestWords compares searches for words with the records that have them, between random writes, in
// states that are held, in clones and in batches. Searches by texts read only the records on the page.
func TestWords(t *testing.T) {
	rng := random(t)
	for _, n := range []int{1, partLen, 5 * partLen} {
		c := newStore(t, newType(0), 0)
		all := map[int]*record{}
		inStore := func(ch Change) {
			if _, err := c.Write(func(*State) (Change, error) { return ch, nil }); err != nil {
				t.Error(err)
			}
		}
		write := func(write func(Change)) {
			id := 1 + rng.IntN(n)
			if rng.IntN(8) == 0 {
				id = n + rng.IntN(1_000_000_000) // so that most ids are not used
			}
			var ch Change
			if old := all[id]; old != nil {
				ch.Old = &old.Entry
			}
			delete(all, id)
			if rng.IntN(5) > 0 || ch.Old == nil {
				r := &record{Entry: Entry{id}, number: rng.Int64N(9), text: randomText(rng)}
				if rng.IntN(3) > 0 {
					note := randomText(rng)
					r.note = &note
				}
				all[id], ch.New = r, &r.Entry
			}
			write(ch)
		}
		for range n {
			write(inStore)
		}
		compare := func(what string, from Source, all map[int]*record) {
			t.Helper()
			word := func() string {
				for {
					if w := strings.ToUpper(randomText(rng)); w != "" {
						return w
					}
				}
			}
			lists := [][]Word{{textWord(word()), noteWord(word())}}
			if rng.IntN(2) == 0 {
				lists = append(lists, []Word{noteWord(word())})
			}
			q, _ := search(lists...)
			order := []string{"", "-id", "number", "-text"}[rng.IntN(4)]
			q.Terms = parse(order)
			var entries []*Entry
			for _, r := range all {
				entries = append(entries, &r.Entry)
			}
			slices.SortFunc(entries, compareIDs)
			want := selected(entries, order, func(r *record) bool { return hasWords(r, lists) })
			if diff := cmp.Diff(want, found(t, from, q), emptyIsNil); diff != "" {
				t.Fatalf("%s: %d records by %q, %s (-want +got):\n%s", what, len(all), order, q.Words.Key, diff)
			}
		}
		for range 30 {
			compare("store", c, all)
			held, before := c.Current(), maps.Clone(all)
			clone := Clone(c)[0]
			for range 1 + rng.IntN(n) {
				write(inStore)
			}
			compare("store", c, all)
			compare("held state", held, before)
			compare("clone", clone, before)
			if err := c.Batch(func(tx *Tx) error {
				for range 3 {
					write(tx.Write)
					compare("batch", tx, all)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			for _, s := range []*State{held, c.Current(), clone.Current()} {
				checkColumns(t, s)
			}
		}
		q, calls := search([]Word{textWord("A")})
		q.Window = pagination.Window{Limit: 1}
		for range 3 {
			calls.Store(0)
			if _, _, err := of(c).Page(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
		if most := int64(2 * partLen); calls.Load() > most || checkColumns(t, c.Current()) == 0 {
			t.Errorf("a search in %d records reads %d of them, want at most %d", len(all), calls.Load(), most)
		}
	}
}
