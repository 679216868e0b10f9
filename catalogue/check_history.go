package catalogue

import (
	"fmt"
	"slices"
)

// fault looks at a history of at most so many events beside the state that it
// leads to: that what counts is of the size, the order and the revisions that it
// should be, that what is told of each record makes a story, and that each story
// ends with the record that is there. O(events × log records).
func (h history) fault(most int, t *tables) string {
	n, runs := -h.skip, append(slices.Clip(h.full), h.last)
	for i, run := range runs {
		n += len(run)
		if len(run) == 0 && len(runs) > 1 {
			return fmt.Sprintf("run %d of the history is empty", i)
		}
	}
	if n != h.n || n > most || h.skip < 0 || h.skip > 0 && h.skip >= len(runs[0]) {
		return fmt.Sprintf("the history has %d events, counted %d, of at most %d; %d are skipped", n, h.n, most, h.skip)
	}
	if h.from > t.revision {
		return fmt.Sprintf("the history begins at revision %d, behind %d", h.from, t.revision)
	}
	runs[0] = runs[0][h.skip:]
	stories := map[int]*event{}
	before := &event{revision: h.from, last: true}
	for ev := range (glance{runs: runs}).events {
		if told := ev.misplaced(before, h.from, stories[ev.id]); told != "" {
			return fmt.Sprintf("revision %d of the history, id %d %v: %s", ev.revision, ev.id, ev.kind, told)
		}
		before, stories[ev.id] = ev, ev
	}
	if !before.last || before.revision > t.revision {
		return fmt.Sprintf("the history ends at id %d of revision %d, the collection is at %d", before.id, before.revision, t.revision)
	}
	for id, ev := range stories {
		if t.primary.get(id) != ev.e {
			return fmt.Sprintf("record %d is not the one of revision %d of the history", id, ev.revision)
		}
	}
	return ""
}

// misplaced tells what is wrong with an event behind another, and behind what
// was told of its record before, which may be nil.
func (ev *event) misplaced(before *event, from uint64, told *event) string {
	switch {
	case ev.revision < before.revision:
		return "it comes behind a later one"
	case ev.revision > before.revision && !before.last:
		return "the revision before has no end"
	case ev.revision == before.revision && before.last && ev.revision != from:
		return "its revision has ended"
	case ev.revision == before.revision && ev.id <= before.id:
		return fmt.Sprintf("it comes behind id %d", before.id)
	case (ev.kind == Deleted) != (ev.e == nil) || ev.e != nil && ev.e.id != ev.id:
		return "it has another's record"
	case told != nil && (told.kind == Deleted) != (ev.kind == Inserted):
		return fmt.Sprintf("it was %v before", told.kind)
	}
	return ""
}
