package catalogue

import (
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// ReplaceFile is SaveFile with a replaceable function that writes the content.
func ReplaceFile(path string, write func(io.Writer) error) error {
	return core.ReplaceFile(path, write)
}

// TypeError returns the error of [NewCollection] for records of type T.
func TypeError[T any](opts Options) error {
	_, err := core.New(layout.TableOf[T](), layout.Options(opts), &errorsOf)
	return err
}

// DefineBare is [Define] for a collection that only [InsertBare] can find.
func DefineBare[T any](key string) AnyDefinition { return bareDefinition{key, layout.TableOf[T]()} }

type bareDefinition struct {
	key   string
	table layout.Table
}

func (d bareDefinition) Key() string { return d.key }

func (d bareDefinition) WithDescription(schema.Description) AnyDefinition { return d }

func (d bareDefinition) make(c *core.Set) error {
	return core.Define(c, d.key, d.table, layout.Options{}, func(*core.Collection) any { return nil })
}

// InsertBare is [Collection.Insert] for the collection with a key, whose records have type T.
func InsertBare[T any](c *Catalogue, key string, record T) error {
	m, err := c.set.Lookup(key)
	if err != nil {
		return err
	}
	_, err = m.Insert(nil, layout.NewEntry(record))
	return err
}

// FieldNames returns the names of the fields that the records of a collection can be ordered by.
func FieldNames[T any](c *Collection[T]) []string {
	if c.core.Type.Open() {
		return c.core.Store.Current().Names()
	}
	return slices.Clone(c.core.Type.Engine.Names)
}
