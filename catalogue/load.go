package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/resources"
)

// A RecordError says which record of what was loaded is bad. It matches
// [ErrLoad] and what Err matches.
type RecordError struct {
	Collection string // key
	Index      int    // place in the array, from 0
	Field      string // name of the member, "" if it is the record as a whole
	Err        error
}

// Error names the collection, the place and the member.
func (e *RecordError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %v: record %d: %v", e.Collection, ErrLoad, e.Index, e.Err)
	}
	return fmt.Sprintf("%s: %v: record %d: member %q: %v", e.Collection, ErrLoad, e.Index, e.Field, e.Err)
}

// Unwrap gives [ErrLoad] and Err.
func (e *RecordError) Unwrap() []error { return []error{ErrLoad, e.Err} }

// lastIDs is the member of a file that holds the highest ids ever used.
const lastIDs = "$lastIds"

// Load replaces the records of every collection that the JSON object from r
// has: its keys are those of the collections, each holds an array of records in
// wire form, each with its id. Collections that are absent stay as they are.
// The member "$lastIds" may hold an object of collection key to the highest id
// ever used, an integer from 1 on.
//
// All is read and checked before anything is replaced, then the collections are
// replaced one by one. Reading errors are r's own; all others match [ErrLoad]:
// what is no such object, an unknown or repeated key (which is named), and a
// bad record, which is a [RecordError]. References are not checked. O(n), and
// O(n log n) for records that are not in the order of their ids.
func (c *Catalogue) Load(r io.Reader) error {
	data, err := readAll(r)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return c.load(data)
}

// readAll is io.ReadAll without growing by steps if r knows its length, as the
// readers of strings and bytes do.
func readAll(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if sized, ok := r.(interface{ Len() int }); ok {
		b.Grow(max(0, sized.Len()) + bytes.MinRead)
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

func (c *Catalogue) load(data []byte) error {
	read, err := c.read(&scanner{data: data})
	if err != nil {
		return loadError("catalogue", data, err)
	}
	for _, publish := range read.publish {
		publish()
	}
	return nil
}

// A house is what was read from a file: nothing of it is published yet.
type house struct {
	publish []func()
	lastIDs map[string]int // by collection key; collections without records can be among them
}

func (c *Catalogue) read(in *scanner) (read house, err error) {
	err = in.object(func(key string) (err error) {
		if key == lastIDs {
			if read.lastIDs, err = c.readLastIDs(in); err != nil {
				err = fmt.Errorf("%q: %w", key, err)
			}
			return err
		}
		m, err := c.lookup(key)
		if err != nil {
			return fmt.Errorf("%w: %q", ErrUnknownCollection, key)
		}
		publish, err := m.read(in)
		read.publish = append(read.publish, publish)
		return err
	})
	if err == nil && !in.end() {
		err = errBroken
	}
	return read, err
}

// readLastIDs reads an object of collection keys and ids.
func (c *Catalogue) readLastIDs(in *scanner) (map[string]int, error) {
	ids := map[string]int{}
	err := in.object(func(key string) error {
		if _, err := c.lookup(key); err != nil {
			return fmt.Errorf("%w: %q", ErrUnknownCollection, key)
		}
		id, ok := in.integer()
		if !ok || id < 1 {
			return fmt.Errorf("%q: %w", key, errLastID)
		}
		ids[key] = id
		return nil
	})
	return ids, err
}

// loadError says what is wrong with data that could not be read: where it is no
// JSON if it is none, err otherwise.
func loadError(name string, data []byte, err error) error {
	if syntax := checkSyntax(data); syntax != nil {
		err = syntax
	} else if errors.Is(err, ErrLoad) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", name, ErrLoad, err)
}

// LoadCollection replaces the records of one collection by those from r: a JSON
// array of records in wire form, or a saved answer of the service, whose results
// are taken and whose other members are not looked at. Errors are those of
// [Catalogue.Load], and [ErrUnknownCollection].
func (c *Catalogue) LoadCollection(key string, r io.Reader) error {
	m, err := c.lookup(key)
	if err != nil {
		return err
	}
	return m.Load(r)
}

func (e *encoded[T]) Load(r io.Reader) error {
	data, err := readAll(r)
	if err != nil {
		return e.c.schema.errorf("%w", err)
	}
	in := &scanner{data: data}
	publish, err := e.readResults(in)
	if err == nil && !in.end() {
		err = errBroken
	}
	if err != nil {
		return loadError(e.c.schema.collection, data, err)
	}
	publish()
	return nil
}

var (
	errNoArray   = errors.New("want an array of records")
	errNoResults = errors.New("want an array of records, or an object whose results are one")
	errLastID    = errors.New("want an integer from 1 on")
)

// readResults reads an array of records, or the one in an envelope.
func (e *encoded[T]) readResults(in *scanner) (publish func(), err error) {
	if in.skipSpace(); !bytes.HasPrefix(in.data[in.at:], []byte("{")) {
		return e.read(in)
	}
	err = in.object(func(name string) (err error) {
		if name == "results" {
			publish, err = e.read(in)
		} else if !json.Valid(in.value()) {
			err = errBroken
		}
		return err
	})
	if err == nil && publish == nil {
		err = errNoResults
	}
	return publish, err
}

// read makes entries of the array of records that comes next, to be put in the
// place of those that are there.
func (e *encoded[T]) read(in *scanner) (publish func(), err error) {
	if !in.take('[') {
		return nil, fmt.Errorf("%s: %w: %w", e.about.Key, ErrLoad, errNoArray)
	}
	var entries []*entry
	record, ascending, last := new(T), true, 0
	for !in.take(']') {
		if len(entries) > 0 && !in.take(',') {
			return nil, errBroken
		}
		ent, err := e.c.schema.load(in, record)
		if err != nil {
			return nil, e.recordError(len(entries), err)
		}
		ascending, last = ascending && last < ent.id, ent.id
		entries = append(entries, ent)
	}
	if !ascending {
		if err := e.sort(entries); err != nil {
			return nil, err
		}
	}
	return func() { e.c.store.replace(entries) }, nil
}

// sort sorts entries by id, none of which may come twice.
func (e *encoded[T]) sort(entries []*entry) error {
	seen := make(map[int]int, len(entries))
	for i, ent := range entries {
		if first, twice := seen[ent.id]; twice {
			err := fmt.Errorf("%w: record %d has %d too", ErrExists, first, ent.id)
			return e.recordError(i, &resources.MemberError{Member: e.c.schema.idWire, Err: err})
		}
		seen[ent.id] = i
	}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return nil
}

func (e *encoded[T]) recordError(i int, err error) error {
	bad := &RecordError{Collection: e.about.Key, Index: i, Err: err}
	var member *resources.MemberError
	if errors.As(err, &member) {
		bad.Field, bad.Err = member.Member, member.Err
	}
	return bad
}

// load makes the entry of the record that comes next. The record is memory to
// read into.
func (s *schema[T]) load(in *scanner, record *T) (*entry, error) {
	in.skipSpace()
	start := in.at
	plain, ok := s.readPlain(in, record)
	if !ok {
		in.at = start
		var err error
		if *record, err = s.decode(in.value(), s.required); err != nil {
			return nil, err
		}
	}
	id := s.id(record)
	if id < 1 {
		return nil, &resources.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: want an integer from 1 on", ErrID)}
	}
	if plain {
		return newEntry(id, *record), nil
	}
	if err := s.check(record); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return newEntry(id, s.clone(record)), nil
}
