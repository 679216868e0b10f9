package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
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

// rawRecord is a record as it stands in a file.
type rawRecord = json.RawMessage

// Load replaces the records of every collection that the JSON object from r
// has: its keys are those of the collections, each holds an array of records in
// wire form, each with its id. Collections that are absent stay as they are.
//
// All is read and checked before anything is replaced, then the collections are
// replaced one by one. Reading errors are r's own; all others match [ErrLoad]:
// what is no such object, an unknown or repeated key (which is named), and a
// bad record, which is a [RecordError]. References are not checked. O(n log n).
func (c *Catalogue) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return c.load(data)
}

func (c *Catalogue) load(data []byte) error {
	if err := checkSyntax(data); err != nil {
		return fmt.Errorf("catalogue: %w: %w", ErrLoad, err)
	}
	var file orderedObject
	err := file.read(data)
	if err != nil {
		return fmt.Errorf("catalogue: %w: %w", ErrLoad, err)
	}
	var all []store.Replacement
	lastIDs := map[string]int{}
	for _, part := range file {
		if part.key == lastIDsKey {
			if lastIDs, err = c.readLastIDs(part.value); err != nil {
				return fmt.Errorf("catalogue: %w: %s: %w", ErrLoad, lastIDsKey, err)
			}
			continue
		}
		m, err := c.lookup(part.key)
		if err != nil {
			return fmt.Errorf("catalogue: %w: %w: %q", ErrLoad, ErrUnknownCollection, part.key)
		}
		records, err := array(part.value)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", part.key, ErrLoad, err)
		}
		entries, err := m.read(records)
		if err != nil {
			return err
		}
		all = append(all, store.Replacement{Store: m.engine(), Entries: entries})
	}
	c.replace(all, lastIDs)
	return nil
}

// readLastIDs reads the highest ids ever used, by collection.
func (c *Catalogue) readLastIDs(data []byte) (map[string]int, error) {
	var list []struct {
		Collection string
		ID         int
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	lastIDs := map[string]int{}
	for _, last := range list {
		if _, err := c.lookup(last.Collection); err != nil || last.ID < 1 {
			return nil, fmt.Errorf("collection %q, id %d", last.Collection, last.ID)
		}
		lastIDs[last.Collection] = last.ID
	}
	return lastIDs, nil
}

// replace replaces the records of collections at one instant.
func (c *Catalogue) replace(all []store.Replacement, lastIDs map[string]int) {
	stores := c.stores()
	for i := range all {
		all[i].UsedID = lastIDs[c.all[slices.Index(stores, all[i].Store)].Key()]
	}
	slices.SortFunc(all, func(a, b store.Replacement) int {
		return slices.Index(stores, a.Store) - slices.Index(stores, b.Store)
	})
	store.Replace(all)
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
	data, err := io.ReadAll(r)
	if err != nil {
		return e.c.schema.errorf("%w", err)
	}
	if err := checkSyntax(data); err != nil {
		return e.c.schema.errorf("%w: %w", ErrLoad, err)
	}
	records, err := results(data)
	if err != nil {
		return e.c.schema.errorf("%w: %w", ErrLoad, err)
	}
	entries, err := e.read(records)
	if err == nil {
		store.Replace([]store.Replacement{{Store: e.c.store, Entries: entries}})
	}
	return err
}

var (
	errNoArray   = errors.New("want an array of records")
	errNoResults = errors.New("want an array of records, or an object whose results are one")
)

// array takes a JSON array apart.
func array(data []byte) (records []rawRecord, err error) {
	if data = bytes.TrimSpace(data); data[0] != '[' {
		return nil, errNoArray
	}
	return records, json.Unmarshal(data, &records)
}

// results takes apart a JSON array, or the one in an envelope.
func results(data []byte) ([]rawRecord, error) {
	if bytes.TrimSpace(data)[0] != '{' {
		return array(data)
	}
	var envelope orderedObject
	if err := envelope.read(data); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(envelope, func(p objectPart) bool { return p.key == "results" })
	if i < 0 {
		return nil, errNoResults
	}
	return array(envelope[i].value)
}

// read makes entries of all records, sorted by id.
func (e *encoded[T]) read(records []rawRecord) ([]*store.Entry, error) {
	entries := make([]*store.Entry, len(records))
	seen := make(map[int]int, len(records))
	for i, raw := range records {
		ent, err := e.c.schema.load(raw)
		if err == nil {
			if first, twice := seen[ent.ID]; twice {
				err = &resources.MemberError{Member: e.c.schema.idWire, Err: fmt.Errorf("%w: record %d has %d too", ErrExists, first, ent.ID)}
			}
		}
		if err != nil {
			return nil, e.recordError(i, err)
		}
		entries[i], seen[ent.ID] = ent, i
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return a.ID - b.ID })
	return entries, nil
}

func (e *encoded[T]) recordError(i int, err error) error {
	bad := &RecordError{Collection: e.about.Key, Index: i, Err: err}
	var member *resources.MemberError
	if errors.As(err, &member) {
		bad.Field, bad.Err = member.Member, member.Err
	}
	return bad
}

// load makes the entry of a record in wire form.
func (s *schema[T]) load(raw rawRecord) (*store.Entry, error) {
	record, err := s.decode(raw, s.required)
	if err != nil {
		return nil, err
	}
	id := s.id(&record)
	if id < 1 {
		return nil, &resources.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: want an integer from 1 on", ErrID)}
	}
	if err := s.check(&record); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return newEntry(id, s.clone(&record)), nil
}
