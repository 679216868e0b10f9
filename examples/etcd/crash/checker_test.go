package crash_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// A checker has all writes, and checks what reads return. Its clock numbers calls and
// returns in the order in which they happen.
type checker struct {
	mu      sync.Mutex
	clock   int64
	numbers int            // number of the last text
	writes  map[int]*write // by the number of the text, except for deletes
	records map[int]*record
	known   []int    // ids of records that are not certainly deleted, in order
	unbound []*write // creates whose record is not known
	tags    map[string]string
	faults  []error
	silent  bool // faults are left to porcupine
	stats   stats
}

// A record has the writes of one id.
type record struct {
	id      int
	created *write
	patches []*write
	deletes []*write
}

func newChecker() *checker {
	return &checker{writes: map[int]*write{}, records: map[int]*record{}, tags: map[string]string{}}
}

// now returns the instant of a call or a return.
func (l *checker) now() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tick()
}

func (l *checker) tick() int64 {
	l.clock++
	return l.clock
}

// begin records the call of a write.
func (l *checker) begin(k kind, id int) *write {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &write{kind: k, id: id, call: l.tick(), ret: forever}
	if k != remove {
		l.numbers++
		w.number = l.numbers
		l.writes[w.number] = w
	}
	switch k {
	case create:
		l.unbound = append(l.unbound, w)
	case patch:
		l.records[id].patches = append(l.records[id].patches, w)
	case remove:
		l.records[id].deletes = append(l.records[id].deletes, w)
	}
	return w
}

// end records the outcome of a write. id is that of the record that was created.
func (l *checker) end(w *write, o outcome, id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.tick()
	w.outcome = o
	l.stats.count(w)
	if o != unknown {
		w.ret = at
	}
	if w.kind != create {
		if r := l.records[w.id]; o == notFound && l.present(r, w.call, at) {
			l.fault(fmt.Errorf("the record exists: %v", w))
		}
		return
	}
	if o == stored {
		l.fault(l.bind(w, id))
	}
	if o != unknown {
		l.unbound = slices.DeleteFunc(l.unbound, func(u *write) bool { return u == w })
	}
}

// bind records the id of the record that a write created.
func (l *checker) bind(w *write, id int) error {
	if w.id == id && l.records[id] != nil && l.records[id].created == w {
		return nil
	}
	if w.id != 0 {
		return fmt.Errorf("text %d has the ids %d and %d", w.number, w.id, id)
	}
	if r := l.records[id]; r != nil {
		return fmt.Errorf("id %d was assigned twice: %v and %v", id, r.created, w)
	}
	w.id = id
	l.records[id] = &record{id: id, created: w}
	at, _ := slices.BinarySearch(l.known, id)
	l.known = slices.Insert(l.known, at, id)
	l.unbound = slices.DeleteFunc(l.unbound, func(u *write) bool { return u == w })
	return nil
}

// absent reports whether the record certainly did not exist from the instant call on.
func (l *checker) absent(r *record, call int64) bool {
	return slices.ContainsFunc(r.deletes, func(d *write) bool { return d.certain(call) })
}

// present reports whether the record certainly existed at all instants from call to ret.
func (l *checker) present(r *record, call, ret int64) bool {
	return r.created.certain(call) &&
		!slices.ContainsFunc(r.deletes, func(d *write) bool { return d.possible(ret) })
}

// row checks a record that was read between call and ret.
func (l *checker) row(id int, number int, call, ret int64) error {
	w := l.writes[number]
	if w == nil || !w.possible(ret) {
		return fmt.Errorf("id %d has text %d, which was not sent or refused: %v", id, number, w)
	}
	if w.kind == create {
		if err := l.bind(w, id); err != nil {
			return err
		}
	}
	r := l.records[id]
	if r == nil || w.id != id {
		return fmt.Errorf("id %d has the text of another record: %v", id, w)
	}
	if w.seen == 0 {
		w.seen = ret
	}
	if l.absent(r, call) {
		return fmt.Errorf("id %d was deleted, but has text %d", id, number)
	}
	for _, later := range r.patches {
		if later.outcome == stored && later.call > w.ret && later.ret < call {
			return fmt.Errorf("stale: id %d has the text of %v, not of %v", id, w, later)
		}
	}
	return nil
}

// pick returns the id of a record that probably exists, or 0, and the number of records.
// The id is often the highest, which must not be used again when the record is deleted.
func (l *checker) pick(rng *rand.Rand) (id, number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number = len(l.known)
	for range 10 {
		if number == 0 {
			break
		}
		at := rng.IntN(number)
		if rng.IntN(6) == 0 {
			at = number - 1
		}
		r := l.records[l.known[at]]
		if len(r.deletes) == 0 || rng.IntN(20) == 0 {
			return r.id, number
		}
	}
	return 0, number
}

// compact forgets tags and the records that were deleted before a round.
func (l *checker) compact() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.tags)
	l.known = slices.DeleteFunc(l.known, func(id int) bool { return l.absent(l.records[id], l.clock) })
}

// fault records a fault.
func (l *checker) fault(err error) {
	if err != nil && len(l.faults) < 10 && !l.silent {
		l.faults = append(l.faults, err)
	}
}

// report records a fault.
func (l *checker) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault(err)
}

// err returns the faults.
func (l *checker) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.faults...)
}
