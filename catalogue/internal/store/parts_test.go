package store

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// counting returns an index by number of n records and a pointer to the number of
// comparisons that the index has made.
func counting(n int) (*tree[int64], *int) {
	calls := new(int)
	k := *newNumbers(func(e *Entry) int64 { return recordOf(e).number }, pivotNumber).kind
	less := k.less
	k.less = func(a, b item[int64]) bool { *calls++; return less(a, b) }
	t := newTree(&k)
	var entries []*Entry
	for i := range n {
		entries = append(entries, &(&record{Entry: Entry{i + 1}, number: int64(n - i)}).Entry)
	}
	t.fill(entries)
	*calls = 0
	return t, calls
}

// Views, positions and items of an index and its forks are those of plain slices while all are
// written to. A view that is held does not change.
func TestPartsAfterWrites(t *testing.T) {
	rng := random(t)
	type version struct {
		tree *tree[int64]
		want []*Entry // by number, then by id
	}
	for range 20 {
		x, _ := counting(rng.IntN(3000))
		all := []version{{x, x.walk(nil, 0, x.len(), false)}}
		type held struct {
			Entries
			want []int
		}
		var views []held
		made := 0
		for step := range 600 {
			v := &all[rng.IntN(len(all))]
			switch rng.IntN(4) {
			case 0:
				f := version{v.tree.fork().(*tree[int64]), slices.Clone(v.want)}
				if len(all) < 3 {
					all = append(all, f)
				} else {
					all[rng.IntN(len(all))] = f
				}
			case 1:
				var changes []Change
				for range 1 + rng.IntN(3)*rng.IntN(4) {
					ch, after := randomChange(rng, v.want, 10_000+100*step+len(changes))
					if !slices.ContainsFunc(changes, func(other Change) bool { return other.ID() == ch.ID() }) {
						changes, v.want = append(changes, ch), after
					}
				}
				if len(changes) == 1 {
					apply(v.tree, changes[0])
				} else {
					v.tree.setAll(changes)
				}
				if rng.IntN(4) > 0 {
					continue // the next read applies several writes
				}
				checkParts(t, v.tree)
			default:
				if len(v.want) == 0 {
					continue
				}
				offset, desc := rng.IntN(len(v.want)), rng.IntN(2) == 0
				n := min(1+rng.IntN(partLen), len(v.want)-offset)
				for range rng.IntN(2 * partReads) {
					e := v.want[offset]
					k, found := v.tree.entryAt(offset)
					if at := v.tree.position(e); at != offset || found != e || k != recordOf(e).number {
						t.Fatalf("step %d: the position of entry %d is %d, and id %d is there", step, offset, at, found.ID)
					}
				}
				for range rng.IntN(2 * partReads) {
					want := ids(v.want[offset : offset+n])
					if desc {
						want = ids(v.want[len(v.want)-offset-n : len(v.want)-offset])
						slices.Reverse(want)
					}
					es, ok := v.tree.view(offset, n, desc)
					if ok && !slices.Equal(want, ids(es.list())) {
						t.Fatalf("step %d: %d entries from %d, descending %v: %v, want %v", step, n, offset, desc, ids(es.list()), want)
					}
					if ok {
						made++
						views = append(views[max(0, len(views)-20):], held{es, want})
					}
				}
			}
		}
		for _, h := range views {
			if !slices.Equal(h.want, ids(h.list())) {
				t.Error("a view has changed")
			}
		}
		if made < 100 {
			t.Errorf("%d views were made", made)
		}
	}
}

// A write to an index that was read, and the read that follows, allocate nothing unless a fork
// shares the part.
func TestWriteAfterReadAllocates(t *testing.T) {
	x, _ := counting(20 * partLen)
	for range 7 + partReads {
		for at := range 20 {
			x.view(at*partLen, 1, false)
		}
	}
	e := x.walk(nil, 7, 1, false)[0]
	changes := []Change{{e, e}}
	write := func() {
		x.prepare(changes)
		x.apply(x)
		x.divided()
	}
	if n := testing.AllocsPerRun(100, write); n != 0 {
		t.Errorf("a write and a read made %v allocations, want none", n)
	}
	x.fork()
	write()
	if n := testing.AllocsPerRun(100, write); n != 0 {
		t.Errorf("after the first write after a fork, a write and a read made %v allocations, want none", n)
	}
}

