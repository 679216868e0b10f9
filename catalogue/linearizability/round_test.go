package linearizability_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// A workload is a target and what clients do to it.
type workload struct {
	name     string
	of       []traits
	open     func() (target, error) // makes it, without records
	mix      mix
	required bool // the optional field is always there
	idle     bool // batches may write nothing
	commits  bool // no batch is aborted
	keepsIDs bool // of a saved catalogue the highest id ever used is looked at
}

// A run is a workload that is running: rounds of concurrent operations on one
// target, which grows old. Each round begins in a known state.
type run struct {
	*workload
	model   model
	t       target
	from    states
	earlier []held
	rng     *rand.Rand
	start   time.Time
	rounds  int
	calls   int
	unknown int
}

// patience is how long a round may take to check. Longer is unknown.
const patience = 10 * time.Second

// begin makes the target and inserts its base.
func (w *workload) begin(rng *rand.Rand, m model) (*run, error) {
	t, err := w.open()
	if err != nil {
		return nil, err
	}
	r := &run{workload: w, model: m, t: t, rng: rng, start: time.Now()}
	for i, of := range t.of {
		rows := w.of[i].base.rows
		err := of.update(func(tx writer) error {
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
		r.from[i] = state{last: len(rows), used: len(rows), revision: of.snapshot().revision()}
	}
	return r, nil
}

// round runs some clients at once and checks what they saw.
func (r *run) round() error {
	r.rounds++
	number := 3 + r.rng.IntN(4)
	if r.of[0].history > 0 {
		number = 3 + r.rng.IntN(2) // each order of writes is another state
	}
	p := newPlanner(r.rng, r.workload, r.from, r.earlier)
	plans := p.plans(number, 8+r.rng.IntN(8))
	followers := r.followers()
	clients := r.atOnce(plans)
	last := r.client(0, 0)
	last.perform(r.closing())

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
	if err := r.judge(history); err != nil {
		return err
	}
	return r.proceed(last.history)
}

// atOnce performs plans, each by a client of its own.
func (r *run) atOnce(plans [][]input) (clients []*client) {
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

func (r *run) client(number, pace int) *client {
	c := &client{run: r, number: number, pace: pace}
	c.rng = rand.New(rand.NewPCG(r.rng.Uint64(), r.rng.Uint64()))
	for i, s := range r.from {
		c.seen[i] = s.revision
	}
	return c
}

// closing plans the operations after which the state is known.
func (r *run) closing() (plan []input) {
	for i := range r.of {
		p := planner{workload: r.workload, rng: r.rng}
		last := p.row(0)
		last.F[0] = closing
		plan = append(plan, input{kind: insert, which: i, row: last}, input{kind: snapshot, which: i})
	}
	return plan
}

// proceed takes the state over into the next round. At times that works on a
// clone.
func (r *run) proceed(closing []porcupine.Operation) error {
	for i := range r.of {
		id, all := closing[2*i].Output.(*output).id, closing[2*i+1].Output.(*output)
		r.from[i] = state{rows: all.rows, last: id, used: id, revision: all.revision}
	}
	if r.rng.IntN(6) == 0 {
		r.t = r.t.clone()
	}
	if len(r.earlier) < 3 || r.rng.IntN(4) == 0 {
		r.earlier = append(r.earlier, held{r.t.of[0].snapshot(), r.from[0]})
		r.earlier = slices.Clone(r.earlier[max(0, len(r.earlier)-3):])
	}
	if r.rounds%8 > 0 {
		return nil
	}
	for _, of := range r.t.of {
		if err := of.check(); err != nil {
			return fmt.Errorf("after round %d: %w", r.rounds, err)
		}
	}
	return nil
}

// judge checks a history. Its error says why it is not linearizable.
func (r *run) judge(history []porcupine.Operation) error {
	m := r.model.porcupine(r.from)
	switch porcupine.CheckOperationsTimeout(m, history, patience) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		if r.unknown++; r.unknown*100 > r.rounds+100 {
			return fmt.Errorf("%d of %d rounds could not be checked in %v each", r.unknown, r.rounds, patience)
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
		_, info := porcupine.CheckOperationsVerbose(m, history, patience)
		if failed := porcupine.VisualizePath(m, info, path); failed != nil {
			return fmt.Errorf("%w; %w", err, failed)
		}
		return fmt.Errorf("%w: see %s", err, path)
	}
	return err
}
