package crash_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	walkers  = 64
	recorded = 6 // of the walkers, whose pages porcupine checks
	writers  = 4
)

// checkTimeout is the time after which checking a round is given up.
const checkTimeout = 30 * time.Second

var (
	errNotLinearizable = errors.New("the history is not linearizable")
	errNotChecked      = errors.New("the history could not be checked in time")
)

// A run is a sequence of rounds on one cluster. A round has one fault, and begins in the
// state in which the one before ended.
type run struct {
	cluster *cluster
	checker *checker
	http    *http.Client
	rng     *rand.Rand
	from    state
	open    []*write // of earlier rounds, whose effect was not seen
}

// A round is a time in which clients send requests. Only one goroutine uses rng and client.
type round struct {
	*run
	start int64
	done  chan struct{} // closed at the end

	clients []*client
}

func newRun(c *cluster, rng *rand.Rand) *run {
	transport := &http.Transport{MaxIdleConnsPerHost: walkers + writers}
	return &run{cluster: c, checker: newChecker(), http: &http.Client{Transport: transport}, rng: rng}
}

func (r *round) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// client returns a new client, which must not be in use when fault returns.
func (r *round) client() *client {
	c := &client{round: r, number: len(r.clients), rng: rand.New(rand.NewPCG(r.rng.Uint64(), r.rng.Uint64()))}
	r.clients = append(r.clients, c)
	return c
}

// round calls fault and then checks what the clients have seen. After an error, no other round
// can follow.
func (r *run) round(fault func(*round) error) error {
	now := &round{run: r, start: r.checker.now(), done: make(chan struct{})}
	r.checker.compact()
	r.checker.mu.Lock()
	r.checker.stats.rounds++
	r.checker.stats.resume()
	r.checker.mu.Unlock()
	err := fault(now)
	for _, n := range r.cluster.nodes {
		if e := n.waitServing(30 * time.Second); e != nil {
			return errors.Join(err, e, r.checker.err())
		}
	}
	rows, e := now.client().readAll()
	if err := errors.Join(err, e, r.checker.err()); err != nil {
		return err
	}
	return now.check(rows)
}

// everything selects all records, of which there are far fewer.
var everything = query{limit: 1000}

// readAll reads all records through each node until all nodes have the same.
func (c *client) readAll() ([]row, error) {
	var pages []page
	for range 20 {
		pages = nil
		for _, n := range c.cluster.nodes {
			p, next, ok := c.readPage(n, everything, everything.encode(), 10*time.Second, true)
			if !ok {
				continue // readPage waited
			}
			if next != "" {
				return nil, fmt.Errorf("there are %d records", p.count)
			}
			pages = append(pages, p)
		}
		if len(pages) == len(c.cluster.nodes) && !slices.ContainsFunc(pages, func(p page) bool { return !slices.Equal(p.rows, pages[0].rows) || p.tag != pages[0].tag }) {
			return pages[0].rows, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("the nodes do not have the same records: %+v", pages), c.checker.err())
}

// check lets porcupine check the histories of the clients. rows are the records after the
// round, with which the next one begins.
func (r *round) check(rows []row) error {
	var history []porcupine.Operation
	for _, c := range r.clients {
		history = append(history, c.history...)
		r.open = append(r.open, c.open...)
	}
	history = append(history, r.effective(history, rows)...)
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	stats := &r.checker.stats
	stats.checked += len(history)
	began := time.Now()
	result := porcupine.CheckOperationsTimeout(model(r.from), history, checkTimeout)
	stats.slowest = max(stats.slowest, time.Since(began))
	switch result {
	case porcupine.Illegal:
		return fmt.Errorf("round %d: %w\n%s", stats.rounds, errNotLinearizable, r.text(history))
	case porcupine.Unknown:
		return fmt.Errorf("round %d: %d operations: %w", stats.rounds, len(history), errNotChecked)
	}
	last := r.from.last
	for _, op := range history {
		if in := op.Input.(input); in.kind == create {
			last = max(last, in.id)
		}
	}
	r.from = newState(last, rows)
	return nil
}

// text formats the initial state and the operations of a round.
func (r *round) text(history []porcupine.Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "from %+v\n", r.from)
	for _, op := range history {
		fmt.Fprintf(&b, "%d to %d: client %d: %+v -> %+v\n", op.Call, op.Return, op.ClientId, op.Input, op.Output)
	}
	return b.String()
}

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

