package catalogue

import (
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// ReplaceFile is SaveFile with a replaceable function that writes the content.
func ReplaceFile(path string, write func(io.Writer) error) error { return replaceFile(path, write) }

// TypeError returns the error of [NewCollection] for records of type T.
func TypeError[T any](opts Options) error {
	_, err := newCore(tableOf[T](), options(opts), &errorsOf)
	return err
}

// DefineBare is [Define] for a collection that only [InsertBare] can find.
func DefineBare[T any](key string) AnyDefinition { return bareDefinition{key, tableOf[T]()} }

type bareDefinition struct {
	key   string
	table table
}

func (d bareDefinition) Key() string                                      { return d.key }
func (d bareDefinition) WithDescription(schema.Description) AnyDefinition { return d }
func (d bareDefinition) make(c *set) error {
	return define(c, d.key, d.table, options{}, func(*core) any { return nil })
}

// InsertBare is [Collection.Insert] for the collection with a key, whose records have type T.
func InsertBare[T any](c *Catalogue, key string, record T) error {
	m, err := c.set.lookup(key)
	if err != nil {
		return err
	}
	_, err = m.insert(nil, newEntry(record))
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
