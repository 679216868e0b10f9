package ordering

import (
	"cmp"
	"reflect"
	"time"
)

// A Field is a property of type T that records can be ordered by.
type Field[T any] struct {
	// Name is the name of the field in a [Term], in snake_case.
	Name string
	// Key returns the sort key of a record. It must not retain or modify the
	// record, and must return equal keys for equal records. It must be safe for
	// concurrent use.
	Key func(record *T) Key
}

// By returns a field whose key is the result of a function. It is for types without
// json tags, and for properties that are not fields of the struct:
//
//	ordering.By("length", func(b *Book) int { return len(b.Title) })
func By[T any, V cmp.Ordered](name string, value func(*T) V) Field[T] {
	key := basicKey(reflect.TypeFor[V]())
	return Field[T]{Name: name, Key: func(record *T) Key {
		return key(reflect.ValueOf(value(record)))
	}}
}

// ByTime is like [By] for times, which compare by instant. Their offset is ignored.
func ByTime[T any](name string, value func(*T) time.Time) Field[T] {
	return Field[T]{Name: name, Key: func(record *T) Key {
		return Time(value(record))
	}}
}

// appendKeys appends the keys of a record for all terms, inverted for descending
// ones, so that bytes.Compare orders records by the terms. fields[i] is the field of
// terms[i].
func appendKeys[T any](dst []byte, record *T, fields []Field[T], terms []Term) []byte {
	for i, f := range fields {
		if terms[i].Desc {
			dst = f.Key(record).AppendDesc(dst)
		} else {
			dst = f.Key(record).Append(dst)
		}
	}
	return dst
}
