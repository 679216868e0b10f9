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
	// Kind is a property of all keys of the field. [AnyKey], the zero value, is always
	// right.
	Kind Kind
	// KeyOf returns the key of a value in a [Condition]. If nil, it is the function
	// [KeyOf].
	KeyOf func(value any) (Key, error)
}

// A Kind is a property that all keys of a field have. It permits a cheaper index, which
// is in the wrong order if a key lacks the property.
type Kind uint8

const (
	AnyKey     Kind = iota // keys of any kind
	BoolKey                // keys made by [Bool]
	IntegerKey             // keys of numbers for which [Key.AsInt] reports true
	TextKey                // keys made by [Text]
)

// By returns a field whose key is the result of a function. It is for types without
// json tags, and for properties that are not fields of the struct:
//
//	ordering.By("length", func(b *Book) int { return len(b.Title) })
func By[T any, V cmp.Ordered](name string, value func(*T) V) Field[T] {
	t := reflect.TypeFor[V]()
	key := basicKey(t)
	return Field[T]{Name: name, Kind: basicKind(t), KeyOf: valueKey(t, key, false), Key: func(record *T) Key {
		return key(reflect.ValueOf(value(record)))
	}}
}

// ByTime is like [By] for times, which compare by instant. Their offset is ignored.
func ByTime[T any](name string, value func(*T) time.Time) Field[T] {
	t := reflect.TypeFor[time.Time]()
	return Field[T]{Name: name, KeyOf: valueKey(t, keyer{}.ownKey(t), true), Key: func(record *T) Key {
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
