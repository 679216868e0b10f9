package linearizability_test

import (
	"context"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/gobacklist/backlist/catalogue"
)

// A follower iterates over the changes that a round makes to a collection.
type follower struct {
	which   int
	from    uint64
	changes []change
	err     error
	ended   chan struct{}
}

// closing is a value of the record that the end of a round inserts, and of no
// other that is inserted.
const closing = 77

// followers starts a follower of each collection with a history.
func (r *run) followers() (all []*follower) {
	for i, t := range r.of {
		if t.history > 0 {
			f := &follower{which: i, from: r.from[i].revision, ended: make(chan struct{})}
			go f.run(r.t.of[i])
			all = append(all, f)
		}
	}
	return all
}

// run collects changes until the end of the round, or an error.
func (f *follower) run(of collection) {
	defer close(f.ended)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for ch, err := range of.follow(ctx, f.from) {
		if err != nil {
			f.err = err
			return
		}
		f.changes = append(f.changes, ch)
		if ch.kind == catalogue.Inserted && ch.row.F[0] == closing {
			return
		}
	}
}

// wait returns what the follower was told as one operation at the end of the
// round. There is none if more was written than is kept.
func (f *follower) wait(r *run, revision uint64) []porcupine.Operation {
	<-f.ended
	out := output{changes: f.changes, revision: revision}
	if out.fail(f.err); out.err == forgotten || len(f.changes) > r.of[f.which].history {
		return nil
	}
	now := time.Since(r.start).Nanoseconds()
	in := input{kind: since, which: f.which, revision: f.from}
	return []porcupine.Operation{{Input: in, Call: now, Output: &out, Return: now + 1}}
}
