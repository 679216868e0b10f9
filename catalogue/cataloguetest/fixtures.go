package cataloguetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// Errors of fixtures, apart from those of their records. Each follows the name of a
// file or collection.
var (
	errNoFixtures = errors.New("has no .json, .ndjson or .jsonl file")
	errEmptyFile  = errors.New("is empty")
	errNoKey      = errors.New("is not named after a collection and is not a JSON object of collections")
	errNoRecords  = errors.New("want an array of records, or an object whose results are one")
)

// fixtures is a catalogue that is being loaded from files.
type fixtures struct {
	house *catalogue.Catalogue // empty at first
	paths paths
	from  map[string]string // the file of each collection loaded so far
}

// loadFixtures loads the records of all fixtures into a catalogue. Its error has one line
// for each invalid file.
func loadFixtures(files fs.FS, house *catalogue.Catalogue) error {
	names, err := fixtureNames(files)
	if err != nil {
		return fmt.Errorf("fixtures: %w", err)
	}
	f := fixtures{house, pathsOf(house, ""), map[string]string{}}
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
		if !entry.IsDir() && slices.Contains([]string{".json", ".ndjson", ".jsonl"}, path.Ext(name)) {
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
	about, unknown := f.paths.named(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	known := unknown == nil
	file := fixtureFile{f, name, text}
	switch {
	case path.Ext(name) != ".json" && known:
		return file.loadLines(about.Key)
	case path.Ext(name) != ".json":
		return fmt.Errorf("%s %w", name, errNoKey)
	}
	if at, err := syntaxError(text); err != nil {
		return file.errorAt(at, err)
	}
	if known {
		return file.loadCollection(about.Key)
	}
	return file.loadCollections()
}

// A fixtureFile is a file that is being loaded.
type fixtureFile struct {
	*fixtures
	name string
	text []byte
}

// errorAt returns an error that begins with a position in the file.
func (f *fixtureFile) errorAt(at int, err error) error {
	return fmt.Errorf("%s:%s: %w", f.name, position(f.text, at), err)
}

// loadCollection loads a file that holds one collection, as a list or as a saved
// response.
func (f *fixtureFile) loadCollection(key string) error {
	list := part{text: bytes.TrimSpace(f.text)}
	list.at = bytes.IndexByte(f.text, list.text[0])
	if list.text[0] == '{' {
		results, ok := member(objectParts(f.text, 0), "results")
		if !ok {
			return f.errorAt(list.at, fmt.Errorf("%s: %w", key, errNoRecords))
		}
		list = results
	}
	return f.loadList(key, list)
}

// loadCollections loads a file that holds an object of collections.
func (f *fixtureFile) loadCollections() error {
	start := bytes.IndexByte(f.text, bytes.TrimSpace(f.text)[0])
	if f.text[start] != '{' {
		return fmt.Errorf("%s %w", f.name, errNoKey)
	}
	for _, p := range objectParts(f.text, 0) {
		about, err := f.paths.named(p.name)
		if err != nil {
			return f.errorAt(p.nameAt, err)
		}
		if err := f.loadList(about.Key, p); err != nil {
			return err
		}
	}
	return nil
}

// loadList loads a JSON array of records.
func (f *fixtureFile) loadList(key string, list part) error {
	if list.text[0] != '[' {
		return f.errorAt(list.at, fmt.Errorf("%s: %w", key, errNoRecords))
	}
	return f.loadRecords(key, list.text, func() []part { return listParts(list.text, list.at) })
}

// loadLines loads a file with one record per line. Blank lines are ignored.
func (f *fixtureFile) loadLines(key string) error {
	var records []part
	at := 0
	for line := range bytes.Lines(f.text) {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			start := at + bytes.IndexByte(line, text[0])
			if offset, err := syntaxError(text); err != nil {
				return f.errorAt(start+offset, err)
			}
			records = append(records, part{text: text, at: start})
		}
		at += len(line)
	}
	texts := make([][]byte, len(records))
	for i, r := range records {
		texts[i] = r.text
	}
	list := slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]"))
	return f.loadRecords(key, list, func() []part { return records })
}

// loadRecords loads the records of a collection. It calls parts for their positions
// only if one of them is invalid.
func (f *fixtureFile) loadRecords(key string, list []byte, parts func() []part) error {
	if first, twice := f.from[key]; twice {
		return fmt.Errorf("%s: collection %s is already in %s", f.name, key, first)
	}
	f.from[key] = f.name
	err := f.house.LoadCollection(key, bytes.NewReader(list))
	var invalid *catalogue.RecordError
	if !errors.As(err, &invalid) {
		if err != nil {
			err = fmt.Errorf("%s: %w", f.name, err)
		}
		return err
	}
	record := parts()[invalid.Index]
	at := record.at
	if m, ok := member(objectParts(record.text, record.at), invalid.Field); ok {
		at = m.nameAt
	}
	return f.errorAt(at, err)
}
