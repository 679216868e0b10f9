package cataloguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	f := fixtures{c, pathsOf(c, "", nil), map[string]string{}}
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
		err = errors.New("the file system has no .json file")
	}
	return names, err
}

// load loads one file.
func (f *fixtures) load(name string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	if syntax := (*schema.SyntaxError)(nil); errors.As(schema.CheckSyntax(text), &syntax) {
		return fmt.Errorf("%s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Reason)
	}
	var members map[string]json.RawMessage // nil unless the file has an object
	_ = json.Unmarshal(text, &members)
	delete(members, "$lastIds") // of a saved catalogue
	about, unknown := f.paths.named(strings.TrimSuffix(path.Base(name), ".json"))
	_, several := members[about.Key] // a saved catalogue, named after one of its collections
	switch {
	case unknown == nil && !several:
		collection, err := f.catalogue.Collection(about.Key)
		if err != nil {
			return err
		}
		return f.loadKeys(name, text, collection.Load, about.Key)
	case members == nil:
		return fmt.Errorf("%s is not named after a collection and is not a JSON object of collections", name)
	}
	return f.loadKeys(name, text, f.catalogue.Load, slices.Sorted(maps.Keys(members))...)
}

// readFile returns the catalogue of a JSON file.
func readFile(name string) (*catalogue.Catalogue, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	base := filepath.Base(name)
	read, err := infer.Read(file, infer.Options{Name: strings.TrimSuffix(base, filepath.Ext(base))})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return read.Catalogue, nil
}

// loadKeys calls load with the text of a file that has the collections with the given keys.
func (f *fixtures) loadKeys(name string, text []byte, load func(io.Reader, catalogue.LoadOptions) error, keys ...string) error {
	for _, key := range keys {
		if first, twice := f.from[key]; twice {
			return fmt.Errorf("%s: collection %s is already in %s", name, key, first)
		}
		f.from[key] = name
	}
	if err := load(bytes.NewReader(text), catalogue.LoadOptions{}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
