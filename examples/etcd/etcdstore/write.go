package etcdstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

var (
	errUnknownOutcome = errors.New("the write may or may not be stored")
	errNotStored      = errors.New("the write was not stored in time")
	errChanged        = errors.New("etcdstore: another write came in between")
	errPartial        = errors.New("etcdstore: a part of the write is stored")
)

// write performs a write to a collection and returns its error. do applies it to the
// collection of a draft, and may be called several times. Writes of a Store take turns.
//
// If there is no result before the deadline, the error is one of three. If the transaction
// was sent, it wraps [httpapi.ErrUnavailable], and the write may or may not be stored.
// Otherwise nothing is stored, and it wraps [httpapi.ErrConflict] if there were conflicts
// with writes of other stores, or else [httpapi.ErrUnavailable]. An exception is a deletion
// in several transactions: lists may already be shorter.
func (s *Store) write(ctx context.Context, key string, do func(context.Context, catalogue.AnyCollection) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	// A transaction has more time, so that its outcome is known in most cases.
	longer, end := context.WithTimeout(ctx, s.opts.Timeout+s.opts.Timeout/4)
	defer end()
	defer context.AfterFunc(s.closing, func() { cancel(); end() })()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-limited.Done():
		return withContext(ctx, unavailable(s.notInTime()))
	}
	for conflicts := 0; ; {
		err := s.tryWrite(limited, longer, key, do)
		switch {
		case errors.Is(err, errPartial):
		case errors.Is(err, errChanged):
			conflicts++
		case err != nil && conflicts > 0 && limited.Err() != nil && !errors.Is(err, errUnknownOutcome):
			err = fmt.Errorf("%w: %d conflicts with writes through other processes", httpapi.ErrConflict, conflicts)
			return withContext(ctx, err)
		default:
			return withContext(ctx, err)
		}
	}
}

// tryWrite performs a write in one transaction. The error is errChanged if another write came
// in between, and errPartial if only a part of the write is stored. The
// transaction has the context longer, the rest of the write ctx.
func (s *Store) tryWrite(ctx, longer context.Context, key string, do func(context.Context, catalogue.AnyCollection) error) error {
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	d := s.newDraft()
	c, err := d.collection(key)
	if err != nil {
		return err
	}
	if err := protect(func() error { return do(ctx, c) }); err != nil {
		return err
	}
	complete, err := d.fit()
	if err != nil {
		return err
	}
	stored, err := d.commit(longer)
	switch {
	case err != nil:
		return refused(err)
	case !stored:
		return errChanged
	case !complete:
		return errPartial
	}
	return nil
}

// notInTime returns the error of a write that waited until its deadline.
func (s *Store) notInTime() error {
	if _, _, cause := s.progress.state(); cause != nil {
		return fmt.Errorf("%w: %w", errNotStored, cause)
	}
	return errNotStored
}
