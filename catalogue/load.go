package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// LoadOptions configures how records are loaded. The zero value accepts only what
// can be stored completely.
type LoadOptions struct {
	// SkipUnknown drops members that the type of a record does not have, and keys
	// that are no collections, instead of returning an error. It has no effect on
	// open records, which take any member, and on types that read their own JSON,
	// except for [resources.Event], [resources.Label] and [resources.SocialLink].
	SkipUnknown bool
}

// Load replaces the records of the collections that are keys of the JSON object in r.
// Each key holds an array of records, each with its id; [Catalogue.Save] writes this
// form. Collections that are not in the object stay as they are. References are
// not checked.
//
// The input is read and checked completely before anything is replaced. Then all
// collections are replaced at one instant. An error of r is returned wrapped. Every
// other error is [ErrInvalidData]: an invalid record is a [RecordError], an unknown or
// repeated key is named, and broken JSON is located by line and byte. If the catalogue
// is a snapshot, the error is [ErrReadOnly].
// O(n), or O(n log n) for records that are not sorted by id.
func (c *Catalogue) Load(r io.Reader) error { return c.LoadWith(r, LoadOptions{}) }

// LoadWith is like [Catalogue.Load] with options.
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

// LoadCollection replaces the records of the collection with a key, as
// [Collection.Load] does. The error is [ErrUnknownCollection] if there is none.
func (c *Catalogue) LoadCollection(key string, r io.Reader) error {
	m, err := c.lookup(key)
	if err != nil {
		return err
	}
	return m.Load(r)
}

// load reads data and replaces the records of collections if all of it is valid.
// Broken JSON is reported before any other error.
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

// checkSyntax returns an error with the place where data is not JSON, or nil.
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

// read reads a saved catalogue. The replacements are in the order of the collections.
func (c *Catalogue) read(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string][]*store.Entry{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return c.readLastIDs(in.value(), used)
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

// readLastIDs reads the highest ids that were used, by collection.
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
			return fmt.Errorf("%s: %w", lastIDsKey, unknownCollection(last.Collection, c.keys()))
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want a positive integer", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
}
