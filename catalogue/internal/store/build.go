package store

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
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

// miss records a write for the build, after which there are n records. The state mutex must
// be held.
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
	b.built = orderingIndex{terms: b.terms, index: x, usage: newUsage(0)}
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
		s.evict()
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
	bytes, err := t.arrange(context.Background(), entries, limit, turns, cut{}, func(it item[K]) { t.items.Load(it) })
	if err != nil {
		return err
	}
	t.bytes = bytes
	turns.use(t.compact)
	return nil
}

// sort returns the entries in order, perhaps without those that c does not want. The error is
// ctx.Err(), or errLargeKeys if the keys take more than limit bytes.
func (t *tree[K]) sort(ctx context.Context, entries []*Entry, limit int, cores Cores, c cut) ([]*Entry, error) {
	var sorted []*Entry
	if c.most == 0 {
		sorted = make([]*Entry, 0, len(entries))
	}
	collect := func(it item[K]) { sorted = append(sorted, it.entry) }
	_, err := t.arrange(ctx, entries, limit, cores.turns(len(entries)), c, collect)
	return sorted, err
}

// sort returns entries, which it may change, in the order of canonical terms of fields. It compares
// their keys or, if those are too large, the values of their fields. It may leave out entries that c
// does not want. The error is ctx.Err().
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

// arrange calls f with the items of entries in order, and returns the size of their keys. It
// sorts several parts in parallel. The error is ctx.Err(), or errLargeKeys if the keys take
// more than limit bytes; then it does not call f. It need not call f for items that c does not want.
func (t *tree[K]) arrange(ctx context.Context, entries []*Entry, limit int, turns *turns, c cut, f func(item[K])) (bytes int, err error) {
	const (
		minPart  = 4096 // a smaller part is sorted before another goroutine starts
		maxParts = 8    // merging compares the first items of all parts
	)
	n := min(len(entries)/minPart+1, runtime.GOMAXPROCS(0), maxParts)
	parts := make([][]item[K], n)
	sizes := make([]int, n)
	parallel(n, func(i int) {
		part := entries[len(entries)*i/n : len(entries)*(i+1)/n]
		items, order := make([]item[K], 0, min(len(part), c.room(minPart))), t.compare
		if c.last {
			order = func(a, b item[K]) int { return t.compare(b, a) }
		}
		var worst *item[K] // of those that are wanted so far
		for some := range slices.Chunk(part, minPart) {
			turns.use(func() {
				for _, e := range some {
					it := t.item(e)
					if worst != nil && order(it, *worst) > 0 {
						continue
					}
					if items = append(items, it); len(items) == c.room(minPart) {
						slices.SortFunc(items, order)
						items = items[:c.most]
						worst = &items[c.most-1]
					}
					if sizes[i] += t.size(it.key); sizes[i] > limit {
						return
					}
				}
			})
			if sizes[i] > limit || ctx.Err() != nil {
				return
			}
		}
		turns.use(func() {
			if !slices.IsSortedFunc(items, t.compare) {
				slices.SortFunc(items, t.compare)
			}
		})
		parts[i] = items
	})
	for _, size := range sizes {
		bytes += size
	}
	switch {
	case bytes > limit:
		return 0, errLargeKeys
	case ctx.Err() != nil:
		return 0, ctx.Err()
	}
	turns.use(func() { merged(parts, t.less, f) })
	return bytes, nil
}

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
	key     func(*Entry) sortkey.Key // of the first term
}

func (o *sortedEntries) len() int { return len(o.entries) }

func (o *sortedEntries) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, len(o.entries)-offset)
	if !desc {
		return append(dst, o.entries[offset:offset+n]...)
	}
	end, last := len(dst), len(o.entries)-offset
	dst = append(dst, o.entries[last-n:last]...)
	slices.Reverse(dst[end:])
	return dst
}

// view returns nothing: a page would keep all entries of the sequence alive.
func (o *sortedEntries) view(int, int, bool) (es Entries, ok bool) { return es, false }

// rank computes O(log n) keys.
func (o *sortedEntries) rank(b bound) int {
	return sort.Search(len(o.entries), func(i int) bool {
		c := o.key(o.entries[i]).Compare(b.key)
		return c > 0 || c == 0 && o.entries[i].ID > b.id
	})
}

// position is O(n).
func (o *sortedEntries) position(e *Entry) int { return slices.Index(o.entries, e) }

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

// drop removes a sequence. The mutex must be held.
func (cache *sortCache) drop(o *sortedEntries) {
	cache.all = slices.DeleteFunc(cache.all, func(other *sortedEntries) bool { return other == o })
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
			cache.drop(o)
			cache.mu.Unlock()
		}
	})
	return o
}

// A task is work for an ordering that several readers may wait for. It runs in its
// own goroutine, and does not end if they no longer wait.
type task struct {
	terms   []ordering.Term
	done    chan struct{}
	failure *failure // set before done is closed unless the work returned
}

// start calls work, once it has a slot, and then end in a new goroutine. It calls end even
// if work panics or calls runtime.Goexit.
func (t *task) start(s slots, work, end func()) {
	t.done = make(chan struct{})
	go func() {
		defer close(t.done)
		defer end()
		release, _ := s.take(context.Background(), t.terms)
		defer release()
		watch(work, func(f *failure) { t.failure = f })
	}()
}

// ready reports whether the work is done and did not fail.
func (t *task) ready() bool {
	select {
	case <-t.done:
		return t.failure == nil
	default:
		return false
	}
}

// wait waits until the task is done. If the work panicked or called runtime.Goexit, so
// does wait. If ctx is done first, wait returns ctx.Err().
func (t *task) wait(ctx context.Context) error {
	if t.ready() {
		return nil
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if t.failure != nil {
		t.failure.repeat()
	}
	return nil
}

// parallel calls f(0) to f(n-1) in at most GOMAXPROCS goroutines and returns when
// all calls have returned. If a call panics or calls runtime.Goexit, so does parallel.
func parallel(n int, f func(int)) {
	if n == 1 {
		f(0)
		return
	}
	var (
		next    atomic.Int64
		workers sync.WaitGroup
		failed  atomic.Pointer[failure]
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			watch(func() {
				for i := next.Add(1); i <= int64(n); i = next.Add(1) {
					f(int(i - 1))
				}
			}, failed.Store)
		})
	}
	workers.Wait()
	if f := failed.Load(); f != nil {
		f.repeat()
	}
}

// A failure describes the end of a call that did not return.
type failure struct {
	reason any    // the value that the call panicked with, or nil if it called runtime.Goexit
	stack  []byte // at that time
}

// watch calls f. If f panics or calls runtime.Goexit, watch passes a failure to failed.
// After runtime.Goexit, it does not return.
func watch(f func(), failed func(*failure)) {
	returned := false
	defer func() {
		if !returned {
			reason := recover()
			failed(&failure{reason, debug.Stack()})
		}
	}()
	f()
	returned = true
}

// repeat panics or calls runtime.Goexit, as the failed call did, in the calling goroutine.
// The program can recover the same value. If it does not, the report of the crash has the
// stack of the failed call too, because that is the value of an earlier panic.
func (f *failure) repeat() {
	if f.reason == nil {
		runtime.Goexit()
	}
	defer panic(f.reason)
	panic(string(f.stack))
}
