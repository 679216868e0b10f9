package store

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// A build is an index that is being built. It is filled from a state without holding a lock.
// Meanwhile writers record their changes in missed. Readers get a state that has the index as
// soon as it is up to date. If a write is in progress then, the index is installed after it.
type build struct {
	task
	tooLarge bool          // the result, if its keys are
	built    orderingIndex // the result otherwise

	// These are guarded by the state mutex.
	filling bool // writers record their changes
	missed  []Change
	stale   bool   // there were more
	state   *State // the state that readers get
}

const (
	// maxRounds is the number of times that a build catches up with missed changes, and
	// maxFills the number of times that an index is filled because there were too many. After
	// that, writers wait for the build.
	maxRounds = 16
	maxFills  = 3
)

// miss notes changes that the build has not seen; n is the number of records after them. The state
// mutex must be held.
func (b *build) miss(changes []Change, replaced bool, n int) {
	if !b.filling {
		return
	}
	b.missed = append(b.missed, changes...)
	if replaced || len(b.missed) > max(n, minIdle) {
		b.missed, b.stale = nil, true
	}
}

// errLargeKeys is returned if the keys of an index would be too large.
var errLargeKeys = errors.New("keys are too large")

// build returns a frozen state that was published at some time during the call and has the
// index of canonical terms, unless its keys are too large or no record has a field any more. It
// builds the missing index or waits for the reader that is building it.
func (c *Store) build(ctx context.Context, terms []ordering.Term) (*State, error) {
	for {
		s := c.Current()
		if s.sequence(terms) != nil || s.refuses(terms) || !s.typ.hasAll(terms, s.names) {
			return s, nil
		}
		b, late := c.join(terms)
		switch {
		case late:
			_, err := s.sort(ctx, terms)
			return s, err
		case b == nil:
			continue // the index was installed meanwhile
		}
		if err := b.wait(ctx); err != nil {
			return nil, err
		}
		switch {
		case b.tooLarge:
			return c.Current(), nil
		case b.state != nil:
			return b.state, nil
		}
	}
}

// join returns the build for canonical terms, starting one if necessary, or nil if there is an
// index. late reports that a write has followed the state of the build, whose index is about
// to be installed.
func (c *Store) join(terms []ordering.Term) (b *build, late bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.published.Load()
	if s.index(terms) != nil {
		return nil, false
	}
	if i := slices.IndexFunc(c.builds, func(b *build) bool { return slices.Equal(b.terms, terms) }); i >= 0 {
		b = c.builds[i]
		return b, b.state != nil && b.state.Revision() < s.Revision()
	}
	b = &build{task: task{terms: slices.Clone(terms)}}
	c.builds = append(c.builds, b)
	b.start(s.slots, func() { c.run(b) }, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case b.state == nil:
			c.drop(b)
		case slices.Contains(c.builds, b):
			go func() {
				c.writing.Lock()
				defer c.writing.Unlock()
				c.settle()
			}()
		}
	})
	return b, false
}

// drop removes a build, which writers then no longer record changes for. The state mutex
// must be held.
func (c *Store) drop(b *build) {
	c.builds = slices.DeleteFunc(slices.Clone(c.builds), func(o *build) bool { return o == b })
}

// run fills an index from a state, applies the changes made meanwhile and hands it to the readers.
// If the build is stale then, run starts over.
func (c *Store) run(b *build) {
	for fills := 0; ; fills++ {
		if fills == maxFills {
			c.committing.Lock()
			defer c.committing.Unlock()
		}
		s := c.begin(b)
		x := newIndex(c.typ.resolve(b.terms), b.terms)
		if err := x.build(s.Entries(), maxKeys(s.Len(), b.terms), c.typ.Cores); err != nil {
			b.tooLarge = true
			s.refuse(b.terms)
			return
		}
		if c.finish(b, x, fills == maxFills) {
			return
		}
	}
}

// begin returns the state from which a build is filled. From then on, writers record
// their changes for the build.
func (c *Store) begin(b *build) *State {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.filling, b.missed, b.stale = true, nil, false
	s := c.published.Load()
	s.frozen.Store(true)
	return s
}

