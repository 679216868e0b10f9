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
	"github.com/gobacklist/backlist/resources"
)

// What is wrong with fixtures, apart from their records.
var (
	errNoFixtures = errors.New("has no .json, .ndjson or .jsonl file")
	errEmptyFile  = errors.New("is empty")
	errNoKey      = errors.New("is called by no collection, and is no JSON object of collections either")
	errNoRecords  = errors.New("want an array of records, or an answer whose results are one")
)

// fixtures is a catalogue that is filled from files.
type fixtures struct {
	house *catalogue.Catalogue
	from  map[string]string // the file of each collection that was given
}

// loadFixtures makes a catalogue of all fixtures in a file system. Its error has
// one line for each file that is bad.
func loadFixtures(files fs.FS) (*catalogue.Catalogue, error) {
	names, err := fixtureNames(files)
	if err != nil {
		return nil, fmt.Errorf("fixtures: %w", err)
	}
	f := fixtures{catalogue.New(), map[string]string{}}
	var faults []error
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err == nil {
			err = f.load(name, text)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("fixtures: %w", err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return f.house, nil
}

// fixtureNames lists the files that are fixtures, in lexical order.
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

// load reads one file.
func (f *fixtures) load(name string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s %w", name, errEmptyFile)
	}
	about, known := collectionOf(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	file := source{f, name, text}
	switch {
	case path.Ext(name) != ".json" && known:
		return file.lines(about.Key)
	case path.Ext(name) != ".json":
		return fmt.Errorf("%s %w", name, errNoKey)
	}
	if at, err := syntaxFault(text); err != nil {
		return file.fault(at, err)
	}
	if known {
		return file.collection(about.Key)
	}
	return file.several()
}

// collectionOf finds a collection by its key or its path segment.
func collectionOf(name string) (resources.Description, bool) {
	all := resources.Descriptions()
	i := slices.IndexFunc(all, func(c resources.Description) bool { return c.Key == name || c.Segment == name })
	if i < 0 {
		return resources.Description{}, false
	}
	return all[i], true
}

// source is a file that is being read.
type source struct {
	*fixtures
	name string
	text []byte
}

// fault says where in the file something is wrong.
func (s *source) fault(at int, err error) error {
	return fmt.Errorf("%s:%s: %w", s.name, place(s.text, at), err)
}

// collection reads a file that is one collection: a list, or an answer.
func (s *source) collection(key string) error {
	list := part{text: bytes.TrimSpace(s.text)}
	list.at = bytes.IndexByte(s.text, list.text[0])
	if list.text[0] == '{' {
		results, ok := member(objectParts(s.text, 0), "results")
		if !ok {
			return s.fault(list.at, fmt.Errorf("%s: %w", key, errNoRecords))
		}
		list = results
	}
	return s.list(key, list)
}

// several reads a file that is an object of collections.
func (s *source) several() error {
	start := bytes.IndexByte(s.text, bytes.TrimSpace(s.text)[0])
	if s.text[start] != '{' {
		return fmt.Errorf("%s %w", s.name, errNoKey)
	}
	for _, p := range objectParts(s.text, 0) {
		about, known := collectionOf(p.name)
		if !known {
			return s.fault(p.nameAt, fmt.Errorf("%w: %q", catalogue.ErrUnknownCollection, p.name))
		}
		if err := s.list(about.Key, p); err != nil {
			return err
		}
	}
	return nil
}

// list reads a list of records.
func (s *source) list(key string, list part) error {
	if list.text[0] != '[' {
		return s.fault(list.at, fmt.Errorf("%s: %w", key, errNoRecords))
	}
	return s.records(key, list.text, func() []part { return listParts(list.text, list.at) })
}

// lines reads a file with a record a line. Blank lines do not count.
func (s *source) lines(key string) error {
	var records []part
	at := 0
	for line := range bytes.Lines(s.text) {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			begin := at + bytes.IndexByte(line, text[0])
			if fault, err := syntaxFault(text); err != nil {
				return s.fault(begin+fault, err)
			}
			records = append(records, part{text: text, at: begin})
		}
		at += len(line)
	}
	texts := make([][]byte, len(records))
	for i, r := range records {
		texts[i] = r.text
	}
	list := slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]"))
	return s.records(key, list, func() []part { return records })
}

// records fills a collection. Where its records stand is asked if one is bad.
func (s *source) records(key string, list []byte, parts func() []part) error {
	if before, twice := s.from[key]; twice {
		return fmt.Errorf("%s: %s were given already, in %s", s.name, key, before)
	}
	s.from[key] = s.name
	err := s.house.LoadCollection(key, bytes.NewReader(list))
	var bad *catalogue.RecordError
	if !errors.As(err, &bad) {
		if err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
		}
		return err
	}
	record := parts()[bad.Index]
	at := record.at
	if m, ok := member(objectParts(record.text, record.at), bad.Field); ok {
		at = m.nameAt
	}
	return s.fault(at, err)
}
