package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// follow applies all writes from a revision on to the replica until ctx is done. If the
// history of these writes no longer exists, or cannot be applied, it reads all records
// again.
func (s *Store) follow(ctx context.Context, next int64) {
	for ctx.Err() == nil {
		var err error
		next, err = s.watch(ctx, next)
		if !errors.Is(err, errReread) {
			s.fail(ctx, err, firstPause)
		}
		if mustReread(err) {
			next = s.reread(ctx)
		}
	}
}

// reread reads all records until this succeeds or ctx is done, and returns the next
// revision.
func (s *Store) reread(ctx context.Context) (next int64) {
	for wait := firstPause; ctx.Err() == nil; wait = min(2*wait, maxPause) {
		next, err := s.read(ctx)
		if err == nil {
			return next
		}
		s.fail(ctx, err, wait)
	}
	return 0
}

// fail reports an error and waits before the next attempt.
func (s *Store) fail(ctx context.Context, err error, wait time.Duration) {
	if ctx.Err() == nil {
		s.progress.fail(err)
		s.report(err)
		pause(ctx, wait)
	}
}

// mustReread reports whether the replica cannot go on after an error of watch.
func mustReread(err error) bool {
	return errors.Is(err, errReread) || errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, ErrInvalidData)
}

// watch applies writes until there is an error, and returns the next revision.
func (s *Store) watch(ctx context.Context, next int64) (int64, error) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	// Progress notifications have the revision if other keys change, so that a watch can
	// resume there after a compaction.
	responses := s.client.Watch(ctx, string(s.keys), clientv3.WithPrefix(), clientv3.WithRev(next), clientv3.WithProgressNotify())
	for response := range responses {
		if err := response.Err(); err != nil {
			return next, err
		}
		if response.IsProgressNotify() {
			next = response.Header.Revision + 1
			continue
		}
		if err := s.apply(response.Events); err != nil {
			return next, err
		}
		// The revision in the header may be that of events that are still to come.
		if n := len(response.Events); n > 0 {
			next = response.Events[n-1].Kv.ModRevision + 1
		}
	}
	return next, errors.New("etcdstore: the watch ended")
}

// apply applies events to the replica, one revision at a time. The events of a revision
// are always in one response.
func (s *Store) apply(events []*clientv3.Event) error {
	for len(events) > 0 {
		n, revision := 1, events[0].Kv.ModRevision
		for n < len(events) && events[n].Kv.ModRevision == revision {
			n++
		}
		s.mu.Lock()
		err := s.replica.Load().apply(events[:n])
		s.mu.Unlock()
		if errors.Is(err, errReread) {
			return err
		}
		if err != nil {
			return fmt.Errorf("revision %d: %w", revision, err)
		}
		s.progress.reach(revision)
		events = events[n:]
	}
	return nil
}
