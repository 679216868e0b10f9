package crash_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
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

// round lets fault do its work and checks what the clients have seen. If there is an error,
// no other round can follow.
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
