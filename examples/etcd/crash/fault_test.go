package crash_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

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

// readAfterWrite is no fault. It creates records through one node and reads them
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

// highest returns the highest id.
func (r *round) highest() int {
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	return r.checker.known[len(r.checker.known)-1]
}
