package layout

import (
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A Record is a record of a collection in memory. Its Go type is known only to the table of
// its type, and to the handles, which convert it by [Typed].
type Record struct{}

// A header precedes the record in the memory of a stored record, so that the place of the
// record does not depend on its type. After it is in the store, only the encoding changes: it
// is set on first use.
type header struct {
	store.Entry
	encoding atomic.Pointer[[]byte]
}

type stored[T any] struct {
	header header
	record T
}

// NewEntry returns an entry that holds a record. Its id is set when it is stored.
func NewEntry[T any](record T) *store.Entry { return &(&stored[T]{record: record}).header.Entry }

func headerOf(e *store.Entry) *header { return (*header)(unsafe.Pointer(e)) } // Entry is its first field

// RecordOf returns the record of an entry. It computes the address without reading the
// entry, which would be a cache miss for each record of a page. The record follows the header
// immediately: the size of a header is a multiple of the alignment of every type.
func RecordOf(e *store.Entry) *Record {
	return (*Record)(unsafe.Add(unsafe.Pointer(e), unsafe.Sizeof(header{})))
}

// Typed returns a record with its type, for which its table must be made.
func Typed[T any](r *Record) *T { return (*T)(unsafe.Pointer(r)) }

// Untyped returns a function of records with a type as one of records without it. Both have
// the same representation: a function that takes a pointer. A closure that converts would be
// an allocation for each call, and compiled for each record type.
func Untyped[T any](f func(*T) error) func(*Record) error {
	return *(*func(*Record) error)(unsafe.Pointer(&f))
}

// A Table contains the operations on records that depend on their type T.
type Table struct {
	Reflect reflect.Type
	New     func() *store.Entry                     // with a zero record
	copy    func(c *value.Copier, to, from *Record) // see CopyTo
	pointer func(r *Record) any                     // the *T
}

// TableOf returns the table of records of type T.
func TableOf[T any]() Table {
	return Table{
		Reflect: reflect.TypeOf((*T)(nil)).Elem(), // not TypeFor, which would be compiled for each T
		New:     func() *store.Entry { return &new(stored[T]).header.Entry },
		copy:    func(c *value.Copier, to, from *Record) { CopyTo(c, Typed[T](to), Typed[T](from)) },
		pointer: func(r *Record) any { return Typed[T](r) },
	}
}

// Open reports whether the records are open.
func (t *Table) Open() bool { return t.Reflect == reflect.TypeFor[schema.Record]() }

// idName returns the name of the member that is named as ids are, or id.
func (t *Table) idName() string {
	members, _ := jsonmember.Of(t.Reflect)
	i := slices.IndexFunc(members, func(m jsonmember.Member) bool { return schema.Field{Name: m.Name}.IsID() })
	if i < 0 || t.Open() {
		return "id"
	}
	return members[i].Name
}

// CopyTo sets *to to a copy of a record. to and from may be equal.
func CopyTo[T any](c *value.Copier, to, from *T) {
	if c.Clones {
		*to = any(from).(interface{ Clone() T }).Clone() // *T has the method too; calling it avoids a copy
		return
	}
	*to = *from
	c.Unshare(unsafe.Pointer(to))
}

// CopyOf returns a copy of the record of an entry, or the zero record if e is nil.
func CopyOf[T any](c *value.Copier, e *store.Entry) (record T) {
	if e != nil {
		CopyTo(c, &record, Typed[T](RecordOf(e)))
	}
	return record
}
