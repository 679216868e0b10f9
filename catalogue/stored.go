package catalogue

import (
	"sync/atomic"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// stored is a record in the memory of its entry. Nothing of it changes once it
// is in the store but the encoding, which is made when it is first asked for.
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

// recordOf returns the record of an entry, which must be one of type T. It does
// not touch the memory of the entry, which would cost a page a cache miss for each record.
func recordOf[T any](e *store.Entry) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(e), unsafe.Offsetof(stored[T]{}.record)))
}

// encoded returns the JSON of an entry. Two readers that ask at once may both
// make it; the bytes are the same.
func (s *schema[T]) encoded(e *store.Entry) ([]byte, error) {
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