// finish applies missed changes until none is left and hands the index to the readers. If writers
// are faster than that, they have to wait at last, unless alone is set because they do already;
// readers never do. It reports whether the build is done; otherwise it is stale.
func (c *Store) finish(b *build, x index, alone bool) (done bool) {
	b.built = orderingIndex{terms: b.terms, index: x, usage: new(usage)}
	for round := 0; ; round++ {
		if round == maxRounds && !alone {
			c.committing.Lock()
			defer c.committing.Unlock()
		}
		missed := c.offer(b)
		if missed == nil {
			return b.state != nil
		}
		x.prepare(missed)
		x.apply(x)
	}
}

// offer makes the state that readers get unless the build is stale. If there are missed changes, it
// returns those instead.
func (c *Store) offer(b *build) (missed []Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missed, b.missed = b.missed, nil
	switch {
	case b.stale:
		return nil
	case len(missed) > 0:
		return missed
	case c.writing.TryLock():
		c.install(b)
		c.writing.Unlock()
	default:
		b.state = c.with(b)
	}
	return nil
}

// with returns a sibling of the published state that has the index of a build. Both are frozen.
// The state mutex must be held.
func (c *Store) with(b *build) *State {
	now := c.published.Load()
	s := now.sibling()
	now.frozen.Store(true)
	s.frozen.Store(true)
	if s.typ.hasAll(b.terms, s.names) { // not if the last record with a member was deleted meanwhile
		b.built.score.Store(math.MaxInt64) // not evicted at once
		s.indexes = append(slices.Clone(s.indexes), b.built)
		s.evict(s.primary.textSize())
		b.built.score.Store(s.floor.Load() + 1)
	}
	return s
}

// install publishes a state with the index of a build. The writers' mutex and the state mutex must
// be held.
func (c *Store) install(b *build) {
	s := c.with(b)
	if b.state == nil {
		b.state = s
	}
	c.drop(b) // a later reader must not get a state from before its call
	c.published.Store(s)
}

// settle installs the indexes that were built while a write was in progress. The writers' mutex
// must be held.
func (c *Store) settle() {
	c.mu.Lock()
	builds := slices.DeleteFunc(slices.Clone(c.builds), func(b *build) bool { return b.state == nil })
	c.mu.Unlock()
	for _, b := range builds {
		watch(func() { c.catchUp(b) }, func(*failure) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.drop(b)
		})
	}
}

// catchUp applies the changes that a write has made since the state that readers got to a fork
// of the index, and installs it. It may run callbacks.
func (c *Store) catchUp(b *build) {
	c.mu.Lock()
	missed, stale, s := b.missed, b.stale, c.published.Load()
	c.mu.Unlock()
	x := b.built.fork()
	if stale {
		x, missed = x.empty(), nil
		x.fill(s.Entries())
	}
	x.prepare(missed)
	x.apply(x)
	c.mu.Lock()
	defer c.mu.Unlock()
	b.built.index = x
	c.install(b)
}

// fill puts entries into an empty index. O(n log n).
func (t *tree[K]) fill(entries []*Entry) {
	t.build(entries, math.MaxInt, nil)
}

// build fills an empty index. The error is errLargeKeys if the keys take more than limit bytes.
func (t *tree[K]) build(entries []*Entry, limit int, cores Cores) error {
	turns := cores.turns(len(entries))
	bytes, err := t.arrange(context.Background(), entries, sorting{limit: limit, turns: turns}, func(it item[K]) { t.items.Load(it) })
	if err != nil {
		return err
	}
	t.bytes = bytes
	turns.use(t.compact)
	return nil
}

// sort returns entries in order; it may omit entries outside c. The error is ctx.Err(), or
// errLargeKeys if the keys take more than limit bytes.
func (t *tree[K]) sort(ctx context.Context, entries []*Entry, limit int, cores Cores, c cut) ([]*Entry, error) {
	var sorted []*Entry
	if c.most == 0 {
		sorted = make([]*Entry, 0, len(entries))
	}
	collect := func(it item[K]) { sorted = append(sorted, it.entry) }
	_, err := t.arrange(ctx, entries, sorting{limit, cores.turns(len(entries)), c}, collect)
	return sorted, err
}

// sort returns entries, which it may change, in the order of canonical terms of fields. It compares
// their keys or, if those are too large, the values of their fields. It may omit entries outside c.
// The error is ctx.Err().
func (typ *Type) sort(ctx context.Context, entries []*Entry, fields []Field, terms []ordering.Term, c cut) ([]*Entry, error) {
	if len(terms) > 0 {
		sorted, err := newIndex(fields, terms).sort(ctx, entries, maxKeys(len(entries), terms), typ.Cores, c)
		if err != errLargeKeys {
			return sorted, err
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		if ctx.Err() != nil {
			return 0
		}
		return compareEntries(a, b, fields, terms)
	})
	return entries, ctx.Err()
}

