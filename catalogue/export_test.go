package catalogue

import (
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// ReplaceFile is SaveFile with a replaceable function that writes the content.
func ReplaceFile(path string, write func(io.Writer) error) error {
	return core.ReplaceFile(path, write)
}

// NewBare is [NewCollection] without a Collection[T], which is not compiled. Of the collection that
// it returns, only Load, Save and Check know that its records have type T.
func NewBare[T any](opts Options) (c *Collection[schema.Record], insert func(T) (int, error), err error) {
	bare, err := core.New(layout.TableOf[T](), layout.Options(opts), &errorsOf)
	insert = func(record T) (int, error) { return bare.Put(nil, layout.NewEntry(record), false) }
	return &Collection[schema.Record]{bare}, insert, err
}

// AllBare returns copies of the records of a collection that [NewBare] returns, in the order of
// their ids.
func AllBare[T any](c *Collection[schema.Record]) (list []T) {
	for _, e := range c.core.Store.Current().Entries() {
		list = append(list, layout.CopyOf[T](c.core.Type.Copier, e))
	}
	return list
}

// DefineBare is [Define] for a collection that [Definition.In] does not find, so that no
// Collection[T] is compiled.
func DefineBare[T any](key string, opts Options) AnyDefinition {
	return bareDefinition{key, opts, layout.TableOf[T]()}
}

type bareDefinition struct {
	key   string
	opts  Options
	table layout.Table
}

func (d bareDefinition) Key() string { return d.key }

func (d bareDefinition) WithDescription(about schema.Description) AnyDefinition {
	if d.opts.Description == nil {
		d.opts.Description = &about
	}
	return d
}

func (d bareDefinition) make(c *core.Set) error {
	return core.Define(c, d.key, d.table, layout.Options(d.opts), nil, nil, func(*core.Collection) any { return nil })
}

// InsertBare is [Collection.Insert] for the collection with a key, whose records have type T.
func InsertBare[T any](c *Catalogue, key string, record T) error {
	m, err := c.set.Lookup(key)
	if err != nil {
		return err
	}
	_, err = m.Put(nil, layout.NewEntry(record), false)
	return err
}

// StoreOf returns the store of a collection.
func StoreOf[T any](c *Collection[T]) *store.Store { return c.core.Store }

// FieldNames returns the names of the fields that the records of a collection can be ordered by.
func FieldNames[T any](c *Collection[T]) []string {
	if c.core.Type.Open() {
		return c.core.Store.Current().Names()
	}
	return slices.Clone(c.core.Type.Engine.Names)
}

// InBare returns the collection with a key of a catalogue. Of it, only methods without records know
// the type of its records.
func InBare(c *Catalogue, key string) *Collection[schema.Record] {
	m, err := c.set.Lookup(key)
	if err != nil {
		panic(err)
	}
	return &Collection[schema.Record]{m}
}
