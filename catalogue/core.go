package catalogue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A core is a collection without the type of its records. [Collection] and [AnyCollection]
// are handles of it.
type core struct {
	typ       *recordType
	store     *store.Store
	catalogue *Catalogue // nil if it is standalone
	handle    any        // the *Collection[T]; nil if it is standalone
}

// newCore returns a standalone collection.
func newCore(t table, opts Options) (*core, error) {
	opts, err := withTags(t, opts)
	if err != nil {
		return nil, err
	}
	s, engine, err := newRecordType(t, opts)
	if err != nil {
		return nil, err
	}
	return &core{typ: s, store: store.New(engine)}, nil
}

// withTags adds the unique fields and the key functions of the type's tags to the options of
// a standalone collection.
func withTags(t table, opts Options) (Options, error) {
	members, _ := jsonmember.Of(t.reflect)
	tagged := slices.ContainsFunc(members, func(m jsonmember.Member) bool {
		_, ok := m.Field.Tag.Lookup("backlist")
		return ok
	})
	if !tagged {
		return opts, nil
	}
	about, err := t.describe(opts.Name)
	if err != nil {
		return opts, fmt.Errorf("%s: %w: %w", cmp.Or(opts.Name, "collection"), ErrInvalidType, err)
	}
	opts.Keys = allKeys(t.reflect, about.Fields, opts.Keys)
	opts.Unique = addUnique(opts.Unique, about.Fields)
	return opts, nil
}

// addUnique adds the names of the fields that a description has as Unique.
func addUnique(names []string, fields []schema.Field) []string {
	names = slices.Clone(names)
	for _, f := range fields {
		if name := ordering.Snake(f.Name); f.Unique && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// newDescribed returns an empty collection of a catalogue.
func newDescribed(c *Catalogue, t table, about schema.Description, opts Options) (*core, error) {
	keys := opts.Keys
	opts.Keys = allKeys(t.reflect, about.Fields, keys)
	s, engine, err := newRecordType(t, opts)
	if err != nil {
		return nil, err
	}
	if err := s.checkFields(about); err != nil {
		return nil, fmt.Errorf("catalogue: %s: %w: %w", about.Key, ErrInvalidType, err)
	}
	if s.open() {
		for _, f := range about.Fields {
			engine.Known = append(engine.Known, ordering.Snake(f.Name))
		}
	}
	engine.Cores = c.cores
	s.lists = listsOf(s.members, about.Fields)
	if opts.StrictLoad {
		s.beStrict(about.Fields)
	}
	s.about = &about
	s.columns = s.columnsOf(about.Fields, keys)
	return newMember(c, s, store.New(engine)), nil
}

// newMember returns a collection of a catalogue with its handle.
func newMember(c *Catalogue, s *recordType, engine *store.Store) *core {
	m := &core{typ: s, store: engine, catalogue: c}
	m.handle = s.handle(m)
	return m
}

// key returns the key of a collection of a catalogue.
func (c *core) key() string { return c.typ.about.Key }

// writable returns an error if the collection is read-only.
func (c *core) writable() error {
	if c.catalogue != nil && c.catalogue.readOnly {
		return c.typ.errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	return nil
}

// errCorrupt is wrapped by the errors of Check, which are bugs of this package.
var errCorrupt = errors.New("corrupt")

func (c *core) check() error { return c.typ.checkState(c.store.Current(), c.store.Check()) }

// checkState checks the records of a state. err is the result of the store's check.
func (s *recordType) checkState(state *store.State, err error) error {
	if err != nil {
		return s.errorf("%w: %w", errCorrupt, err)
	}
	for _, e := range state.Entries() {
		if id := *s.id(recordOf(e)); id != e.ID {
			return s.errorf("%w: the record with id %d is stored with id %d", errCorrupt, id, e.ID)
		}
		kept := headerOf(e).encoding.Load()
		if kept == nil {
			continue
		}
		if fresh, err := s.encode(recordOf(e)); err != nil || !bytes.Equal(fresh, *kept) {
			return s.errorf("%w: id %d: the stored JSON is %s, want %s (%v)", errCorrupt, e.ID, *kept, fresh, err)
		}
	}
	return nil
}
