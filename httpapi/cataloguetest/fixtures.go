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
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	if err := file.checkSyntax(text, 1); err != nil {
		return err
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

// checkSyntax returns an error that begins with a position in the file if text, which
// begins at the given line of it, is not one JSON value.
func (f *fixtureFile) checkSyntax(text []byte, line int) error {
	var syntax *schema.SyntaxError
	if !errors.As(schema.CheckSyntax(text), &syntax) {
		return nil
	}
	return fmt.Errorf("%s:%d:%d: %s", f.name, line+syntax.Line-1, syntax.Column, syntax.Reason)
}

// loadCollection loads a file that holds one collection, as a list or as a saved
// response.
func (f *fixtureFile) loadCollection(key string) error {
	list := part{text: bytes.TrimSpace(f.text)}
	list.at = bytes.IndexByte(f.text, list.text[0])
	if list.text[0] == '{' {
		parts := objectParts(f.text, 0)
		results, ok := member(parts, "results")
		if _, several := member(parts, key); !ok && several {
			return f.loadCollections() // a saved catalogue, named after one of its collections
		}
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
		if p.name == "$lastIds" { // of a saved catalogue
			continue
		}
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
	at, number := 0, 1
	for line := range bytes.Lines(f.text) {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := f.checkSyntax(bytes.TrimRight(line, "\r\n"), number); err != nil {
				return err
			}
			records = append(records, part{text: text, at: at + bytes.IndexByte(line, text[0])})
		}
		at += len(line)
		number++
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
	into, err := f.catalogue.Collection(key)
	if err == nil {
		err = into.Load(bytes.NewReader(list), catalogue.LoadOptions{})
	}
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

// A part is a JSON value with its offset in a text. If it is a member of an object,
// it has a name, which has an offset too.
type part struct {
	name   string
	nameAt int
	text   []byte
	at     int
}

// objectParts returns the members of an object, and listParts the elements of an
// array. Both return nothing for any other value. The text must be valid JSON; base
// is its offset.
func objectParts(text []byte, base int) []part { return partsOf(text, base, '{') }

func listParts(text []byte, base int) []part { return partsOf(text, base, '[') }

func partsOf(text []byte, base int, opening json.Delim) (parts []part) {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != opening {
		return nil
	}
	for d.More() {
		var p part
		if opening == '{' {
			before := int(d.InputOffset())
			name, err := d.Token()
			if err != nil {
				return parts
			}
			p.name, _ = name.(string)
			p.nameAt = base + before + bytes.IndexByte(text[before:], '"')
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return parts
		}
		p.text = value
		p.at = base + int(d.InputOffset()) - len(value)
		parts = append(parts, p)
	}
	return parts
}

// member returns the first part with the given name.
func member(parts []part, name string) (part, bool) {
	i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
	if i < 0 {
		return part{}, false
	}
	return parts[i], true
}

// position returns the line and column of an offset, as compilers write them. Both
// count from 1; columns are counted in code points, as by [schema.SyntaxError].
func position(text []byte, at int) string {
	before := text[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%d:%d", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line))
}
