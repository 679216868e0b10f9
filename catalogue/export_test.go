package catalogue

import (
	"io"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// ReplaceFile is SaveFile with a replaceable function that writes the content.
func ReplaceFile(path string, write func(io.Writer) error) error { return replaceFile(path, write) }

// TypeError returns the error of [NewCollection] for records of type T.
func TypeError[T any](opts Options) error {
	_, err := newCore(table{reflect: reflect.TypeFor[T](), describe: schema.DescriptionOf[T]}, opts)
	return err
}

// CheckSnapshot is [Collection.Check] for a snapshot.
func CheckSnapshot[T any](s Snapshot[T]) error { return s.typ.checkState(s.state, s.state.Check()) }

// FieldNames returns the names of the fields that the records of a collection or a snapshot
// can be ordered by.
func FieldNames[T any](of interface{ Get(id int) (T, error) }) []string {
	if s, ok := of.(Snapshot[T]); ok {
		return fieldNames(s.typ, s.state)
	}
	c := of.(*Collection[T])
	return fieldNames(c.core.typ, c.core.store.Current())
}

func fieldNames(typ *recordType, s *store.State) []string {
	if typ.open() {
		return s.Names()
	}
	return slices.Clone(typ.engine.Names)
}
