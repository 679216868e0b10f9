package clienttest

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
)

// A queue decides which goroutine of a client goes on, if several wait for the service: one at a
// time, after all goroutines of the bubble are blocked. The choice depends only on what they wait for,
// so a client that sends requests concurrently sees the same order in each run.
type queue struct {
	reversed bool // the last goes on first, in the order of what they wait for

	reordered atomic.Bool // another one than the first has gone on

	mu      sync.Mutex
	waiting []turn
	ended   bool
	arrived chan struct{} // has room for one
}

// A turn is what a goroutine waits for.
type turn struct {
	what string
	come chan struct{} // closed when it is the goroutine's turn
}

// newQueue returns a queue. It is called in the bubble.
func newQueue(reversed bool) *queue {
	return &queue{reversed: reversed, arrived: make(chan struct{}, 1)}
}

// wait returns when it is the turn of the calling goroutine, or when the queue has ended.
func (q *queue) wait(what string) {
	t := turn{what, make(chan struct{})}
	if !q.add(t) {
		return
	}
	select {
	case q.arrived <- struct{}{}:
	default:
	}
	<-t.come
}

func (q *queue) add(t turn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.waiting = append(q.waiting, t)
	}
	return !q.ended
}

// run lets goroutines go on until end is closed.
func (q *queue) run(end <-chan struct{}) {
	for {
		select {
		case <-q.arrived:
			synctest.Wait()
			for q.next() {
				synctest.Wait()
			}
		case <-end:
			q.close()
			return
		}
	}
}

// next lets one goroutine go on. It reports whether there was one.
func (q *queue) next() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return false
	}
	slices.SortStableFunc(q.waiting, func(a, b turn) int {
		return cmp.Or(cmp.Compare(len(a.what), len(b.what)), strings.Compare(a.what, b.what)) // 9 before 10
	})
	i := 0
	if q.reversed && len(q.waiting) > 1 {
		i = len(q.waiting) - 1
		q.reordered.Store(true)
	}
	close(q.waiting[i].come)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// close lets all goroutines go on.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for _, t := range q.waiting {
		close(t.come)
	}
	q.waiting = nil
}
