package catalogue

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// A ChangeKind says what happened to a record.
type ChangeKind uint8

// What can happen to a record from one revision to the next.
const (
	Inserted ChangeKind = 1 + iota // it was not there before
	Updated                        // it was there, and was written to, be it with what it held
	Deleted                        // it is not there any more
)

// String is the constant's name in lower case.
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
// that came and went in one [Collection.Update] is no change. It may be copied
// and used by any number of goroutines at once.
type Change[T any] struct {
	Revision uint64 // at which it is seen
	ID       int
	Kind     ChangeKind

	// Last says that it is the last change of its revision. Who has applied it
	// and all before it has what a [Snapshot] of that revision holds.
	Last bool

	schema *schema[T]
	e      *entry
}

// Record gives a copy of the record as the change left it: the zero value if it
// was deleted. O(size of the record).
func (ch Change[T]) Record() (record T) {
	if ch.e == nil {
		return record
	}
	return ch.schema.clone(recordOf[T](ch.e))
}

// AppendJSON appends the record's wire form to dst, or null if it was deleted.
// An error, which only a record with marshalling of its own can cause, is an
// [ErrInvalid]; dst is then returned as it was. O(length), once made.
func (ch Change[T]) AppendJSON(dst []byte) ([]byte, error) {
	if ch.e == nil {
		return append(dst, "null"...), nil
	}
	record, err := ch.schema.encoded(ch.e)
	return append(dst, record...), err
}

// Since gives what was inserted, changed and deleted after a revision, by
// revision and within one by id, and the revision up to which this is all: to be
// asked for the next time. It never ends within a revision. Begin with the
// revision of a [Snapshot]; that and what comes since lack nothing.
//
// [ErrHistory] says that so old changes are not kept any more, and from which
// revision on they are: begin again with a Snapshot. So does a Load or an Update
// of more records than [Options].History. [ErrRevision] is a revision that has not
// come yet, [ErrNoHistory] a collection that keeps no changes. O(changes given +
// log of those kept).
func (c *Collection[T]) Since(revision uint64) (changes []Change[T], now uint64, err error) {
	g, _, err := c.store.glance(revision, false)
	if err != nil {
		return nil, 0, err
	}
	changes = slices.Grow(changes, g.len())
	for ev := range g.events {
		changes = append(changes, c.schema.change(ev))
	}
	return changes, g.now, nil
}

// Changes yields the changes after a revision as [Collection.Since] does, then
// waits for more. It ends with an error, which it yields alone: ctx's when that
// is done, or those of Since; [ErrHistory] comes to who is so slow that what he
// has not seen was forgotten. No writer ever waits for who follows. To go on
// after a break, begin with the revision of the last change that was Last.
//
// It runs in the caller's goroutine and may be gone through by several, each from
// the revision on.
func (c *Collection[T]) Changes(ctx context.Context, revision uint64) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		for seen := revision; ; {
			g, err := c.store.follow(ctx, seen)
			if err != nil {
				yield(Change[T]{}, err)
				return
			}
			for ev := range g.events {
				if err := ctx.Err(); err != nil {
					yield(Change[T]{}, err)
					return
				}
				if !yield(c.schema.change(ev), nil) {
					return
				}
			}
			seen = g.now
		}
	}
}

func (s *schema[T]) change(ev *event) Change[T] {
	return Change[T]{Revision: ev.revision, Kind: ev.kind, ID: ev.id, Last: ev.last, schema: s, e: ev.e}
}