// A read applies many writes to the same parts, which are divided and joined more than once.
func TestPartsAfterManyWrites(t *testing.T) {
	const n, some = 30_000, 290
	x, _ := counting(n)
	for range 4 + n>>10 {
		x.view(0, 1, false)
	}
	var added []*Entry
	read := func() {
		t.Helper()
		if checkParts(t, x); x.parts.directory.Load() == nil {
			t.Fatal("there are no parts")
		}
	}
	add := func(number int64) {
		r := &record{Entry: Entry{n + 1 + len(added)}, number: number}
		added = append(added, &r.Entry)
		apply(x, Change{New: &r.Entry})
	}
	add(0) // no part is divided
	read()
	chunks := len(x.parts.directory.Load().chunks)
	for range 25 {
		for range some {
			add(n / 2)
		}
		read()
	}
	if d := x.parts.directory.Load(); len(d.chunks) == chunks {
		t.Errorf("%d chunks: none was divided", len(d.chunks))
	}
	for some := range slices.Chunk(added, some) {
		for _, e := range some {
			apply(x, Change{Old: e})
		}
		read()
	}
	if parts, _ := partsOf(x); parts > n/partLen*5/4 {
		t.Errorf("%d parts: few were joined", parts)
	}
}

// A read makes few of the parts and applies few of the writes before it, however many there are, and
// none while another read does. It reads the tree then.
func TestReadAppliesFewWrites(t *testing.T) {
	const size = 100_000
	x, _ := counting(size)
	for range 4 + size>>10 {
		x.view(0, 1, false)
	}
	d := x.parts.directory.Load()
	if d == nil || len(d.chunks[0].parts) > readerSteps+1 {
		t.Fatal("a read makes all parts, or none")
	}
	for d.behind.Load() {
		x.view(0, 1, false)
	}
	all := x.walk(nil, 0, size, false)
	for i := range 300 {
		e := all[i*300]
		r := &record{Entry: Entry{e.ID}, number: recordOf(all[(i*777)%size]).number}
		apply(x, Change{Old: e, New: &r.Entry})
	}
	read := func() {
		t.Helper()
		want := x.walk(nil, 40_000, 21, false)
		if got := x.page(nil, 40_000, 21, false); !slices.Equal(got, want) {
			t.Fatalf("after %d of %d writes were applied, the page is another one", d.applied, len(d.writes))
		}
	}
	d.mu.Lock()
	read() // does not wait
	n := len(d.writes)
	if d.mu.Unlock(); d.applied != 0 || n < 500 {
		t.Fatalf("%d of %d writes have been applied, want 0 of some 600", d.applied, n)
	}
	for reads := 1; d.behind.Load(); reads++ {
		if read(); d.behind.Load() && d.applied != min(reads*readerSteps, n) {
			t.Fatalf("%d reads have applied %d writes", reads, d.applied)
		}
	}
	checkParts(t, x)
	if x.parts.directory.Load() != d {
		t.Error("the parts have been made again")
	}
}

// randomChange returns a change of one record, and the records after it. Ids of new records
// are id.
func randomChange(rng *rand.Rand, all []*Entry, id int) (ch Change, after []*Entry) {
	if at := rng.IntN(len(all) + 1); at < len(all) && rng.IntN(3) > 0 {
		ch.Old = all[at]
		id = all[at].ID
		all = slices.Concat(all[:at], all[at+1:])
	}
	if ch.Old != nil && rng.IntN(3) == 0 {
		return ch, all
	}
	r := &record{Entry: Entry{id}, number: rng.Int64N(3000) - rng.Int64N(3)*rng.Int64N(3)*1000}
	if ch.Old != nil && rng.IntN(4) == 0 {
		r.number = recordOf(ch.Old).number // it stays where it is
	}
	ch.New = &r.Entry
	at, _ := slices.BinarySearchFunc(all, r, func(e *Entry, r *record) int {
		return cmp.Or(int(recordOf(e).number-r.number), e.ID-r.ID)
	})
	return ch, slices.Concat(all[:at], []*Entry{&r.Entry}, all[at:])
}

// partsOf returns the parts of an index and the number of those that have an array.
func partsOf(x *tree[int64]) (parts, arrays int) {
	d := x.parts.directory.Load()
	for d != nil && !x.catchUp(d) {
	}
	for i := 0; d != nil && i < len(d.chunks); i++ {
		for _, p := range d.chunks[i].parts {
			if parts++; p.arrays.Load() != nil {
				arrays++
			}
		}
	}
	return parts, arrays
}

