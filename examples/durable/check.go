package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"
)

// errEmpty is returned for a file without content, which bbolt would turn into a new database.
var errEmpty = errors.New("the file is empty: restore it from a copy, or remove it to begin without records")

// errDamaged is returned for a file that is not an intact database.
var errDamaged = errors.New("the file is damaged: restore it from a copy")

// openChecked opens a database file, creating it if none exists, and checks it: bbolt trusts
// its files, so a damaged one would end the program, now or later. The records of the buckets in
// keyed are stored under text. O(size of the file).
func openChecked(file string, keyed map[string]bool) (db *bbolt.DB, err error) {
	if info, err := os.Stat(file); err == nil && info.Size() == 0 {
		return nil, errEmpty
	}
	var f *os.File
	options := &bbolt.Options{Timeout: time.Second, OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		f, err = os.OpenFile(name, flag, mode)
		return f, err
	}}
	err = recovered(func() error {
		if db, err = bbolt.Open(file, 0o600, options); err != nil {
			return err
		}
		return db.View(func(tx *bbolt.Tx) error { return check(tx, f, keyed) })
	})
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, bbolt.ErrTimeout):
		return nil, errors.New("another process has the file open")
	case db != nil:
		return nil, errors.Join(err, db.Close())
	default:
		return nil, err
	}
}

// recovered calls f. It returns a panic, or a fault of reading memory outside the file, as an
// error.
func recovered(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: a reference leads out of it", errDamaged)
		default:
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return f()
}

// check reads everything in the database, so that bbolt's own check, which runs in another
// goroutine, cannot fault. That check compares the list of free pages with the others.
func check(tx *bbolt.Tx, f *os.File, keyed map[string]bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if tx.Size() > info.Size() {
		return fmt.Errorf("%w: its end is missing", errDamaged)
	}
	pages := pages{f, int64(tx.DB().Info().PageSize), tx.Size(), map[uint64]bool{}}
	free := make([]byte, 8)
	if _, err := f.ReadAt(free, int64(tx.ID()%2)*pages.size+freeList); err != nil {
		return err
	}
	for _, root := range []uint64{binary.NativeEndian.Uint64(free), uint64(tx.Cursor().Bucket().Root())} {
		if err := pages.visit(root); err != nil {
			return err
		}
	}
	err = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if b == nil {
			return fmt.Errorf("%w: %q is no bucket", errDamaged, name)
		}
		if root := uint64(b.Root()); root != 0 { // otherwise it is within the page of its parent
			if err := pages.visit(root); err != nil {
				return err
			}
		}
		return b.ForEach(func(id, text []byte) error {
			stored := len(id) == 8 && binary.BigEndian.Uint64(id) <= math.MaxInt
			if keyed[string(name)] {
				stored = utf8.Valid(id)
			}
			if !stored || !json.Valid(text) {
				return fmt.Errorf("%w: %s %x is no record", errDamaged, name, id)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for problem := range tx.Check() {
		err = fmt.Errorf("%w: %w", errDamaged, problem)
	}
	return err
}

// pages are the pages of a file that have been visited.
type pages struct {
	file    io.ReaderAt
	size    int64 // of a page
	end     int64 // of the last page
	visited map[uint64]bool
}

// The beginning of a page: its number (8 bytes), what it is (2), the number of its elements
// (2), and the number of further pages that it occupies (4). An element of a branch has 16
// bytes: where its key is (4), counted from the element, its length (4), and the number of a
// page. The pages 0 and 1 describe the last two transactions.
const (
	pageHeader    = 16
	branchElement = 16
	branch        = 1
	freeList      = 48 // in a description: the number of the page that lists free ones
)

// visit visits a page and those below it. It returns an error for what recovered cannot
// recover bbolt from: references in a circle, pages that claim to be very long, and keys of
// branches that are elsewhere in memory.
func (p *pages) visit(number uint64) error {
	bad := fmt.Errorf("%w: page %d", errDamaged, number)
	if p.visited[number] || number >= uint64(p.end/p.size) {
		return bad
	}
	p.visited[number] = true
	at := int64(number) * p.size
	header := make([]byte, pageHeader)
	if _, err := p.file.ReadAt(header, at); err != nil {
		return err
	}
	count := int(binary.NativeEndian.Uint16(header[10:]))
	size := (1 + int64(binary.NativeEndian.Uint32(header[12:]))) * p.size
	if binary.NativeEndian.Uint64(header) != number || size > p.end-at {
		return bad
	}
	if binary.NativeEndian.Uint16(header[8:]) != branch {
		return nil
	}
	elements := make([]byte, count*branchElement)
	if int64(len(elements)) > size-pageHeader {
		return bad
	}
	if _, err := p.file.ReadAt(elements, at+pageHeader); err != nil {
		return err
	}
	for end := size - pageHeader; len(elements) > 0; elements, end = elements[branchElement:], end-branchElement {
		key, length := binary.NativeEndian.Uint32(elements), binary.NativeEndian.Uint32(elements[4:])
		if int64(key)+int64(length) > end {
			return bad
		}
		if err := p.visit(binary.NativeEndian.Uint64(elements[8:])); err != nil {
			return err
		}
	}
	return nil
}
