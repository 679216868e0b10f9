// Package core implements collections without the type of their records: it reads, writes, filters,
// relates, loads and saves them, and tells journals of changes. Package catalogue converts types,
// and documents what people call. Its structs of options, queries and errors have twins here, to
// which it converts them.
//
// A write is prepared as one change of the store: the identity of the record and the record that
// has it, the validation, a copy; see write.go. The store adds it to each index.
package core

import (
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A Collection is a collection without the type of its records. Collection[T] and
// AnyCollection of package catalogue are handles of it.
type Collection struct {
	Type   *Type
	Store  *store.Store
	Set    *Set          // if it is standalone, one without keys
	Handle any           // the *Collection[T]; nil if it is standalone
	refers schema.Checks // the functions that find what records refer to, made once
}

// A Type is what the collections of one definition have in common: a collection, its
// snapshots and its clones.
type Type struct {
	*layout.Type
	handle    func(*Collection) any // returns a new *Collection[T]
	demands   *schema.Description   // what valid records meet; nil if the type has no description
	validates bool                  // Options.Validate is set
	whole     bool                  // an update is validated together with the record that it changes
	targets   []*layout.Field       // fields to which others refer By their texts
	now       func() time.Time
	shown     *Shown // nil if records are shown as they are stored
	listed    *Shown // the same in lists
}

// A Shown is how records are shown where that differs from how they are stored.
type Shown struct {
	typ     reflect.Type // of what is shown
	reads   []string     // the keys of the collections that show reads
	show    func(at *Set, e *store.Entry) (reflect.Value, error)
	encoder *value.Encoder
	check   *value.Copier
	lists   []jsonmember.Member // that are empty if they are nil
}

// New returns a standalone collection.
func New(t layout.Table, opts layout.Options, errors *Errors) (*Collection, error) {
	about, invalid := schema.Describe(t.Reflect, opts.Name, opts.ID)
	if invalid == nil {
		fields := schema.Description{Key: "fields", Segment: "fields", Name: "fields", Fields: about.Fields, Lookup: about.Lookup}
		invalid = fields.Check()
	}
	if invalid != nil && (opts.Validate || layout.IsTagged(t.Reflect)) { // other types need no description
		return nil, (&layout.Type{Name: opts.Name}).Errorf("%w: %w", ErrInvalidType, invalid)
	}
	opts.Description = nil
	l, err := layout.New(t, opts, &about)
	if err != nil && invalid != nil {
		return nil, fmt.Errorf("%w (%w)", err, invalid)
	} else if err != nil {
		return nil, err
	}
	s := &Type{Type: l, validates: opts.Validate, now: opts.Now}
	if invalid == nil {
		s.demands = &about
	}
	return newStandalone(s, store.New(s.Engine), errors), nil
}

func newStandalone(s *Type, engine *store.Store, errors *Errors) *Collection {
	c := &Collection{Type: s, Store: engine}
	c.Set = &Set{All: []*Collection{c}, errors: errors}
	return c
}

// Clone returns a standalone copy of the collection.
func (c *Collection) Clone() *Collection {
	return newStandalone(c.Type, store.Clone(c.Store)[0], c.Set.errors)
}

// Snapshot returns a read-only collection of the current state.
func (c *Collection) Snapshot() *Collection {
	s := newStandalone(c.Type, store.Held(c.Store.Current()), c.Set.errors)
	s.Set.readOnly = true
	return s
}

// newMember returns a collection of a catalogue with its handle.
func newMember(c *Set, s *Type, engine *store.Store) *Collection {
	m := &Collection{Type: s, Store: engine, Set: c}
	m.Handle = s.handle(m)
	m.refers = schema.Checks{Find: c.Find}
	return m
}

// Key returns the key of a collection of a catalogue.
func (c *Collection) Key() string { return c.Type.About.Key }

// Writable returns an error if the collection is read-only.
func (c *Collection) Writable() error {
	if c.Set.readOnly {
		return c.Type.Errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	return nil
}

// holder returns the entry that has a text in a unique field, or nil. A UUID is also found in its
// stored spelling, because programs may store another spelling than requests do.
// A key that is a number is found in its usual spelling only.
func holder(from layout.Getter, at *layout.Field, text string) *store.Entry {
	if at != nil && (at.Kind == schema.Integer || at.Kind == schema.Decimal) && at.Usual(text) == "" {
		return nil
	}
	for at != nil && utf8.ValidString(text) {
		if e := from.Holder(at.Snake, at.TextKey(text)); e != nil {
			return e
		}
		before := text
		if text = at.Usual(text); text == before || text == "" {
			break
		}
	}
	return nil
}

// errCorrupt is wrapped by the errors of Check, which are bugs of this package.
var errCorrupt = errors.New("corrupt")

// Check returns the first violated invariant, or nil.
func (c *Collection) Check() error {
	if err := c.Store.Current().Check(); err != nil {
		return c.Type.Errorf("%w: %w", errCorrupt, err)
	}
	for _, e := range c.Store.Current().Entries() {
		if err := c.Type.CheckEntry(e); err != nil {
			return c.Type.Errorf("%w: id %d: %w", errCorrupt, e.ID, err)
		}
	}
	return nil
}

// The errors that package catalogue documents.
var (
	ErrInvalidType       = layout.ErrInvalidType
	ErrUnknownCollection = errors.New("unknown collection")

	ErrNotFound     = errors.New("no such record")
	ErrExists       = layout.ErrExists
	ErrInvalidID    = layout.ErrInvalidID
	ErrInvalid      = layout.ErrInvalid
	ErrReadOnly     = errors.New("collection is read-only")
	ErrInvalidToken = store.ErrInvalidToken
	ErrTxDone       = store.ErrTxDone
	ErrDuplicate    = errors.New("duplicate value")
	ErrReferenced   = errors.New("other records refer to it")
	ErrDangling     = errors.New("reference to no record")

	ErrHistoryTrimmed = errors.New("history has been trimmed")

	ErrInvalidData = errors.New("cannot load")
)

// Errors has functions that make the errors with fields, whose types package catalogue
// documents.
type Errors struct {
	Record     func(RecordError) error
	Violations func([]RecordError) error
}

// A RecordError describes an invalid record in loaded data.
type RecordError struct {
	Collection string
	Index      int
	Identity   schema.Identity
	Line       int
	Field      string
	Err        error
}
