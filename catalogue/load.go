package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/resources"
)

// A RecordError says which record of what was loaded is bad. It matches
// [ErrInvalidData] and what Err matches.
type RecordError struct {
	Collection string // key
	Index      int    // place in the array, from 0
	Field      string // name of the member, "" if it is the record as a whole
	Err        error
}

// Error names the collection, the place and the member.
func (e *RecordError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %v: record %d: %v", e.Collection, ErrInvalidData, e.Index, e.Err)
	}
	return fmt.Sprintf("%s: %v: record %d: member %q: %v", e.Collection, ErrInvalidData, e.Index, e.Field, e.Err)
}

// Unwrap gives [ErrInvalidData] and Err.
func (e *RecordError) Unwrap() []error { return []error{ErrInvalidData, e.Err} }

// Load replaces the records of every collection that the JSON object from r
// has: its keys are those of the collections, each holds an array of records in
// wire form, each with its id. Collections that are absent stay as they are.
// What [Catalogue.Save] writes of ids that were used before counts, too.
//
// Everything is read and checked before anything is replaced, then all
// collections are replaced at one instant. References are not checked. An error of r
// is returned wrapped. All other errors match [ErrLoad]: a bad record is a
// [RecordError], an unknown or repeated key is named, broken JSON is located by
// line and byte. O(n), and O(n log n) for records that are not sorted by id.
func (c *Catalogue) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return load("catalogue", data, c.read)
}

// load reads data and replaces the records of collections, if all of it is good.
// Broken JSON is reported before anything else that is wrong.
func load(name string, data []byte, read func(*scanner) ([]store.Replacement, error)) error {
	in := &scanner{data: data}
	all, err := read(in)
	if in.skipSpace(); err == nil && in.at == len(data) {
		store.Replace(all)
		return nil
	}
	if syntax := checkSyntax(data); syntax != nil {
		err = syntax
	} else if errors.Is(err, ErrInvalidData) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", name, ErrInvalidData, err)
}

// checkSyntax says where data is no JSON, if it is none.
func checkSyntax(data []byte) error {
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, byte %d: %w", line, column, syntax)
}

// read reads a file. The replacements are in the order of the collections.
func (c *Catalogue) read(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string][]*store.Entry{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return c.readLastIDs(in.value(), used)
		}
		m, err := c.lookup(key)
		if err != nil {
			return fmt.Errorf("%w: %q", ErrUnknownCollection, key)
		}
		found[key], err = m.read(in)
		return err
	})
	for _, m := range c.all {
		if entries, ok := found[m.Key()]; ok {
			all = append(all, store.Replacement{Store: m.engine(), Entries: entries, UsedID: used[m.Key()]})
		}
	}
	return all, err
}

// readLastIDs reads the highest ids used, by collection.
func (c *Catalogue) readLastIDs(list []byte, used map[string]int) error {
	var ids []struct {
		Collection string `json:"collection"`
		ID         int    `json:"id"`
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.DisallowUnknownFields()
	if err := d.Decode(&ids); err != nil {
		return fmt.Errorf("%s: %w", lastIDsKey, err)
	}
	for _, last := range ids {
		switch _, err := c.lookup(last.Collection); {
		case err != nil:
			return fmt.Errorf("%s: %w: %q", lastIDsKey, ErrUnknownCollection, last.Collection)
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want an integer from 1 on", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
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
	return load(cmp.Or(e.c.schema.name, "collection"), data, func(in *scanner) ([]store.Replacement, error) {
		entries, err := e.readResults(in)
		return []store.Replacement{{Store: e.c.store, Entries: entries}}, err
	})
}

var (
	errNoArray   = errors.New("want an array of records")
	errNoResults = errors.New("want an array of records, or an object whose results are one")
)

// readResults reads an array of records, or the one in an envelope.
func (e *encoded[T]) readResults(in *scanner) (entries []*store.Entry, err error) {
	if in.skipSpace(); !bytes.HasPrefix(in.data[in.at:], []byte("{")) {
		return e.read(in)
	}
	found := false
	err = in.object(func(name string) (err error) {
		if name == "results" {
			found = true
			entries, err = e.read(in)
		} else if !json.Valid(in.value()) {
			err = errBroken
		}
		return err
	})
	if err == nil && !found {
		err = errNoResults
	}
	return entries, err
}

// read makes entries of the array of records that comes next, sorted by id.
func (e *encoded[T]) read(in *scanner) (entries []*store.Entry, err error) {
	if !in.take("[") {
		return nil, fmt.Errorf("%s: %w: %w", e.about.Key, ErrInvalidData, errNoArray)
	}
	record, ascending, last := new(T), true, 0
	for !in.take("]") {
		if len(entries) > 0 && !in.take(",") {
			return nil, errBroken
		}
		ent, err := e.c.schema.load(in, record)
		if err != nil {
			return nil, e.recordError(len(entries), err)
		}
		ascending, last = ascending && last < ent.ID, ent.ID
		entries = append(entries, ent)
	}
	if !ascending {
		if err := e.sort(entries); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// sort sorts entries by id, none of which may come twice.
func (e *encoded[T]) sort(entries []*store.Entry) error {
	seen := make(map[int]int, len(entries))
	for i, ent := range entries {
		if first, twice := seen[ent.ID]; twice {
			err := fmt.Errorf("%w: record %d has %d too", ErrExists, first, ent.ID)
			return e.recordError(i, &resources.MemberError{Member: e.c.schema.idWire, Err: err})
		}
		seen[ent.ID] = i
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
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
func (s *schema[T]) load(in *scanner, record *T) (*store.Entry, error) {
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
		return nil, &resources.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: want an integer from 1 on", ErrInvalidID)}
	}
	if plain {
		return newEntry(id, *record), nil
	}
	if err := s.check(record); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return newEntry(id, s.clone(record)), nil
}
