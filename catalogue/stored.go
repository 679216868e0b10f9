package catalogue

import (
	"sync/atomic"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// stored is an entry with its record. After it is in the store, only the encoding
// changes: it is set on first use.
type stored[T any] struct {
	store.Entry
	encoding atomic.Pointer[[]byte]
	record   T
}

// newEntry returns an entry that holds record.
func newEntry[T any](id int, record T) *store.Entry {
	s := &stored[T]{record: record}
	s.ID = id
	return &s.Entry
}

func storedOf[T any](e *store.Entry) *stored[T] { return (*stored[T])(unsafe.Pointer(e)) }

// recordOf returns the record of an entry, which must have type T. It computes the
// address without reading the entry, which would be a cache miss for each record of a
// page.
func recordOf[T any](e *store.Entry) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(e), unsafe.Offsetof(stored[T]{}.record)))
}

// encoded returns the JSON of an entry. Concurrent first calls may each make it; the
// results are equal.
func (s *recordType[T]) encoded(e *store.Entry) ([]byte, error) {
	kept := &storedOf[T](e).encoding
	if b := kept.Load(); b != nil {
		return *b, nil
	}
	b, err := s.encode(recordOf[T](e))
	if err != nil {
		return nil, s.errorf("%w: id %d: %w", ErrInvalid, e.ID, err)
	}
	kept.Store(&b)
	return b, nil
}
