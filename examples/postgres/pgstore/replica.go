package pgstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// errBehind is returned if a server lacks something that this Store wrote or read.
var errBehind = errors.New("pgstore: the server is older than what was read before")

// askReplica calls f with the replica and reports whether it has answered. The replica
// has half of the remaining time, which leaves the other half to the primary.
func (s *Store) askReplica(ctx context.Context, t *table, f reader) (answered bool) {
	half := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	err := f(half, s.replica, t.seen.Load())
	if err != nil && !errors.Is(err, errBehind) && ctx.Err() == nil { // the request itself has not ended
		s.resting.begin(s.pause())
	}
	return err == nil
}

// pause returns for how long a replica that failed is not asked. A replica that does
// not answer would cost each request half of its time.
func (s *Store) pause() time.Duration { return max(s.timeout, 0) + time.Second }

// rest is a period in which a server is not asked.
type rest struct{ until atomic.Int64 } // Unix time in nanoseconds

func (r *rest) begin(d time.Duration) { r.until.Store(time.Now().Add(d).UnixNano()) }
func (r *rest) over() bool            { return time.Now().UnixNano() >= r.until.Load() }
