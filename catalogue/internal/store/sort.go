package store

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/gobacklist/backlist/ordering"
)

// A sortCache holds the sequences that were sorted for one state alone, because
// the store has a later state or because the keys are too large for an index. It
// keeps the last maxSorted sequences, which take 8 bytes for each record. Only
// frozen states have sequences.
type sortCache struct {
	mu  sync.Mutex
	all []*sortedEntries // done or in progress, oldest first
}

const maxSorted = 8

// sortedEntries is a sequence that is kept in a slice.
type sortedEntries struct {
	task
	entries []*Entry
	key     func(*Entry) ordering.Key // of the first term
}

func (o *sortedEntries) len() int { return len(o.entries) }

func (o *sortedEntries) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, len(o.entries)-offset)
	if !desc {
		return append(dst, o.entries[offset:offset+n]...)
	}
	for i := range n {
		dst = append(dst, o.entries[len(o.entries)-1-offset-i])
	}
	return dst
}

// rank computes O(log n) keys.
func (o *sortedEntries) rank(b bound) int {
	return sort.Search(len(o.entries), func(i int) bool {
		c := o.key(o.entries[i]).Compare(b.key)
		return c > 0 || c == 0 && !b.after
	})
}

func (o *sortedEntries) first(r ordering.Range, desc bool) *Entry {
	low, high := o.rank(lower(r)), o.rank(upper(r))
	switch {
	case low >= high:
		return nil
	case desc:
		return o.entries[high-1]
	}
	return o.entries[low]
}

// position is O(n).
func (o *sortedEntries) position(e *Entry) int { return slices.Index(o.entries, e) }

func (o *sortedEntries) scan(desc bool, yield func(*Entry) bool) {
	if desc {
		for _, e := range slices.Backward(o.entries) {
			if !yield(e) {
				return
			}
		}
		return
	}
	for _, e := range o.entries {
		if !yield(e) {
			return
		}
	}
}

// find returns the sequence of terms, or nil. The mutex must be held.
func (cache *sortCache) find(terms []ordering.Term) *sortedEntries {
	for _, o := range cache.all {
		if slices.Equal(o.terms, terms) {
			return o
		}
	}
	return nil
}

// ready returns the sequence of terms if it is done, and nil otherwise.
func (cache *sortCache) ready(terms []ordering.Term) sequence {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if o := cache.find(terms); o != nil && o.ready() {
		return o
	}
	return nil
}

// clear removes all sequences. It must not be called concurrently with a reader.
func (cache *sortCache) clear() { cache.all = nil }

// drop removes a sequence. The mutex must be held.
func (cache *sortCache) drop(o *sortedEntries) {
	cache.all = slices.DeleteFunc(cache.all, func(other *sortedEntries) bool { return other == o })
}

// sort returns the sequence of a query. If none exists, it sorts the entries or waits for
// the reader that is sorting them. The error is ctx.Err() or wraps
// [ordering.ErrUnknownField]: a field of an earlier state may be unknown in this one, and
// for a lenient query the order is then by other terms or by id.
func (s *State) sort(ctx context.Context, q Query) (sequence, error) {
	x, err := s.read(q)
	if err != nil || x != nil {
		return x, err
	}
	canon, _, _ := s.canonical(nil, &q)
	release, err := s.slots.take(ctx, canon)
	if err != nil {
		return nil, err
	}
	o := s.join(slices.Clone(canon), release)
	if err := o.wait(ctx, &s.sorted.mu, func() { s.sorted.drop(o) }); err != nil {
		return nil, err
	}
	return o, nil
}

// join returns the sequence of canonical terms, starting to sort it if necessary.
// The caller must wait for it. join arranges that release is called when the slot
// is no longer needed.
func (s *State) join(terms []ordering.Term, release func()) *sortedEntries {
	cache := &s.sorted
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if o := cache.find(terms); o != nil {
		o.waiting++
		release()
		return o
	}
	o := &sortedEntries{task: task{terms: terms}, key: s.schema.resolve(terms[:1])[0].Key}
	cache.all = append(cache.all, o)
	if len(cache.all) > maxSorted {
		cache.all = slices.Delete(cache.all, 0, 1)
	}
	o.start(func() { o.entries = s.schema.sort(s.Entries(), terms, o.abandoned.Load) }, func() {
		if o.failure != nil {
			cache.mu.Lock()
			cache.drop(o)
			cache.mu.Unlock()
		}
		release()
	})
	return o
}

// sort returns entries, which it may change, in the order of canonical terms. It compares
// their keys or, if those are too large, the values of their fields. If stopped returns
// true, it ends early.
func (sc *Schema) sort(entries []*Entry, terms []ordering.Term, stopped func() bool) []*Entry {
	fields := sc.resolve(terms)
	if len(terms) > 0 {
		if sorted, small := newIndex(fields, terms).sort(entries, maxKeys(len(entries), terms), stopped); small {
			return sorted
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		if stopped() {
			return 0
		}
		return compareEntries(a, b, fields, terms)
	})
	return entries
}

// compareEntries compares the values of fields in turn and then the ids.
func compareEntries(a, b *Entry, fields []Field, terms []ordering.Term) int {
	for i, f := range fields {
		c := f.Key(a).Compare(f.Key(b))
		if terms[i].Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return compareIDs(a, b)
}
