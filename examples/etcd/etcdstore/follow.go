package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
)

// follow applies all writes since a revision to the replica until ctx is done. If the
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

// catchUp waits until the replica has all writes that were acknowledged before the call,
// by any Store. A quorum of the cluster confirms the revision of the last one.
func (s *Store) catchUp(ctx context.Context) error {
	if s.closing.Err() != nil {
		return ErrClosed
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	revision, err := s.lastRevision(ctx)
	if err != nil {
		return unavailable(err)
	}
	return unavailable(s.progress.wait(ctx, revision))
}

// lastRevision returns the revision of the last write. While the cluster has no leader, it
// retries until ctx is done, because a client of a member in the same process does not retry.
func (s *Store) lastRevision(ctx context.Context) (int64, error) {
	for {
		got, err := s.client.Get(ctx, s.keys.version(), clientv3.WithKeysOnly())
		switch {
		case err == nil && len(got.Kvs) > 0:
			return got.Kvs[0].ModRevision, nil
		case err == nil:
			return got.Header.Revision, nil // the key was deleted by hand
		case codeOf(err) != codes.Unavailable || s.closing.Err() != nil || !pause(ctx, firstPause):
			return 0, err
		}
	}
}

// catchUpOnce waits until the replica is current. It returns at once if reads are
// serializable, or with the same error if it was called before for the same request of
// [Store.ReadOnce].
func (s *Store) catchUpOnce(ctx context.Context) error {
	switch once, ok := ctx.Value(requestKey{s}).(*request); {
	case s.opts.Serializable:
		return ctx.Err()
	case ok:
		once.Do(func() { once.err = s.catchUp(ctx) })
		return withContext(ctx, once.err)
	}
	return withContext(ctx, s.catchUp(ctx))
}

// requestKey is the key of a *request in a context.
type requestKey struct{ *Store }

type request struct {
	sync.Once
	err error
}

// ReadOnce returns a handler that calls h. During a request, the first read asks the
// cluster for the last revision, and the others do not: they see at least the writes that
// were acknowledged before the request. Without it, a page with an entity tag asks three
// times.
func (s *Store) ReadOnce(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{s}, &request{})))
	})
}

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
