package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// progress is the revision of etcd up to which a replica has all writes.
type progress struct {
	mu    sync.Mutex
	at    int64
	cause error         // why the replica does not follow, or nil
	moved chan struct{} // closed when at changes or the replica follows again
}

func newProgress() *progress { return &progress{moved: make(chan struct{})} }

// reach records that all writes up to a revision are in the replica.
func (p *progress) reach(revision int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if revision > p.at || p.cause != nil {
		p.at, p.cause = max(p.at, revision), nil
		close(p.moved)
		p.moved = make(chan struct{})
	}
}

// fail records why the replica does not follow.
func (p *progress) fail(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cause = cause
}

func (p *progress) state() (at int64, moved <-chan struct{}, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.moved, p.cause
}

// wait waits until all writes up to a revision are in the replica, and until the data in
// etcd is valid: the replica does not have what was written with an invalid key.
func (p *progress) wait(ctx context.Context, revision int64) error {
	for {
		at, moved, cause := p.state()
		if at >= revision && !errors.Is(cause, ErrInvalidData) {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			if cause != nil {
				return fmt.Errorf("the replica is at revision %d of %d: %w", at, revision, cause)
			}
			return fmt.Errorf("the replica is at revision %d of %d: %w", at, revision, ctx.Err())
		}
	}
}
