package catalogue

import (
	"context"
	"fmt"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// A ChangeKind tells what happened to a record.
type ChangeKind uint8

// What can happen to a record from one revision to the next.
const (
	Inserted ChangeKind = 1 + iota // it was not there before
	Updated                        // it was there, and was written to, be it with what it held
	Deleted                        // it is not there any more
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

// A Change is what a revision did to one record: the difference between the
// collection before it and after it, whatever was written in between. A record
// that came and went in one [Collection.Batch] is no change. It may be copied
// and used by any number of goroutines at once.
type Change[T any] struct {
	Revision uint64 // at which it is seen
	ID       int
	Kind     ChangeKind

	// Last reports whether it is the last change of its revision. Applying it
	// and all before it leads to what a [Snapshot] of that revision holds.
	Last bool

	schema *schema[T]
	entry  *store.Entry
}

// Record returns a copy of the record as the change left it: the zero value if it
// was deleted. O(size of the record).
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

// Since returns what was inserted, changed and deleted after a revision, by
// revision and within one by id, and the revision up to which this is all: to be
// asked for the next time. It never ends within a revision. Begin with the
// revision of a [Snapshot]; that and what comes since lack nothing.
//
// It returns [ErrHistoryTrimmed] if so old changes are not kept any more; the error
// names the revision from which on they are: begin again with a Snapshot. A Load or an
// Update of more records than [Options].History has the same effect. It returns
// [ErrFutureRevision] for a revision that has not come yet, and [ErrNoHistory] for a
// collection that keeps no changes. O(changes returned + log of those kept).
func (c *Collection[T]) Since(revision uint64) (changes []Change[T], now uint64, err error) {
	if c.schema.history <= 0 {
		return nil, 0, c.schema.errorf("%w", ErrNoHistory)
	}
	events, kept, now := c.store.Since(revision)
	switch {
	case revision > now:
		return nil, 0, c.schema.errorf("%w: %d, it is at %d", ErrFutureRevision, revision, now)
	case revision < kept:
		return nil, 0, c.schema.errorf("%w: revision %d was asked for, changes are kept from %d on", ErrHistoryTrimmed, revision, kept)
	}
	changes = make([]Change[T], len(events))
	for i := range events {
		changes[i] = c.schema.change(&events[i])
	}
	return changes, now, nil
}

// Changes yields the changes after a revision as [Collection.Since] does, then
// waits for more. It ends with an error, which it yields alone: ctx's when that
// is done, or those of Since. A caller that falls so far behind that changes it
// has not seen are dropped gets [ErrHistoryTrimmed]. No writer ever waits for a caller. To go on
// after a break, begin with the revision of the last change that was Last.
//
// It runs in the caller's goroutine. Several goroutines may iterate, each from the
// revision on.
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