// crowded returns a fault during which walkers and writers send requests.
func crowded(fault func(*round) error) func(*round) error {
	return func(r *round) error {
		var group sync.WaitGroup
		for i := range walkers + writers {
			c := r.client()
			group.Go(func() {
				if i < writers {
					c.write()
				} else {
					c.walk(i < writers+recorded)
				}
			})
		}
		err := fault(r)
		close(r.done)
		group.Wait()
		return err
	}
}

// killOne kills a random node, starts it again, and waits until it serves. Sometimes it
// waits before the start until the others store writes again.
func killOne(r *round) error {
	r.wait(100, 600)
	leader, err := r.cluster.leader(context.Background())
	if err != nil {
		return err
	}
	n := r.cluster.nodes[r.rng.IntN(len(r.cluster.nodes))]
	if n == leader {
		r.checker.stats.leaders++ // only this goroutine uses it during the round
	}
	if err := n.kill(); err != nil {
		return err
	}
	if r.rng.IntN(3) > 0 {
		if err := r.waitWrites(10); err != nil {
			return fmt.Errorf("%s was killed: %w", n.name, err)
		}
	}
	r.wait(1, 500)
	began := time.Now()
	if err := n.start(); err != nil {
		return err
	}
	if err := n.waitServing(time.Minute); err != nil {
		return err
	}
	r.recovered(time.Since(began))
	if err := r.waitWrites(10); err != nil {
		return err
	}
	r.wait(100, 400)
	return nil
}

// stopLeader stops the leader for some time, and reads through it when it continues.
func stopLeader(r *round) error {
	r.wait(300, 800)
	n, err := r.cluster.leader(context.Background())
	if err != nil {
		return err
	}
	if err := n.stop(); err != nil {
		return err
	}
	if r.rng.IntN(4) > 0 { // otherwise the leader may stay
		err = r.waitWrites(10)
	}
	r.wait(50, 2500)
	began := time.Now()
	if err := errors.Join(err, n.resume()); err != nil {
		return err
	}
	c := r.client()
	for range 50 {
		q := query{limit: 5}
		c.readPage(n, q, q.encode(), 10*time.Second, true)
	}
	if err := n.waitServing(time.Minute); err != nil {
		return err
	}
	r.recovered(time.Since(began))
	if err := r.waitWrites(10); err != nil {
		return err
	}
	r.wait(100, 400)
	return nil
}

// noFault lets the clients run for some time.
func noFault(r *round) error {
	r.wait(1000, 1001)
	return nil
}

// readAfterWrite is not a fault. It creates records through one node and reads them
// immediately through the others.
func readAfterWrite(r *round) error {
	c := r.client()
	for i := range 30 {
		c.node = r.cluster.nodes[i%len(r.cluster.nodes)]
		c.create()
		for _, n := range r.cluster.nodes {
			if n != c.node {
				c.readPage(n, everything, everything.encode(), 10*time.Second, true)
			}
		}
	}
	return nil
}

// wait waits for a random number of milliseconds.
func (r *round) wait(least, most int) {
	time.Sleep(time.Duration(least+r.rng.IntN(most-least)) * time.Millisecond)
}

// waitWrites waits until n more writes are stored.
func (r *round) waitWrites(n int) error {
	first := r.stored()
	for began := time.Now(); r.stored() < first+n; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			return fmt.Errorf("only %d writes were stored in 30 seconds", r.stored()-first)
		}
	}
	return nil
}

func (r *round) stored() int {
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	return r.checker.stats.writes
}

// recovered records the time from a start to a page.
func (r *round) recovered(d time.Duration) {
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	r.checker.stats.recovery = max(r.checker.stats.recovery, d)
}

// killAfterDelete deletes the record with the highest id, kills a node, and creates another
// record through it. The id of the first must not be used again.
func killAfterDelete(r *round) error {
	c := r.client()
	c.node = r.cluster.nodes[r.rng.IntN(len(r.cluster.nodes))]
	c.create()
	c.change(remove, r.highest())
	if err := errors.Join(c.node.kill(), c.node.start(), c.node.waitServing(time.Minute)); err != nil {
		return err
	}
	c.create()
	return nil
}

func (r *round) highest() int {
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	return r.checker.known[len(r.checker.known)-1]
}
