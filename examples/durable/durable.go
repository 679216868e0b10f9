package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// open opens a database file, creating it if none exists, checks it, loads its records, and
// sets the journal of the catalogue. From then on each write is stored before it is visible.
// fresh reports whether the database has never held a record. After ctx is done, writes that
// have not begun to be stored are refused.
//
// The file has a bucket for each collection. A record is stored under its id, eight bytes in
// big-endian order, and the sequence of the bucket is the highest id ever used. A record that has
// a key in place of an id is stored under the key, and the sequence is 1 after the first write.
func open(ctx context.Context, file string, cat *catalogue.Catalogue) (db *bbolt.DB, fresh bool, err error) {
	if db, err = openChecked(file, keyed(cat)); err == nil {
		if fresh, err = load(db, cat); err == nil {
			err = cat.Journal(journal(ctx, db))
		}
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	return db, fresh, nil
}

// keyed returns the keys of the collections whose records have a key in place of an id.
func keyed(cat *catalogue.Catalogue) map[string]bool {
	set := map[string]bool{}
	for name, coll := range cat.All() {
		set[name] = slices.ContainsFunc(coll.Description().Fields, func(f schema.Field) bool { return f.Key })
	}
	return set
}

// load replaces the records of the catalogue by those of the database, which it passes on in
// the form in which catalogues are saved. It reports whether the database has never held a
// record.
func load(db *bbolt.DB, cat *catalogue.Catalogue) (fresh bool, err error) {
	fresh = true
	withKeys := keyed(cat)
	var data, last bytes.Buffer
	data.WriteString("{")
	err = db.Update(func(tx *bbolt.Tx) error {
		for key := range cat.All() {
			b, err := tx.CreateBucketIfNotExists([]byte(key))
			if err != nil {
				return err
			}
			fmt.Fprintf(&data, "%q:[", key)
			for c, id, text := first(b); id != nil; id, text = c.Next() {
				data.Write(append(text[:len(text):len(text)], ','))
			}
			closeList(&data)
			fresh = fresh && b.Sequence() == 0
			if b.Sequence() > 0 && !withKeys[key] {
				fmt.Fprintf(&last, `{"collection":%q,"id":%d},`, key, b.Sequence())
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	fmt.Fprintf(&data, `"$lastIds":[%s`, last.Bytes())
	closeList(&data)
	data.Truncate(data.Len() - 1)
	data.WriteString("}")
	return fresh, cat.Load(&data, catalogue.LoadOptions{})
}

// first returns a cursor and the first key and value of a bucket.
func first(b *bbolt.Bucket) (c *bbolt.Cursor, key, value []byte) {
	c = b.Cursor()
	key, value = c.First()
	return c, key, value
}

// closeList ends a JSON list, the last item of which has a comma after it.
func closeList(data *bytes.Buffer) {
	if bytes.HasSuffix(data.Bytes(), []byte(",")) {
		data.Truncate(data.Len() - 1)
	}
	data.WriteString("],")
}

// errUnknown is returned for all writes after one that could not be stored.
var errUnknown = errors.New("an earlier write failed and may be in the file or not: restart the program")

// journal returns a journal that stores each batch in the database. When it returns nil, the
// batch is on disk. After a transaction has failed, it refuses all batches: the file may have
// that transaction or not, and a later one must not be based on it. A batch with a key that is
// longer than bbolt permits is refused before the transaction begins.
func journal(ctx context.Context, db *bbolt.DB) func([]catalogue.Commit) error {
	ctx, refuse := context.WithCancelCause(ctx)
	return func(batch []catalogue.Commit) error {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, context.Cause(ctx))
		}
		for _, commit := range batch {
			for id := range commit.Changes {
				if len(id.Key) > bbolt.MaxKeySize {
					return fmt.Errorf("%s: a key of %d bytes cannot be stored", commit.Collection, len(id.Key))
				}
			}
		}
		stored := false
		defer func() {
			if !stored { // after a panic too
				refuse(errUnknown)
			}
		}()
		if err := store(db, batch); err != nil {
			return fmt.Errorf("the write could not be stored: %w", err)
		}
		stored = true
		return nil
	}
}

// store stores a batch in one transaction.
func store(db *bbolt.DB, batch []catalogue.Commit) error {
	return db.Update(func(tx *bbolt.Tx) error {
		for _, commit := range batch {
			b, sequence := tx.Bucket([]byte(commit.Collection)), uint64(commit.LastID)
			for id, text := range commit.Changes {
				key := []byte(id.Key)
				if id.ID != 0 {
					key = numbered(id.ID)
				} else {
					sequence = 1
				}
				if err := put(b, key, text); err != nil {
					return fmt.Errorf("%s %v: %w", commit.Collection, id, err)
				}
			}
			if err := b.SetSequence(max(sequence, b.Sequence())); err != nil {
				return err
			}
		}
		return nil
	})
}

// numbered returns the key under which the record with an id is stored.
func numbered(id int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// put stores the JSON of a record under a key, or deletes the record if text is nil.
func put(b *bbolt.Bucket, key, text []byte) error {
	if text == nil {
		return b.Delete(key)
	}
	return b.Put(key, text)
}
