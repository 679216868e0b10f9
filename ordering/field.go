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
	// Kind promises what every key of this field is. The zero Kind promises
	// nothing; a promise that is not kept puts records in the wrong place.
	Kind Kind

	// Wire is the name of the field in JSON, and Index its place in the struct as
	// [reflect.Value.FieldByIndex] takes it. Both are empty for a field that was
	// not derived from a struct by [FieldsOf].
	Wire  string
	Index []int
}

// Kind is what is known of all keys of a field in advance, so that an index can
// hold them in their cheapest form.
type Kind uint8

const (
	Mixed   Kind = iota // anything, null included
	Integer             // [Key.AsInt] holds: whole numbers, booleans
	Textual             // [Key.AsText] holds: strings
)

// By is a field given by a function, for types without json tags or orders that
// no field holds: By("pages", func(b *Book) int { return b.Pages }).
func By[T any, V cmp.Ordered](name string, value func(*T) V) Field[T] {
	key, kind := basicKey(reflect.TypeFor[V]())
	return Field[T]{Name: name, Kind: kind, Key: func(record *T) Key {
		return key(reflect.ValueOf(value(record)))
	}}
}

// ByTime is [By] for instants. They compare exactly, whatever their offsets.
func ByTime[T any](name string, value func(*T) time.Time) Field[T] {
	return Field[T]{Name: name, Key: func(record *T) Key {
		return Time(value(record))
	}}
}

// AppendKeys appends the keys of a record for several terms in a row, inverted
// for the descending ones: bytes.Compare of what two records append is their
// order. fields[i] is the field of terms[i]; the two must be of one length.
// O(bytes appended).
func AppendKeys[T any](dst []byte, record *T, fields []Field[T], terms []Term) []byte {
	for i, f := range fields {
		if terms[i].Desc {
			dst = f.Key(record).AppendDesc(dst)
		} else {
			dst = f.Key(record).Append(dst)
		}
	}
	return dst
}
