package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// LoadOptions configures loading. With the zero value, members and keys that cannot be
// stored are errors.
type LoadOptions struct {
	// SkipUnknown drops unknown members of records and unknown keys of a catalogue.
	// Without it they are errors. It has no effect on open records, which can have any
	// member, and on types with a method UnmarshalJSON or UnmarshalText, except
	// [schema.Event], [schema.Label] and [schema.SocialLink].
	SkipUnknown bool
}

// Load replaces the records of collections by those in r, which must contain the form
// that [Catalogue.Save] writes: a JSON object with an array of records for each key of a
// collection. Each record must have an id. Other members of a record may be missing,
// except those that the service requires of events, labels and social links. Collections
// without a key in the object are unchanged. References are not checked.
//
// Load reads and checks all of r, and then replaces the collections at one instant. After
// an error the catalogue is unchanged. An error of r is wrapped. If the catalogue is a
// snapshot, the error wraps [ErrReadOnly]. All other errors wrap [ErrInvalidData]: for an
// invalid record the error is a [*RecordError], for an unknown or repeated key it names
// the key, and for invalid JSON it contains the line and the byte.
//
// O(n) for records sorted by id, and O(n log n) otherwise and for each ordering in use. Use
// [Catalogue.LoadWith] to skip unknown members.
func (c *Catalogue) Load(r io.Reader) error { return c.LoadWith(r, LoadOptions{}) }

// LoadWith is like [Catalogue.Load], with options.
func (c *Catalogue) LoadWith(r io.Reader, opts LoadOptions) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return c.load(data, opts)
}

func (c *Catalogue) load(data []byte, opts LoadOptions) error {
	if c.readOnly {
		return fmt.Errorf("catalogue: %w: it is a snapshot", ErrReadOnly)
	}
	return load("catalogue", data, opts, c.read)
}

// LoadCollection calls [Collection.Load] for the collection with the given key. The error
// wraps [ErrUnknownCollection] if there is none.
func (c *Catalogue) LoadCollection(key string, r io.Reader) error {
	m, err := c.lookup(key)
	if err != nil {
		return err
	}
	return m.Load(r)
}

// load replaces the records of collections by those in data if all of it is valid. If
// data is not JSON, load returns that error rather than one of read.
func load(name string, data []byte, opts LoadOptions, read func(*scanner) ([]store.Replacement, error)) error {
	in := &scanner{data: data, opts: opts}
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

// checkSyntax returns an error with the line and the byte if data is not JSON.
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

// read reads a catalogue. The replacements are in the order of the collections.
func (c *Catalogue) read(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string][]*store.Entry{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return c.readLastIDs(in, used)
		}
		m, err := c.lookup(key)
		switch {
		case err != nil && in.opts.SkipUnknown:
			return in.skip()
		case err != nil:
			return unknownCollection(key, c.keys())
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

// readLastIDs reads the member of lastIDsKey into used.
func (c *Catalogue) readLastIDs(in *scanner, used map[string]int) error {
	list := in.value()
	if !json.Valid(list) {
		return errBroken
	}
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
		case err != nil && in.opts.SkipUnknown:
		case err != nil:
			return fmt.Errorf("%s: %w", lastIDsKey, unknownCollection(last.Collection, c.keys()))
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want a positive integer", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
}
