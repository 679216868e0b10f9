package etcdstore

import (
	"context"
	"net/http"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// catchUp waits until the replica has all writes that were acknowledged before the call,
// by any Store. A quorum of the cluster confirms the revision of the last one.
func (s *Store) catchUp(ctx context.Context) error {
	if s.closing.Err() != nil {
		return ErrClosed
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	got, err := s.client.Get(ctx, s.keys.version(), clientv3.WithKeysOnly())
	if err != nil {
		return unavailable(err)
	}
	revision := got.Header.Revision // if the key was deleted by hand
	if len(got.Kvs) > 0 {
		revision = got.Kvs[0].ModRevision
	}
	return unavailable(s.progress.wait(ctx, revision))
}

// catchUpOnce is like catchUp, but does nothing if reads are serializable or if it was
// called before for the same request of [Store.ReadOnce].
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
