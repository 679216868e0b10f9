package store

import (
	"context"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/ordering"
)

// ownSequences are orderings that are sorted for one state alone, because the
// collection has gone on or because the keys are too large for an index. At most
// maxOwn are kept, of 8 bytes for each record. They are made of states that are
// handed out only.
type ownSequences struct {
	mu  sync.Mutex
	all []*ownSequence // made or in the making, the oldest first
}

const maxOwn = 8

// ownSequence is all entries of a state in one order.
type ownSequence struct {
	task
	entries []*Entry
}

func (o *ownSequence) len() int { return len(o.entries) }

func (o *ownSequence) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, len(o.entries)-offset)
	if !desc {
		return append(dst, o.entries[offset:offset+n]...)
	}
	for i := range n {
		dst = append(dst, o.entries[len(o.entries)-1-offset-i])
	}
	return dst
}

func (o *ownSequence) scan(desc bool, yield func(*Entry) bool) {
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

// find returns the sequence of terms, or nil. The mutex is held.
func (own *ownSequences) find(terms []ordering.Term) *ownSequence {
	for _, o := range own.all {
		if slices.Equal(o.terms, terms) {
			return o
		}
	}
	return nil
}

// made returns the sequence of terms if it is ready, else nil.
func (own *ownSequences) made(terms []ordering.Term) sequence {
	own.mu.Lock()
	defer own.mu.Unlock()
	if o := own.find(terms); o != nil && o.ready() {
		return o
	}
	return nil
}

// drop removes a sequence. The mutex is held.
func (own *ownSequences) drop(o *ownSequence) {
	own.all = slices.DeleteFunc(own.all, func(other *ownSequence) bool { return other == o })
}

// sort returns a reading of the state. If no sequence exists it sorts the entries,
// unless another reader is doing so. The query may be one that another state lacked a
// sequence for: what is a field there need not be one here, and terms without any
// field are by id.
func (s *State) sort(ctx context.Context, q Query) (reading, error) {
	r, err := s.read(q)
	if err != nil || r.sequence != nil {
		return r, err
	}
	canon, desc, _ := s.canonical(nil, q)
	release, err := s.slots.take(ctx, canon)
	if err != nil {
		return reading{}, err
	}
	o := s.join(slices.Clone(canon), release)
	if err := o.wait(ctx, &s.own.mu, func() { s.own.drop(o) }); err != nil {
		return reading{}, err
	}
	return reading{s, o, desc}, nil
}

// join returns the sequence of canonical terms, for the caller to wait for.
func (s *State) join(terms []ordering.Term, release func()) *ownSequence {
	own := &s.own
	own.mu.Lock()
	defer own.mu.Unlock()
	if o := own.find(terms); o != nil {
		o.waiting++
		release()
		return o
	}
	o := &ownSequence{task: task{terms: terms}}
	own.all = append(own.all, o)
	if len(own.all) > maxOwn {
		own.all = slices.Delete(own.all, 0, 1)
	}
	o.start(func() { o.entries = s.arrange(&o.task) }, func() {
		if o.failure != nil {
			own.mu.Lock()
			own.drop(o)
			own.mu.Unlock()
		}
		release()
	})
	return o
}

// arrange returns the entries in the order of a task: by their keys, or if these
// are too large by the values of the fields.
func (s *State) arrange(t *task) []*Entry {
	entries, fields := s.Entries(), s.schema.resolve(t.terms)
	if sorted, small := newIndex(fields, t.terms).sort(entries, maxKeys(len(entries), t.terms), t.abandoned.Load); small {
		return sorted
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		if t.abandoned.Load() {
			panic("store: nobody waits for the sort") // which ends it
		}
		return compareEntries(a, b, fields, t.terms)
	})
	return entries
}

// compareEntries compares the values of fields one after the other, then the ids.
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
