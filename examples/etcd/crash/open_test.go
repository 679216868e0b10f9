package crash_test

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// effective returns the writes of unknown outcome that took effect in this round or may
// have, and keeps the others for later rounds. A write that is left out has no effect that
// an operation of the round could have seen:
//
//   - The id of a created record is not known until its text is seen. If it was not seen,
//     and is not among the records after the round, the record does not exist.
//   - If no operation has seen the new text of a record, including those that read the
//     records after the round, the results are the same without the change.
//   - If the record exists after the round, it was not deleted, because ids are never used
//     again.
//
// A write that has taken effect once is not possible again.
func (r *round) effective(history []porcupine.Operation, rows []row) (list []porcupine.Operation) {
	texts, ids := map[int]bool{}, map[int]bool{}
	for _, op := range history {
		out := op.Output.(output)
		for _, row := range out.page.rows {
			texts[row.number] = true
		}
		texts[out.number] = true
	}
	for _, row := range rows {
		ids[row.id] = true
	}
	var open []*write
	for _, w := range r.open {
		var effect bool
		switch w.kind {
		case create:
			effect = w.id != 0
		case patch:
			effect = texts[w.number]
		case remove:
			effect = !ids[w.id]
		}
		if !effect {
			open = append(open, w)
			continue
		}
		r.checker.took(w, w.call < r.start)
		list = append(list, porcupine.Operation{
			ClientId: len(r.clients) + len(list), // a client has one operation at a time
			Input:    input{kind: w.kind, number: w.number, id: w.id},
			Output:   output{outcome: unknown},
			Call:     max(w.call, r.start), // the operations before were checked
			Return:   forever,
		})
	}
	r.run.open = open
	return list
}

// took records that a write of unknown outcome has taken effect.
func (l *checker) took(w *write, late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.seen == 0 {
		w.seen = l.tick()
	}
	if w.kind == remove && slices.ContainsFunc(l.records[w.id].deletes, func(d *write) bool { return d.outcome == stored }) {
		return // the effect may be that of the other
	}
	l.stats.seenLater++
	if late {
		l.stats.seenNextRound++
	}
}
