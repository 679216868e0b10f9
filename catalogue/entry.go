package catalogue

import "sync/atomic"

// entry is a stored record. Nothing of it changes once it is in a tree but the
// encoding, which is made when first asked for and kept.
type entry[T any] struct {
	value T
	id    int
	json  atomic.Pointer[[]byte]
}

// change is one write: an insert has no old entry, a delete no new one.
type change[T any] struct {
	old, new *entry[T]
}

// encoded gives the JSON of an entry. Two readers that ask at once may both
// make it; the bytes are the same.
func (s *schema[T]) encoded(e *entry[T]) ([]byte, error) {
	if b := e.json.Load(); b != nil {
		return *b, nil
	}
	b, err := s.encode(&e.value)
	if err != nil {
		return nil, err
	}
	e.json.Store(&b)
	return b, nil
}
