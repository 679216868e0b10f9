package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/gobacklist/backlist/catalogue"
)

// open opens a database file, creating it if none exists, loads its records, and sets the
// journal of the catalogue, which from then on stores each write before it is visible. It
// reports whether no record was ever stored.
//
// The file has a bucket for each collection. A record is stored under its id, eight bytes in
// big-endian order, and the sequence of the bucket is the highest id ever used.
func open(file string, cat *catalogue.Catalogue) (db *bbolt.DB, fresh bool, err error) {
	if err := check(file); err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	if db, err = bbolt.Open(file, 0o600, &bbolt.Options{Timeout: time.Second}); err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	if fresh, err = load(db, cat); err == nil {
		err = cat.Journal(func(batch []catalogue.Commit) error { return store(db, batch) })
	}
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("%s: %w", file, err), db.Close())
	}
	return db, fresh, nil
}

// errCut is returned for a file that is shorter than its own description of it.
var errCut = errors.New("the end of the file is missing: restore it from a copy")

// check returns an error if another process has the file open, or if its end is missing:
// reading such a file could crash the program.
func check(file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created
	} else if err != nil {
		return err
	}
	db, err := bbolt.Open(file, 0, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if errors.Is(err, bbolt.ErrTimeout) {
		return errors.New("another process has the file open")
	} else if err != nil {
		return err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return errCut
		}
		return nil
	})
	return errors.Join(err, db.Close())
}

// load replaces the records of the catalogue by those of the database, which it passes on in
// the form in which catalogues are saved. It reports whether there never was a record.
func load(db *bbolt.DB, cat *catalogue.Catalogue) (fresh bool, err error) {
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
			if b.Sequence() > 0 {
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
	return last.Len() == 0, cat.Load(&data, catalogue.LoadOptions{})
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

// store stores a batch in one transaction. When it returns nil, the batch is on disk.
func store(db *bbolt.DB, batch []catalogue.Commit) error {
	err := db.Update(func(tx *bbolt.Tx) error {
		for _, commit := range batch {
			b := tx.Bucket([]byte(commit.Collection))
			if err := b.SetSequence(uint64(commit.LastID)); err != nil {
				return err
			}
			for id, text := range commit.Changes {
				if err := put(b, id, text); err != nil {
					return fmt.Errorf("%s %d: %w", commit.Collection, id, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the write could not be stored: %w", err)
	}
	return nil
}

// put stores the JSON of a record, or deletes the record if text is nil.
func put(b *bbolt.Bucket, id int, text []byte) error {
	key := binary.BigEndian.AppendUint64(nil, uint64(id))
	if text == nil {
		return b.Delete(key)
	}
	return b.Put(key, text)
}
