package cataloguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Errors of fixtures, apart from invalid records. Each follows the name of a file or
// collection.
var (
	errNoFixtures = errors.New("has no .json file")
	errEmptyFile  = errors.New("is empty")
	errNoKey      = errors.New("is not named after a collection and is not a JSON object of collections")
)

// fixtures is a catalogue that is being loaded from files.
type fixtures struct {
	catalogue *catalogue.Catalogue // empty at first
	paths     paths
	from      map[string]string // the file of each collection loaded so far
}

// loadFixtures loads the records of all fixtures into a catalogue. Its error has one line
// for each invalid file.
func loadFixtures(files fs.FS, c *catalogue.Catalogue) error {
	names, err := fixtureNames(files)
	if err != nil {
		return fmt.Errorf("fixtures: %w", err)
	}
	f := fixtures{c, pathsOf(c, ""), map[string]string{}}
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err == nil {
			err = f.load(name, text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("fixtures: %w", err))
		}
	}
	return errors.Join(errs...)
}

// fixtureNames returns the names of the fixture files in lexical order.
func fixtureNames(files fs.FS) (names []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && path.Ext(name) == ".json" {
			names = append(names, name)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("the file system %w", errNoFixtures)
	}
	return names, err
}

// load loads one file.
func (f *fixtures) load(name string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s %w", name, errEmptyFile)
	}
	if syntax := (*schema.SyntaxError)(nil); errors.As(schema.CheckSyntax(text), &syntax) {
		return fmt.Errorf("%s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Reason)
	}
	members := membersOf(text)
	about, unknown := f.paths.named(strings.TrimSuffix(path.Base(name), ".json"))
	several := func(m member) bool { return m.name == about.Key } // a saved catalogue, named after one of its collections
	if unknown == nil && !slices.ContainsFunc(members, several) {
		return f.loadRecords(name, about.Key, text)
	}
	if bytes.TrimSpace(text)[0] != '{' {
		return fmt.Errorf("%s %w", name, errNoKey)
	}
	for _, m := range members {
		if m.name == "$lastIds" { // of a saved catalogue
			continue
		}
		about, err := f.paths.named(m.name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := f.loadRecords(name, about.Key, m.value); err != nil {
			return err
		}
	}
	return nil
}

// A member is a member of an object.
type member struct {
	name  string
	value json.RawMessage // after as many line breaks as in the object, so that errors have its lines
}

// membersOf returns the members of an object, whose syntax must be valid, in their order, and
// none of another value.
func membersOf(text []byte) (members []member) {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, _ := d.Token()
		m := member{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			return nil
		}
		before := text[:int(d.InputOffset())-len(m.value)]
		m.value = append(bytes.Repeat([]byte("\n"), bytes.Count(before, []byte("\n"))), m.value...)
		members = append(members, m)
	}
	return members
}

// loadRecords loads a collection: an array of records, or a saved response.
func (f *fixtures) loadRecords(name, key string, text []byte) error {
	if first, twice := f.from[key]; twice {
		return fmt.Errorf("%s: collection %s is already in %s", name, key, first)
	}
	f.from[key] = name
	into, err := f.catalogue.Collection(key)
	if err == nil {
		err = into.Load(bytes.NewReader(text), catalogue.LoadOptions{})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
