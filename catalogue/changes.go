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

// A Change is the difference that a revision made to one record. A record that was
// inserted and deleted in one batch has no Change. A record that was written with the
// same content has one. If the key of a record is a text that is [schema.Field].Fold, and its case
// changes, there are two: the deletion of the record with the old key, and the insertion of that with
// the new one. So a copy of the collection that applies Identity and After of each Change is right. A
// Change is safe for concurrent use.
type Change[T any] struct {
	Revision uint64          // revision at which the change became visible
	Identity schema.Identity // id or key of the record

	// Last reports whether this is the last change of its revision. Applying it and
	// all changes before it leads to the records of a snapshot of that revision.
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

// Since returns the changes after a revision, and the current revision for the next
// call. The changes are sorted by revision and, within a revision, by id. To start, pass
// the revision of a snapshot. A load, like [Collection.ReplaceAll], has a change for every record
// before or after it. A clone continues the history of its original. Saved data has no revisions.
//
// The error wraps [ErrHistoryTrimmed] if the history does not lead from the revision to the
// current one: some of the changes are no longer kept, for example after a load or a batch of
// more changes than [Options].History, or the revision does not exist yet, as after a restart
// of the program. The caller then starts again with a Snapshot. Without a history, any write
// has that effect. O(changes returned + log changes kept).
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

// A Commit has the changes of a batch, a single write or a load to one collection. A journal
// receives it before the changes become visible. It is immutable and safe for concurrent use,
// and a journal may keep it.
type Commit struct {
	Collection string // key of the collection, or Options.Name of a standalone one
	Revision   uint64 // at which the changes become visible
	LastID     int    // highest id ever used; lower ones are never assigned again; 0 for keys

	// Changes yields the changed records, in the order of their ids: the id or key, and the JSON
	// as Save writes it, or nil for a deleted record. The JSON must not be modified. After a
	// load it yields all records and the deleted ones. If only an id was used, by a record
	// that the same batch deleted, there are no changes. A key that the batch deletes and inserts
	// again is yielded twice: the last one counts. If the key is a text that is
	// [schema.Field].Fold, and its case changes, the old one is yielded as deleted.
	Changes iter.Seq2[schema.Identity, []byte]
}

// Journal sets the function that is called once for each batch, single write and load,
// with what it changes in each collection. It is called after everything has been checked,
// and before anything is visible. If it returns an error, the writer returns that error; if
// it panics, so does the writer. Nothing has changed then, and no id is used. Otherwise the
// changes become visible, and nothing can prevent that. A journal that stores the changes
// makes them durable: to restore them, load the records before setting the journal.
//
// If storing a batch fails, as after an error of fsync or a lost connection, a file or a
// database may contain the batch all the same. A later batch could then contradict it. After
// such an error the journal must refuse all batches, until the program has loaded the records
// again, as at its next start. An error of a transaction that was never committed needs no
// such care.
//
// Journals are called one at a time. f may read from the catalogue, but must not write to
// it. While f runs, other writers wait; readers do not. A clone and a snapshot have no
// journal. If f is nil, the journal is removed. The error wraps [ErrReadOnly] if the
// catalogue is a snapshot. The JSON of all changed records is made before the call.
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

// Journal sets the function that is called once for each batch, single write and load, with
// what it changes, before that is visible. The batch has one Commit. If f returns an error or
// panics, nothing changes; the writer returns the error. f may read from the collection, but
// must not write to it. While f runs, other writers wait; readers do not. If f is nil, the
// journal is removed. A collection of a catalogue has the catalogue's journal; see
// [Catalogue.Journal]. The error wraps [ErrReadOnly] if the collection belongs to a snapshot.
func (c *Collection[T]) Journal(f func(batch []Commit) error) error {
	return c.core.Set.Journal(journalOf(f))
}