// A sorting specifies how the items of an index are sorted.
type sorting struct {
	limit int // of the size of all keys
	turns *turns
	cut   cut // the items that are wanted
}

// arrange calls f with the items of entries in order, and returns the size of their keys. It
// sorts several parts in parallel. The error is ctx.Err(), or errLargeKeys if the keys take
// more than the limit; then it does not call f. It need not call f for items that are not wanted.
func (t *tree[K]) arrange(ctx context.Context, entries []*Entry, by sorting, f func(item[K])) (bytes int, err error) {
	const maxParts = 8 // merging compares the first items of all parts
	n := min(len(entries)/minPart+1, runtime.GOMAXPROCS(0), maxParts)
	parts := make([][]item[K], n)
	sizes := make([]int, n)
	parallel(n, func(i int) {
		parts[i], sizes[i] = t.sorted(ctx, entries[len(entries)*i/n:len(entries)*(i+1)/n], by)
	})
	for _, size := range sizes {
		bytes += size
	}
	switch {
	case bytes > by.limit:
		return 0, errLargeKeys
	case ctx.Err() != nil:
		return 0, ctx.Err()
	}
	by.turns.use(func() { merged(parts, t.less, f) })
	return bytes, nil
}

// minPart is the number of entries that are sorted before another goroutine starts.
const minPart = 4096

// sorted returns the items of entries in order, and the size of their keys. If that is more than the
// limit, or ctx is done, the items are incomplete.
func (t *tree[K]) sorted(ctx context.Context, entries []*Entry, by sorting) (items []item[K], size int) {
	room, order := math.MaxInt, t.compare
	if by.cut.most > 0 {
		room = by.cut.most + minPart // items that are kept before unwanted ones are dropped
	}
	if by.cut.last {
		order = func(a, b item[K]) int { return t.compare(b, a) }
	}
	items = make([]item[K], 0, min(len(entries), room))
	var worst *item[K] // of those that are wanted so far
	for some := range slices.Chunk(entries, minPart) {
		by.turns.use(func() {
			for _, e := range some {
				it := t.item(e)
				if worst != nil && order(it, *worst) > 0 {
					continue
				}
				if items = append(items, it); len(items) == room {
					slices.SortFunc(items, order)
					items = items[:by.cut.most]
					worst = &items[by.cut.most-1]
				}
				if size += t.size(it.key); size > by.limit {
					return
				}
			}
		})
		if size > by.limit || ctx.Err() != nil {
			return nil, size
		}
	}
	by.turns.use(func() { slices.SortFunc(items, t.compare) })
	return items, size
}

// sort returns the sequence of canonical terms. If none exists, it sorts the entries or waits for
// the reader that is sorting them. The error is ctx.Err().
func (s *State) sort(ctx context.Context, terms []ordering.Term) (sequence, error) {
	if x := s.sequence(terms); x != nil {
		return x, nil
	}
	o := s.join(slices.Clone(terms))
	if err := o.wait(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// join returns the sequence of canonical terms, starting to sort it if necessary.
func (s *State) join(terms []ordering.Term) *sortedEntries {
	cache := &s.sorted
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if o := cache.find(terms); o != nil {
		return o
	}
	o := &sortedEntries{task: task{terms: terms}, key: s.typ.resolve(terms[:1])[0].Key}
	cache.all = append(cache.all, o)
	if len(cache.all) > maxSorted {
		cache.all = slices.Delete(cache.all, 0, 1)
	}
	o.start(s.slots, func() {
		o.entries, _ = s.typ.sort(context.Background(), s.Entries(), s.typ.resolve(terms), terms, cut{})
	}, func() {
		if o.failure != nil {
			cache.mu.Lock()
			defer cache.mu.Unlock()
			cache.all = slices.DeleteFunc(cache.all, func(other *sortedEntries) bool { return other == o })
		}
	})
	return o
}

// merged calls f with the items of all sorted parts in order. O(items × parts).
func merged[T any](parts [][]T, less func(a, b T) bool, f func(T)) {
	for {
		first := -1
		for i, part := range parts {
			if len(part) > 0 && (first < 0 || less(part[0], parts[first][0])) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		f(parts[first][0])
		parts[first] = parts[first][1:]
	}
}
