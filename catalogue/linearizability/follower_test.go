package linearizability_test

import (
	"context"
	"time"

	"github.com/anishathalye/porcupine"
)

// A follower iterates over the changes that are made to a collection in a round.
type follower struct {
	which   int
	from    uint64
	changes []change
	err     error
	done    chan struct{}
}

// sentinel is a value of the record that is inserted at the end of a round. No
// other inserted record has it.
const sentinel = 77

// followers starts a follower for each collection that has a history.
func (r *run) followers() (all []*follower) {
	for i, t := range r.collections {
		if t.history > 0 {
			f := &follower{which: i, from: r.from[i].revision, done: make(chan struct{})}
			go f.run(r.target.collections[i])
			all = append(all, f)
		}
	}
	return all
}

// run collects changes until the end of the round or an error.
func (f *follower) run(coll collection) {
	defer close(f.done)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for ch, err := range coll.follow(ctx, f.from) {
		if err != nil {
			f.err = err
			return
		}
		f.changes = append(f.changes, ch)
		if ch.kind == inserted && ch.row.F[0] == sentinel {
			return
		}
	}
}

// wait waits for the follower and returns its changes as the result of an operation
// at the end of the round. It returns none if the history may have been trimmed.
func (f *follower) wait(r *run, revision uint64) []porcupine.Operation {
	<-f.done
	out := output{changes: f.changes, revision: revision}
	if out.fail(f.err); out.err == trimmed || len(f.changes) > r.collections[f.which].history {
		return nil
	}
	in := input{kind: since, which: f.which, revision: f.from}
	return []porcupine.Operation{{Input: in, Call: r.clock.next(), Output: &out, Return: r.clock.next()}}
}
