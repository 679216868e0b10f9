package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// A write is a request to change records. One goroutine performs all writes of a Store:
// those that wait at the same time share a transaction.
type write struct {
	ctx   context.Context
	do    func(context.Context, *draft) error // may be called several times
	done  chan error                          // has room for the result
	state atomic.Int32

	result    error
	alone     bool // in its transaction
	conflicts atomic.Int32
}

// States of a write.
const (
	waiting int32 = iota
	running       // part of a transaction, whose outcome is not known
	ended
)

// take reports whether the write still waits, and makes it a part of a transaction.
func (w *write) take() bool {
	return w.ctx.Err() == nil && w.state.CompareAndSwap(waiting, running)
}

// release makes the write wait again.
func (w *write) release() { w.state.Store(waiting) }

// end ends the write with a result.
func (w *write) end(err error) {
	w.state.Store(ended)
	w.done <- err
}

// retry makes a write wait again after a conflict, or ends it after its deadline.
func (w *write) retry() {
	w.conflicts.Add(1)
	if w.ctx.Err() != nil {
		w.end(w.conflict())
	} else {
		w.release()
	}
}

func (w *write) conflict() error {
	return fmt.Errorf("%w: %d conflicts with writes through other processes", httpapi.ErrConflict, w.conflicts.Load())
}

// write performs a write and returns its error.
//
// If there is no result before the deadline, the error is one of three. If the write is
// part of a transaction, which has Timeout/10 more, it wraps [httpapi.ErrUnavailable], and
// the write may or may not be stored. Otherwise nothing is stored, and the error wraps [httpapi.ErrConflict] if
// there were conflicts with writes of other stores, or else [httpapi.ErrUnavailable]. An
// exception is a deletion in several transactions: lists may already be shorter.
func (s *Store) write(ctx context.Context, do func(context.Context, *draft) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	w := &write{ctx: limited, do: do, done: make(chan error, 1)}
	select {
	case s.writes <- w:
	case <-limited.Done():
		return withContext(ctx, unavailable(s.notInTime()))
	case <-s.closing.Done():
		return ErrClosed
	}
	select {
	case err := <-w.done:
		return withContext(ctx, err)
	case <-limited.Done():
	case <-s.closing.Done():
	}
	if w.state.CompareAndSwap(waiting, ended) {
		if w.conflicts.Load() > 0 {
			return withContext(ctx, w.conflict())
		}
		return withContext(ctx, unavailable(s.notInTime()))
	}
	return withContext(ctx, s.outcome(ctx, w))
}

// outcome returns the error of a write that is part of a transaction at its deadline. If
// others write all the time, most writes are, and the transaction is likely to end soon.
func (s *Store) outcome(ctx context.Context, w *write) error {
	select {
	case err := <-w.done:
		return err
	default:
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
	case <-s.closing.Done():
	case <-time.After(s.opts.Timeout / 10):
	}
	return unavailable(errUnknownOutcome)
}

// notInTime returns the error of a write that waited until its deadline.
func (s *Store) notInTime() error {
	if _, _, cause := s.progress.state(); cause != nil {
		return fmt.Errorf("%w: %w", errNotStored, cause)
	}
	return errNotStored
}

// commitAll performs writes until ctx is done.
func (s *Store) commitAll(ctx context.Context) {
	var pending []*write
	for {
		if len(pending) == 0 {
			select {
			case w := <-s.writes:
				pending = append(pending, w)
			case <-ctx.Done():
				return
			}
		}
		for more := true; more && len(pending) < maxWrites; {
			select {
			case w := <-s.writes:
				pending = append(pending, w)
			default:
				more = false
			}
		}
		pending = s.commit(ctx, pending)
	}
}

// commit performs some of the writes in one transaction, and returns those that must be
// tried again.
func (s *Store) commit(ctx context.Context, pending []*write) (again []*write) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	if err := s.catchUp(ctx); err != nil {
		for _, w := range pending {
			if w.take() {
				w.end(err)
			}
		}
		return nil
	}
	d := s.newDraft()
	done, again := d.perform(pending)
	stored, err := d.commit(ctx)
	if d.partial != nil {
		switch again = append(again, d.partial); {
		case err != nil:
			d.partial.end(refused(err))
		case stored:
			d.partial.release()
		default:
			d.partial.retry()
		}
	}
	if err != nil {
		return append(failed(done, refused(err)), again...)
	}
	for _, w := range done {
		if stored {
			w.end(w.result)
		} else {
			w.retry()
		}
	}
	if !stored {
		return append(done, again...)
	}
	return again
}

// failed ends the writes of a transaction with its error. If the transaction was too large,
// it returns those that share it instead, each to be tried alone.
func failed(done []*write, err error) (again []*write) {
	shared := errors.Is(err, ErrTooLarge) && len(done) > 1
	for _, w := range done {
		if shared {
			w.alone = true
			w.release()
			again = append(again, w)
		} else {
			w.end(err)
		}
	}
	return again
}
