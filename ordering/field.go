package ordering

import (
	"cmp"
	"reflect"
	"time"
)

// A Field is one thing records of type T can be ordered by.
type Field[T any] struct {
	// Name is what a term calls it, in snake_case.
	Name string
	// Key gives the sort key of a record. It must not keep or change the record
	// and must give the same key for the same content. It may be called by
	// several goroutines at once.
	Key func(record *T) Key
}

// By is a field given by a function, for types without json tags or orders that
// no field holds: By("pages", func(b *Book) int { return b.Pages }).
func By[T any, V cmp.Ordered](name string, value func(*T) V) Field[T] {
	key := basicKey(reflect.TypeFor[V]())
	return Field[T]{Name: name, Key: func(record *T) Key {
		return key(reflect.ValueOf(value(record)))
	}}
}

// ByTime is [By] for instants. They compare exactly, whatever their offsets.
func ByTime[T any](name string, value func(*T) time.Time) Field[T] {
	return Field[T]{Name: name, Key: func(record *T) Key {
		return Time(value(record))
	}}
}

// appendKeys appends the keys of a record for several terms in a row, inverted
// for the descending ones: bytes.Compare of what two records append is their
// order. fields[i] is the field of terms[i].
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
