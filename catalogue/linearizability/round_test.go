package linearizability_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// A workload describes a target and the operations that clients perform on it.
type workload struct {
	name        string
	collections []collectionModel
	newTarget   func() (target, error) // the target has no records
	mix         mix
	required    bool // the optional field is always present
	noChanges   bool // batches change nothing
	noAborts    bool // no batch is aborted
	keepsIDs    bool // check the next id of a saved catalogue
}

// A run is an execution of a workload: rounds of concurrent operations on one
// target. Each round begins in a known state.
type run struct {
	*workload
	model   model
	target  target
	from    states         // at the beginning of the round
	earlier []heldSnapshot // of collection 0
	rng     *rand.Rand
	start   time.Time
	clock   clock
	rounds  int
	calls   int // recorded operations
	unknown int // rounds that could not be checked in time
}

// checkTimeout is the time after which checking a round is given up.
const checkTimeout = 10 * time.Second

// begin returns a run with a new target that has the records of the base.
func (w *workload) begin(rng *rand.Rand, m model) (*run, error) {
	t, err := w.newTarget()
	if err != nil {
		return nil, err
	}
	r := &run{workload: w, model: m, target: t, rng: rng, start: time.Now()}
	for i, coll := range t.collections {
		rows := w.collections[i].base.rows
		err := coll.batch(func(tx writer) error {
			for _, r := range rows {
				if _, err := tx.upsert(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		r.from[i] = state{last: len(rows), used: len(rows), revision: coll.snapshot().revision()}
	}
	return r, nil
}

// round runs several clients concurrently and checks the history of their
// operations.
func (r *run) round() error {
	r.rounds++
	number := 3 + r.rng.IntN(4)
	if r.collections[0].history > 0 {
		number = 3 + r.rng.IntN(2) // every order of writes is a different state
	}
	p := newPlanner(r.rng, r.workload, r.from, r.earlier)
	plans := p.plans(number, 8+r.rng.IntN(8))
	followers := r.followers()
	clients := r.runClients(plans)
	last := r.client(0, 0)
	last.perform(r.finalPlan())

	var history []porcupine.Operation
	for _, f := range followers {
		end := last.history[2*f.which+1].Output.(*output)
		history = append(history, f.wait(r, end.revision)...)
	}
	for _, c := range append(clients, last) {
		history = append(history, c.history...)
	}
	for i := range history {
		history[i].Output = *history[i].Output.(*output)
	}
	r.calls += len(history)
	if err := r.check(history); err != nil {
		return err
	}
	return r.advance(last.history)
}

// runClients performs the plans concurrently, each with its own client.
func (r *run) runClients(plans [][]input) (clients []*client) {
	pace := r.rng.IntN(4)
	ready := make(chan struct{})
	var group sync.WaitGroup
	for i, plan := range plans {
		c := r.client(i, pace)
		clients = append(clients, c)
		group.Go(func() {
			<-ready
			c.perform(plan)
		})
	}
	close(ready)
	group.Wait()
	return clients
}

// client returns a new client.
func (r *run) client(number, pace int) *client {
	c := &client{run: r, number: number, pace: pace}
	c.rng = rand.New(rand.NewPCG(r.rng.Uint64(), r.rng.Uint64()))
	for i, s := range r.from {
		c.seen[i] = s.revision
	}
	return c
}

// finalPlan returns the operations after which the state is known.
func (r *run) finalPlan() (plan []input) {
	for i := range r.collections {
		p := planner{workload: r.workload, rng: r.rng}
		last := r.collections[i].fresh(p.row(i, 0), r.rounds)
		last.F[0] = sentinel
		plan = append(plan, input{kind: insert, which: i, row: last}, input{kind: snapshot, which: i})
	}
	return plan
}

// advance prepares the next round, which sometimes uses a clone of the target. The
// operations of finalPlan determine its initial state.
func (r *run) advance(final []porcupine.Operation) error {
	for i := range r.collections {
		id, all := final[2*i].Output.(*output).id, final[2*i+1].Output.(*output)
		r.from[i] = state{rows: all.rows, last: id, used: id, revision: all.revision}
	}
	if r.rng.IntN(6) == 0 {
		r.target = r.target.clone()
	}
	if len(r.earlier) < 3 || r.rng.IntN(4) == 0 {
		r.earlier = append(r.earlier, heldSnapshot{r.target.collections[0].snapshot(), r.from[0]})
		r.earlier = slices.Clone(r.earlier[max(0, len(r.earlier)-3):])
	}
	if r.rounds%8 > 0 {
		return nil
	}
	for _, coll := range r.target.collections {
		if err := coll.check(); err != nil {
			return fmt.Errorf("after round %d: %w", r.rounds, err)
		}
	}
	return nil
}

// check returns an error wrapping errNotLinearizable if a history is not
// linearizable.
func (r *run) check(history []porcupine.Operation) error {
	m := r.model.porcupine(r.from)
	switch porcupine.CheckOperationsTimeout(m, history, checkTimeout) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		if r.unknown++; r.unknown*100 > r.rounds+100 {
			return fmt.Errorf("%d of %d rounds could not be checked in %v each", r.unknown, r.rounds, checkTimeout)
		}
		return nil
	}
	err := fmt.Errorf("round %d is %w", r.rounds, errNotLinearizable)
	for _, op := range history {
		if out := op.Output.(output); strings.HasPrefix(out.err, unexpected) {
			err = fmt.Errorf("%w; %v -> %s", err, op.Input, out.err)
		}
	}
	if path := os.Getenv(htmlVariable); path != "" {
		_, info := porcupine.CheckOperationsVerbose(m, history, checkTimeout)
		if failed := porcupine.VisualizePath(m, info, path); failed != nil {
			return fmt.Errorf("%w; %w", err, failed)
		}
		return fmt.Errorf("%w: see %s", err, path)
	}
	return fmt.Errorf("%w\n%s", err, r.text(history))
}

// text formats the initial state and the operations of a round, by the time of their
// calls.
func (r *run) text(history []porcupine.Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "from %+v\n", r.from)
	slices.SortFunc(history, func(x, y porcupine.Operation) int { return cmp.Compare(x.Call, y.Call) })
	for _, op := range history {
		fmt.Fprintf(&b, "%d to %d: client %d: %v -> %v\n", op.Call, op.Return, op.ClientId, op.Input, op.Output)
	}
	return b.String()
}
