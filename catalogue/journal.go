package catalogue

import (
	"cmp"
	"iter"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// A Commit has the changes of a batch, a single write or a load to one collection. A journal
// receives it before the changes become visible. It is immutable and safe for concurrent use,
// and a journal may keep it.
type Commit struct {
	Collection string // key of the collection, or Options.Name of a standalone one
	Revision   uint64 // at which the changes become visible
	LastID     int    // highest id ever used; lower ones are never assigned again

	// Changes yields the changed records, in the order of their ids: the id and the JSON as
	// Save writes it, or nil for a deleted record. The JSON must not be modified. After a
	// load it yields all records and the deleted ones. If only an id was used, by a record
	// that the same batch deleted, there are no changes.
	Changes iter.Seq2[int, []byte]

	// Keys yields the same for records that have a key and no id, by their keys. Changes yields
	// none then, and LastID is 0. For records with an id, Keys yields none.
	Keys iter.Seq2[string, []byte]
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
func (c *Catalogue) Journal(f func(batch []Commit) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	if f == nil {
		store.SetJournal(storesOf(c.all), nil)
		return nil
	}
	var one sync.Mutex // writes to different collections do not exclude each other
	store.SetJournal(storesOf(c.all), func(commits []store.Commit) (err error) {
		one.Lock()
		defer one.Unlock()
		batch := make([]Commit, len(commits))
		for i, from := range commits {
			if batch[i], err = c.of(from.Store).typ.committed(from); err != nil {
				return err
			}
		}
		return f(batch)
	})
	return nil
}

// Journal sets the function that is called once for each batch, single write and load, with
// what it changes, before that is visible. The batch has one Commit. If f returns an error or
// panics, nothing changes; the writer returns the error. f may read from the collection, but
// must not write to it. While f runs, other writers wait; readers do not. If f is nil, the
// journal is removed. A collection of a catalogue has the catalogue's journal; see
// [Catalogue.Journal]. The error wraps [ErrReadOnly] if the collection belongs to a snapshot.
func (c *Collection[T]) Journal(f func(batch []Commit) error) error {
	return c.core.catalogue.Journal(f)
}

// committed returns the commit of the collection. It does not refer to from.Changes, which
// the next write reuses.
func (s *recordType) committed(from store.Commit) (Commit, error) {
	ids, keys, texts := make([]int, 0, len(from.Changes)), []string(nil), make([][]byte, len(from.Changes))
	for i, ch := range from.Changes {
		if s.key == nil {
			ids = append(ids, ch.ID())
		} else {
			keys = append(keys, s.keyText(cmp.Or(ch.New, ch.Old)))
		}
		if ch.New == nil {
			continue
		}
		var err error
		if texts[i], err = s.stored(ch.New); err != nil {
			return Commit{}, err
		}
	}
	if s.key != nil {
		from.LastID = 0
	}
	return Commit{s.name, from.Revision, from.LastID, pairs(ids, texts), pairs(keys, texts)}, nil
}

// pairs returns an iterator over names and the text of each.
func pairs[N any](names []N, texts [][]byte) iter.Seq2[N, []byte] {
	return func(yield func(N, []byte) bool) {
		for i, name := range names {
			if !yield(name, texts[i]) {
				return
			}
		}
	}
}
