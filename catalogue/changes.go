package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// A Change is the difference that a revision made to one record. A record that was
// inserted and deleted in one batch has no Change. A record that was written with the
// same content has one. A Change is safe for concurrent use.
type Change[T any] struct {
	Revision uint64 // revision at which the change became visible
	ID       int    // id of the record, or 0 if records have a key: Before and After have it

	// Last reports whether this is the last change of its revision. Applying it and
	// all changes before it leads to the records of a [Snapshot] of that revision.
	Last bool

	typ           *recordType
	before, after *store.Entry
}

// Before returns a copy of the record as it was before the change. If the change inserted
// the record, ok is false. O(size of the record).
func (ch Change[T]) Before() (record T, ok bool) {
	return copyOf[T](ch.typ, ch.before), ch.before != nil
}

// After returns a copy of the record as it was after the change. If the change deleted
// the record, ok is false. O(size of the record).
func (ch Change[T]) After() (record T, ok bool) {
	return copyOf[T](ch.typ, ch.after), ch.after != nil
}

// Since returns the changes after a revision, and the current revision for the next
// call. The changes are sorted by revision and, within a revision, by id. To start, pass
// the revision of a [Snapshot].
//
// The error wraps [ErrHistoryTrimmed] if the history does not lead from the revision to the
// current one: some of the changes are no longer kept, for example after a load or a batch of
// more changes than [Options].History, or the revision does not exist yet, as after a restart
// of the program. The caller then starts again with a Snapshot. Without a history, any write
// has that effect. O(changes returned + log changes kept).
func (c *Collection[T]) Since(revision uint64) (changes []Change[T], now uint64, err error) {
	events, now, err := c.core.since(revision)
	if err != nil {
		return nil, 0, err
	}
	changes = make([]Change[T], len(events))
	for i, ev := range events {
		changes[i] = Change[T]{ev.Revision, c.core.typ.shown(ev.ID), ev.Last, c.core.typ, ev.Old, ev.New}
	}
	return changes, now, nil
}

func (c *core) since(revision uint64) (events []store.Event, now uint64, err error) {
	events, kept, now := c.store.Since(revision)
	if c.typ.engine.History == 0 {
		kept = now
	}
	switch {
	case revision > now:
		return nil, 0, c.typ.errorf("%w: there is no revision %d yet, the current one is %d", ErrHistoryTrimmed, revision, now)
	case revision < kept && c.typ.engine.History == 0:
		return nil, 0, c.typ.errorf("%w: want changes after revision %d, none are kept: set Options.History", ErrHistoryTrimmed, revision)
	case revision < kept:
		return nil, 0, c.typ.errorf("%w: want changes after revision %d, only those after %d are kept", ErrHistoryTrimmed, revision, kept)
	}
	return events, now, nil
}

// Changes returns an iterator over the changes after a revision. It yields the changes that
// [Collection.Since] returns, waits for more, and ends only with an error, which it yields
// with a zero Change: ctx.Err(), or one that wraps [ErrHistoryTrimmed].
//
// Writers never wait for the caller. If the caller falls behind the changes that are
// kept, the error wraps [ErrHistoryTrimmed]. To resume, pass the revision of the last
// change whose field Last is true.
//
// The iterator starts no goroutine. It can be used repeatedly and concurrently.
func (c *Collection[T]) Changes(ctx context.Context, revision uint64) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		for seen := revision; ; {
			changes, now, err := c.Since(seen)
			if err == nil && now == seen {
				err = c.core.store.Wait(ctx, seen)
			}
			if err != nil {
				yield(Change[T]{}, err)
				return
			}
			for _, ch := range changes {
				if err := ctx.Err(); err != nil {
					yield(Change[T]{}, err)
					return
				}
				if !yield(ch, nil) {
					return
				}
			}
			seen = now
		}
	}
}
