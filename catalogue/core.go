package catalogue

import (
	"bytes"
	"errors"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// A core is a collection without the type of its records. [Collection] and [AnyCollection]
// are handles of it.
type core struct {
	typ       *recordType
	store     *store.Store
	catalogue *Catalogue // if it is standalone, one without keys
	handle    any        // the *Collection[T]; nil if it is standalone
}

// newCore returns a standalone collection.
func newCore(t table, opts Options) (*core, error) {
	about, invalid := t.describe(opts.Name)
	s, err := newRecordType(t, opts, about.Fields)
	switch {
	case err != nil:
		return nil, err
	case invalid != nil && (opts.Validate || slices.ContainsFunc(s.members, member.isTagged)): // other types need no description
		return nil, s.errorf("%w: %w", ErrInvalidType, invalid)
	case opts.Validate:
		s.demands = &about
	}
	return newStandalone(s, store.New(s.engine)), nil
}

func newStandalone(s *recordType, engine *store.Store) *core {
	c := &core{typ: s, store: engine}
	c.catalogue = &Catalogue{all: []*core{c}}
	return c
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
	if c.catalogue.readOnly {
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
		fresh, err := s.encode(recordOf(e))
		if err == nil && s.hasTwoForms {
			fresh, err = s.served(e, fresh)
		}
		if err != nil || !bytes.Equal(fresh, *kept) {
			return s.errorf("%w: id %d: the stored JSON is %s, want %s (%v)", errCorrupt, e.ID, *kept, fresh, err)
		}
	}
	return nil
}
