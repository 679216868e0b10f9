package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Change is the difference that a revision made to one record. A record that was inserted and
// deleted in one batch has no Change. A record that was written with the same content has one. If
// the case of a key that is [schema.Field].Fold changes, there are two: a deletion under the old
// key and an insertion under the new one. A Change is safe for concurrent use.
type Change[T any] struct {
	Revision uint64          // revision at which the change became visible
	Identity schema.Identity // id or key of the record

	// Last reports whether this is the last change of its revision. Applying it and all changes
	// before it leads to the records of a snapshot of that revision.
	Last bool

	copier        *value.Copier
	before, after *store.Entry
}

// Before returns a copy of the record as it was before the change. If the change inserted
// the record, ok is false. O(size of the record).
func (ch Change[T]) Before() (record T, ok bool) {
	return layout.CopyOf[T](ch.copier, ch.before), ch.before != nil
}

// After returns a copy of the record as it was after the change. If the change deleted
// the record, ok is false. O(size of the record).
func (ch Change[T]) After() (record T, ok bool) {
	return layout.CopyOf[T](ch.copier, ch.after), ch.after != nil
}

// Since returns the changes after a revision, sorted by revision and then by id, and the current
// revision for the next call. To start, pass the revision of a snapshot. A load, like
// [Collection.ReplaceAll], has a change for every record before or after it. A clone continues the
// history of its original. Saved data has no revisions.
//
// The error wraps [ErrHistoryTrimmed] if the history does not lead from the revision to the current
// one: some of the changes are no longer kept, for example after a load or a batch of more changes
// than [Options].History, or the revision does not exist yet, as after a restart of the program.
// The caller then starts again with a Snapshot. O(changes returned + log changes kept).
func (c *Collection[T]) Since(revision uint64) (changes []Change[T], now uint64, err error) {
	events, now, err := core.Since(c.core, revision)
	if err != nil {
		return nil, 0, err
	}
	changes = make([]Change[T], len(events))
	for i, ev := range events {
		changes[i] = Change[T]{ev.Revision, ev.Identity, ev.Last, c.core.Type.Copier, ev.Old, ev.New}
	}
	return changes, now, nil
}

// Changes returns an iterator over the changes that [Collection.Since] returns for a revision. It
// waits for more, and ends only with an error, which it yields with a zero Change: ctx.Err(), or
// one that wraps [ErrHistoryTrimmed]. Writers never wait for the caller. To resume, pass the
// revision of the last change whose field Last is true. The iterator starts no goroutine, and can
// be used repeatedly and concurrently.
func (c *Collection[T]) Changes(ctx context.Context, revision uint64) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		for seen := revision; ; {
			changes, now, err := c.Since(seen)
			if err == nil && now == seen {
				err = c.core.Store.Wait(ctx, seen)
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

// A Commit has the changes of a batch, a single write or a load to one collection, for a journal.
// It is immutable and safe for concurrent use, and may be kept.
type Commit struct {
	Collection string // key of the collection, or Options.Name of a standalone one
	Revision   uint64 // at which the changes become visible
	LastID     int    // highest id ever used; lower ones are never assigned again; 0 for keys

	// Changes yields the changed records, in the order of their ids: the id or key, and the JSON as
	// Save writes it, or nil for a deleted record. The JSON must not be modified. After a load it
	// yields all records and the deleted ones. If only an id was used, by a record that the same
	// batch deleted, there are no changes. A key that the batch deletes and inserts again is
	// yielded twice: the last one counts. If the case of a key that is [schema.Field].Fold changes,
	// the old one is yielded as deleted.
	Changes iter.Seq2[schema.Identity, []byte]
}

// Journal sets the function that is called once for each batch, single write and load, with what it
// changes in each collection, after everything has been checked and before anything is visible. If
// it returns an error, the writer returns that error; if it panics, so does the writer. Nothing has
// changed then, and no id is used. Otherwise the changes become visible. To restore what a journal
// has stored, load the records before setting the journal.
//
// If storing a batch fails, as after an error of fsync or a lost connection, a file or a database
// may contain the batch all the same. After such an error the journal must refuse all batches until
// the program has loaded the records again. An error of a transaction that was never committed
// needs no such care.
//
// f may read from the catalogue, but must not write to it. While f runs, other writers wait;
// readers do not. A clone and a snapshot have no journal. If f is nil, the journal is removed. The
// error wraps [ErrReadOnly] if the catalogue is a snapshot.
func (c *Catalogue) Journal(f func(batch []Commit) error) error { return c.set.Journal(journalOf(f)) }

// journalOf returns a function that calls f, or nil if f is nil.
func journalOf(f func([]Commit) error) func([]core.Commit) error {
	if f == nil {
		return nil
	}
	return func(commits []core.Commit) error {
		batch := make([]Commit, len(commits))
		for i, from := range commits {
			batch[i] = Commit(from)
		}
		return f(batch)
	}
}

// Journal sets the function that is called with each batch, single write and load before it is
// visible. The batch has one Commit. [Catalogue.Journal] describes what f must do; a collection of
// a catalogue has the catalogue's journal. If f is nil, the journal is removed. The error wraps
// [ErrReadOnly] if the collection belongs to a snapshot.
func (c *Collection[T]) Journal(f func(batch []Commit) error) error {
	return c.core.Set.Journal(journalOf(f))
}
