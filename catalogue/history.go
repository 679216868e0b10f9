package catalogue

import (
	"cmp"
	"slices"
	"sort"
)

// A feed is what a collection remembers of its changes for those who follow it.
// A collection without one has a nil feed: all that it costs is to see that.
//
// A writer prepares what will be kept, off the state's mutex, and puts it in its
// place under it, when the changes are made. Events are only ever appended, to
// memory that no reader was shown: who reads takes the history as it is, in
// O(1) under the state's mutex, and goes through it off every lock.
type feed struct {
	most int // how many events are kept

	next history       // before it is published: the writer's own
	due  chan struct{} // to be closed now that it is: likewise

	kept history       // guarded by the state's mutex, written to by writers alone
	wake chan struct{} // closed at the next commit, nil if nobody waits: likewise
}

// history is the last events, in runs. It is a value: what it refers to does not
// change but for memory behind the end of the last run.
type history struct {
	full [][]event // runs without room, the oldest first
	last []event   // the run that is filled now
	skip int       // events of the oldest run that do not count any more
	n    int       // events that do
	from uint64    // the revision that it reaches back to: all after it is here
}

// event is a change that somebody may follow. 32 bytes on 64 bits.
type event struct {
	revision uint64
	id       int
	e        *entry // nil if it was deleted
	kind     ChangeKind
	last     bool // of its revision
}

// Runs are a small part of what is kept, so that little is kept beyond it and
// the list of them is short.
const (
	runsKept    = 32
	shortestRun = 16
	longestRun  = 4096
)

// newFeed is nil where nothing is to be kept.
func newFeed(most int) *feed {
	if most <= 0 {
		return nil
	}
	return &feed{most: most}
}

// fork gives a clone's feed. The memory behind the last run stays with f. The
// state's mutex is held.
func (f *feed) fork() *feed {
	if f == nil {
		return nil
	}
	clone := &feed{most: f.most, kept: f.kept}
	clone.kept.last = slices.Clip(f.kept.last)
	return clone
}

// prepare makes the history with one revision more, of changes sorted by id, one
// for each record. The writer's mutex is held.
func (f *feed) prepare(revision uint64, changes ...change) {
	if f.next = f.kept; len(changes) > f.most {
		f.overrun(revision)
		return
	}
	for i, ch := range changes {
		ev := event{revision: revision, id: ch.id(), e: ch.new, kind: ch.kind(), last: i == len(changes)-1}
		f.next.add(ev, f.most)
	}
}

// overrun makes the history that remembers nothing before a revision.
func (f *feed) overrun(revision uint64) { f.next = history{from: revision} }

// publish puts in place what was prepared. The state's mutex is held.
func (f *feed) publish() {
	f.kept = f.next
	f.due, f.wake = f.wake, nil
}

// notify wakes who waits for what was published, if anything was. The writer's
// mutex is held and the state's is not: they may be many.
func (f *feed) notify() {
	if f.due != nil {
		close(f.due)
		f.due = nil
	}
}

// waiting gives a channel that is closed at the next commit. The state's mutex
// is held.
func (f *feed) waiting() <-chan struct{} {
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// add appends an event, and forgets the oldest if there are more than most.
func (h *history) add(ev event, most int) {
	if len(h.last) == cap(h.last) {
		if len(h.last) > 0 {
			h.full = append(slices.Clone(h.full), h.last)
		}
		h.last = make([]event, 0, min(max(most/runsKept, shortestRun), longestRun))
	}
	h.last = append(h.last, ev)
	if h.n++; h.n > most {
		h.forget()
	}
}

func (h *history) forget() {
	oldest := h.last
	if len(h.full) > 0 {
		oldest = h.full[0]
	}
	h.from = oldest[h.skip].revision
	h.n--
	if h.skip++; h.skip == len(oldest) && len(h.full) > 0 {
		h.full, h.skip = h.full[1:], 0
	}
}

// ends says whether nothing came after a revision.
func (h *history) ends(revision uint64) bool {
	return h.n == 0 || h.last[len(h.last)-1].revision <= revision
}

// after gives the events after a revision that the history reaches back to, in
// runs. O(log n + runs).
func (h *history) after(revision uint64) [][]event {
	if h.ends(revision) {
		return nil
	}
	i := sort.Search(len(h.full), func(i int) bool {
		run := h.full[i]
		return run[len(run)-1].revision > revision
	})
	runs := append(slices.Clip(h.full[i:]), h.last)
	// What is skipped is of no later revision than from, and so left out here too.
	first, _ := slices.BinarySearchFunc(runs[0], revision+1, func(ev event, r uint64) int { return cmp.Compare(ev.revision, r) })
	runs[0] = runs[0][first:]
	return runs
}
