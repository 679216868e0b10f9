package store

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Removed entries and their texts are collected, unless a split node still refers
// to them. Forks count such entries, too.
func TestRemovedTextsAreCollected(t *testing.T) {
	const n = 500
	alternate := func(id int) bool { return (id-1)/((fullNode+1)/2)%2 == 1 } // every other node
	for _, row := range []struct {
		reason string
		remove func(c *Store)
		kept   int
	}{
		{"the last record deleted", func(c *Store) { remove(c, n) }, 0},
		{"the last record updated", func(c *Store) { put(c, &record{Entry: Entry{n}, text: "z"}) }, 0},
		{"some deleted in a small batch", func(c *Store) {
			c.Batch(func(tx *Tx) error {
				for id := n - fewChanges + 1; id <= n; id++ {
					tx.Write(Change{Old: tx.Get(id)})
				}
				return nil
			})
		}, 0},
		{"a quarter deleted in a large batch", func(c *Store) {
			c.Batch(func(tx *Tx) error {
				for id := 2; id <= n; id += 4 {
					tx.Write(Change{Old: tx.Get(id)})
				}
				return nil
			})
		}, 0},
		{"many deleted one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n {
				if alternate(id + 1) {
					remove(c, id+1)
				}
			}
		}, n / 16},
		{"a sixth updated one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n / 3 {
				if alternate(id + 1) {
					put(c, &record{Entry: Entry{id + 1}})
				}
			}
		}, n / 8},
		{"many updated one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n {
				if alternate(id + 1) {
					put(c, &record{Entry: Entry{id + 1}})
				}
			}
		}, n / 8},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 0)
			ordered(t, c, "text")
			var entries []weak.Pointer[Entry]
			var texts []weak.Pointer[byte]
			for i := range n {
				text := fmt.Sprintf("%0100d", i)
				texts = append(texts, weak.Make(unsafe.StringData(text)))
				entries = append(entries, weak.Make(put(c, &record{text: text})))
			}
			row.remove(c)
			runtime.GC()
			runtime.GC()
			kept := 0
			for i, p := range entries {
				if e := c.Get(i + 1); (e == nil || p.Value() != e) && (p.Value() != nil || texts[i].Value() != nil) {
					kept++
				}
			}
			if kept > row.kept {
				t.Errorf("%d removed entries or their texts are kept, want at most %d", kept, row.kept)
			}
			runtime.KeepAlive(c)
		})
	}
}

// idOf returns the id of an entry, or 0 if it is nil.
func idOf(e *Entry) int {
	if e == nil {
		return 0
	}
	return e.ID
}

// TestText checks that texts compare as strings, whatever the part is that an item has.
func TestText(t *testing.T) {
	list := []string{"", "\x00", "\x00\x00", "a", "a\x00", "ab", "abcdef", "abcdef\x00", "abcdefg", "abcdefh", "é", "日本語", "\xff"}
	for _, n := range []int{longText - 1, longText, longText + 1, 2 * longText} {
		list = append(list, strings.Repeat("a", n), strings.Repeat("a", n)+"b")
	}
	for _, a := range list {
		for _, b := range list {
			if textOf(a).String() != a || textOf(a).compare(textOf(b)) != strings.Compare(a, b) {
				t.Errorf("%.9q with %d bytes and %.9q with %d: compare returns %d, want %d", a, len(a), b, len(b), textOf(a).compare(textOf(b)), strings.Compare(a, b))
			}
		}
	}
}

// TestRankOfTimes compares the ranks in an index of times, which is one of numbers, with those of the
// keys.
func TestRankOfTimes(t *testing.T) {
	moment := func(seconds int64, micros int) sortkey.Key {
		return sortkey.Time(time.Unix(seconds, int64(micros)*1000))
	}
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	keys := []sortkey.Key{moment(first, 0), moment(-1, 999999), moment(0, 0), moment(0, 0), moment(0, 1), moment(1, 0), moment(last, 999999)}
	key := func(e *Entry) sortkey.Key { return keys[e.ID-1] }
	x := newIndex([]Field{{Name: "at", Kind: reflect.Struct, Key: key}}, parse("at"))
	for i := range keys {
		apply(x, Change{New: newEntry(i+1, "")})
	}
	for _, k := range append([]sortkey.Key{
		sortkey.Null(), sortkey.Bool(true), sortkey.Int(0), sortkey.Text(""), sortkey.List(), moment(0, -1), moment(0, 2),
		moment(math.MinInt64, 0), moment(math.MaxInt64/1_000_000, 0), moment(math.MinInt64/1_000_000-1, 0), moment(1<<50, 5),
	}, keys...) {
		for _, id := range []int{0, 3, 4, beforeNext} {
			want := 0
			for i, other := range keys {
				if c := other.Compare(k); c < 0 || c == 0 && i+1 <= id {
					want++
				}
			}
			if got := x.rank(bound{key: k, id: id}); got != want {
				t.Errorf("rank of %v, %d: %d, want %d", k, id, got, want)
			}
		}
	}
}