// A write replaces the part of the entry that it changes, and no other, in the tree that is
// written to. After some writes that nothing reads between, all parts are dropped.
func TestWriteReplacesOnePart(t *testing.T) {
	const n = 20
	x, calls := counting(n * partLen)
	all := x.walk(nil, 0, x.len(), false)
	want := func(reason string, x *tree[int64], parts, arrays int) {
		t.Helper()
		if p, a := partsOf(x); p != parts || a != arrays {
			t.Errorf("%s: %d parts, %d arrays, want %d and %d", reason, p, a, parts, arrays)
		}
		checkParts(t, x)
	}
	for range 7 + partReads { // the directory is made after 6 pages
		for at := range n {
			x.view(at*partLen, 1, false)
		}
	}
	want("before the first write", x, n, n)
	*calls = 0
	if page := x.page(nil, n*partLen-4, 100, false); len(page) != 4 || *calls > 0 {
		t.Errorf("the last page has %d entries, after %d comparisons, want 4 from the array", len(page), *calls)
	}
	for range 20 {
		apply(x, Change{all[7*partLen+5], all[7*partLen+5]})
	}
	want("an entry is replaced", x, n, n-1)
	fork := x.fork().(*tree[int64])
	apply(fork, Change{Old: all[0]})
	want("an entry of a fork is removed", fork, n, n-2)
	want("the tree of the fork", x, n, n-1)
	for range partReads/2 - 1 {
		fork.view(0, 1, false)
	}
	want("fewer than half as many pages as made the array", fork, n, n-2)
	fork.view(0, 1, false)
	want("half as many pages as made the array", fork, n, n-1)
	for range partReads {
		fork.view(7*partLen, 1, false)
	}
	want("the array of a part that was written to often", fork, n, n)
	want("it is there for the tree as well", x, n, n)
	for i := range maxPart - partLen + 2 {
		r := &record{Entry: Entry{n*partLen + 1 + i}, number: recordOf(all[5*partLen]).number}
		apply(x, Change{New: &r.Entry})
		x.view(0, 1, false) // otherwise the parts are dropped
	}
	want("a part that grows is divided", x, n+1, n-1)
	for at := 9 * partLen; at < 11*partLen; at++ {
		apply(x, Change{Old: all[at]})
		x.view(0, 1, false)
	}
	want("parts without entries are removed", x, n-1, n-3)
	for at := range partLen / 2 {
		apply(x, Change{Old: all[14*partLen+at]})
		apply(x, Change{Old: all[13*partLen+at]})
		x.view(0, 1, false)
	}
	want("parts that fit into one are joined", x, n-2, n-5)
	for range x.len()/partLen + maxChunk + 1 {
		apply(x, Change{all[0], all[0]})
	}
	if parts, _ := partsOf(x); parts != 0 {
		t.Errorf("%d parts are left after writes that nothing reads between", parts)
	}
}

// checkParts reports parts that do not have the entries of the tree.
func checkParts(t *testing.T, x *tree[int64]) {
	t.Helper()
	d := x.parts.directory.Load()
	if d == nil {
		return
	}
	for d.behind.Load() && !x.catchUp(d) {
	}
	all, pos := x.walk(nil, 0, x.len(), false), 0
	for g, chunk := range d.chunks {
		for i, p := range chunk.parts {
			at := partIndex{g, i}
			if p.n < 1 || p.n > maxPart || d.start(at) != pos || pos+p.n > len(all) || chunk.ends[i] != pos+p.n-d.start(partIndex{g, 0}) {
				t.Fatalf("part %v has %d of %d entries from %d", at, p.n, len(all), pos)
			}
			a := p.arrays.Load()
			if first := d.first(at); first.entry != nil || x.compare(first, x.item(all[pos])) != 0 || a != nil && !slices.Equal(a.entries, all[pos:pos+p.n]) {
				t.Fatalf("part %v begins with id %d or has an array of other entries", at, first.id)
			}
			pos += p.n
		}
		if d.ends[g] != pos {
			t.Fatalf("chunk %d ends at %d, not %d", g, d.ends[g], pos)
		}
	}
	if pos != len(all) {
		t.Fatalf("the parts have %d of %d entries", pos, len(all))
	}
}
