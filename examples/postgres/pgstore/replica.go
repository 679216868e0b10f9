package pgstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// errBehind says that a server does not have what this Store wrote or read.
var errBehind = errors.New("pgstore: the server is behind what was read before")

// askReplica reports whether the replica has answered. It is given half of the
// time that there is, which leaves the other half to the primary.
func (s *Store) askReplica(ctx context.Context, t *table, f reader) (answered bool, err error) {
	half := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	err = f(half, s.replica, t.seen.Load())
	switch {
	case err == nil, errors.Is(err, ordering.ErrUnknownField):
		return true, err
	case !errors.Is(err, errBehind) && ctx.Err() == nil: // it is not the time of the request that was over
		s.resting.begin(s.pause())
	}
	return false, nil
}

// pause is for how long a replica that could not answer is not asked: it costs a
// request half of its time to find out.
func (s *Store) pause() time.Duration { return max(s.timeout, 0) + time.Second }

// rest is a time in which somebody is not asked.
type rest struct{ until atomic.Int64 } // Unix time in nanoseconds

func (r *rest) begin(d time.Duration) { r.until.Store(time.Now().Add(d).UnixNano()) }
func (r *rest) over() bool            { return time.Now().UnixNano() >= r.until.Load() }
