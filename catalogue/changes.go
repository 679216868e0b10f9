package catalogue

import (
	"context"
	"fmt"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// A ChangeKind is the kind of a [Change].
type ChangeKind uint8

const (
	Inserted ChangeKind = 1 + iota // the record did not exist before
	Updated                        // the record existed before, and was written to
	Deleted                        // the record does not exist any more
)

// String returns the constant's name in lower case.
func (k ChangeKind) String() string {
	switch k {
	case Inserted:
		return "inserted"
	case Updated:
		return "updated"
	case Deleted:
		return "deleted"
	}
	return fmt.Sprintf("ChangeKind(%d)", uint8(k))
}

// A Change is the difference that a revision made to one record. A record that was
// inserted and deleted in one batch is not a change. A Change is safe for concurrent
// use.
type Change[T any] struct {
	Revision uint64 // at which the change became visible
	ID       int
	Kind     ChangeKind

	// Last reports whether this is the last change of its revision. Applying it and
	// all changes before it leads to the records of a [Snapshot] of that revision.
	Last bool

	schema *schema[T]
	entry  *store.Entry
}

// Record returns a copy of the record after the change, or the zero value if it was
// deleted. O(size of the record).
func (ch Change[T]) Record() (record T) {
	if ch.entry == nil {
		return record
	}
	return ch.schema.clone(recordOf[T](ch.entry))
}

// JSON returns the record in JSON, or null if it was deleted. It must not be
// modified. The error is [ErrInvalid] if a method of T fails to marshal. O(1),
// after the first call for a record.
func (ch Change[T]) JSON() ([]byte, error) {
	if ch.entry == nil {
		return []byte("null"), nil
	}
	return ch.schema.encoded(ch.entry)
}

// Since returns the changes after a revision and the current revision. The changes are
// in the order of their revisions, and within one in the order of the ids. Pass the
// returned revision to the next call. To start, pass the revision of a [Snapshot].
//
// The error is [ErrHistoryTrimmed] if those changes are no longer kept: start again with
// a Snapshot. That is also so after a load or a batch of more changes than
// [Options].History. The error is [ErrFutureRevision] for a revision that does not exist
// yet, and [ErrNoHistory] if the collection keeps no changes.
// O(changes returned + log of those kept).
func (c *Collection[T]) Since(revision uint64) (changes []Change[T], now uint64, err error) {
	if c.schema.history <= 0 {
		return nil, 0, c.schema.errorf("%w", ErrNoHistory)
	}
	events, kept, now := c.store.Since(revision)
	switch {
	case revision > now:
		return nil, 0, c.schema.errorf("%w: %d, the current one is %d", ErrFutureRevision, revision, now)
	case revision < kept:
		return nil, 0, c.schema.errorf("%w: changes after revision %d were requested, they are kept from %d on", ErrHistoryTrimmed, revision, kept)
	}
	changes = make([]Change[T], len(events))
	for i := range events {
		changes[i] = c.schema.change(&events[i])
	}
	return changes, now, nil
}

// Changes returns an iterator over the changes after a revision. It yields those that
// [Collection.Since] returns, then waits for more. It ends with an error, which it
// yields without a change: that of ctx, or that of Since. A caller that falls behind the
// changes that are kept gets [ErrHistoryTrimmed]; writers never wait for it. To
// continue after a break, start with the revision of the last change that was Last.
//
// The iterator runs in the goroutine of its caller. Several may run at once.
func (c *Collection[T]) Changes(ctx context.Context, revision uint64) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		for seen := revision; ; {
			changes, now, err := c.Since(seen)
			if err == nil && now == seen {
				err = c.store.Wait(ctx, seen)
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

func (s *schema[T]) change(ev *store.Event) Change[T] {
	kind := Updated
	switch {
	case ev.New == nil:
		kind = Deleted
	case ev.Inserted:
		kind = Inserted
	}
	return Change[T]{Revision: ev.Revision, ID: ev.ID, Kind: kind, Last: ev.Last, schema: s, entry: ev.New}
}
