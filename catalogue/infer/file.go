// Package infer makes a catalogue of a JSON file. The file says nothing about its records: the collections,
// what identifies a record, the kinds of fields and the references are guesses.
//
//	file, err := infer.Read(strings.NewReader(`{"posts": [{"id": 1, "title": "First"}]}`), infer.Options{})
//	if err != nil {
//		return err
//	}
//	fmt.Print(file.Found("/")) // /posts/ has 1 record: id integer, title text.
//	handler, err := httpapi.New(file.Catalogue, httpapi.Options{Root: "/"})
package infer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Options are what a file does not say. The zero value leaves all to guesses.
type Options struct {
	// Name is the name of the collection if the whole text is one list or one record. If empty, it is
	// "records".
	Name string
}

// A File is what has been read. Its methods are safe for concurrent use.
type File struct {
	// Catalogue has the collections, each of open records, under their names in the file.
	Catalogue *catalogue.Catalogue

	text
	bare    bool // the whole text is one list or one record
	members []*member
}

// Read reads a JSON text to its end: collections as in {"posts": [{"id": 1}]}, a list of records, one
// record, or a record on each line, also with a byte order mark, or packed by gzip. It returns an error that
// has the line and the column if the text is not JSON, has no records, has a record that cannot be one of its
// collection, or has two records with one id. O(n log n).
func Read(r io.Reader, opts Options) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	f := &File{text: text{data: data}}
	if err := f.unpack(); err != nil {
		return nil, err
	}
	if err := f.parse(cmp.Or(opts.Name, "records")); err != nil {
		return nil, err
	}
	if err := f.readAll(); err != nil {
		return nil, err
	}
	f.data = nil
	f.Catalogue, err = f.catalogue()
	return f, err
}

// parse divides the text into members.
func (f *File) parse(name string) error {
	d := json.NewDecoder(bytes.NewReader(f.data))
	if bytes.TrimSpace(f.data)[0] == '{' {
		_, _ = d.Token()
	}
	f.bare = d.InputOffset() == 0
	whole, lists := true, false // whether all members are collections, and some is a list of records
	named, paths := map[string]bool{}, map[string]*member{}
	for d.More() {
		m := &member{}
		if !f.bare {
			name, _ := d.Token()
			m.name = name.(string)
		}
		_ = d.Decode(&m.value) // the syntax is valid
		m.start = int(d.InputOffset()) - len(m.value)
		switch other := paths[m.segment()]; {
		case named[m.name]:
			return f.errorAt(m.start, "the collection %q is there twice: rename one of them", m.name)
		case !m.isCollection():
		case other != nil:
			return f.errorAt(m.start, "the collection %q has the path of %q: rename one of them", m.name, other.name)
		case m.name == "" && !f.bare:
			return f.errorAt(m.start, `the collection "" has no path: rename it`)
		default:
			paths[m.segment()] = m
		}
		named[m.name] = true
		f.members = append(f.members, m)
		whole = whole && m.isCollection()
		lists = lists || m.isCollection() && m.value[0] == '[' && m.first() == '{'
	}
	if !f.bare && !lists && !whole { // a record
		f.bare, f.members = true, []*member{{value: bytes.TrimSpace(f.data), start: bytes.IndexByte(f.data, '{')}}
	}
	if f.bare {
		f.members[0].name = name
	}
	if !slices.ContainsFunc(f.members, (*member).isCollection) {
		return f.errorAt(0, `no records: want collections such as {"posts": [{"title": "a"}]}, a list of objects, or an object`)
	}
	return nil
}

// readAll reads the records and infers the fields.
func (f *File) readAll() error {
	for _, m := range f.members {
		if !m.isCollection() {
			continue
		}
		if err := f.read(m); err != nil {
			return err
		}
		m.to = map[string]*member{}
		for _, r := range m.records {
			m.shape.addMembers(r)
		}
		m.count = len(m.records)
		m.fields = m.shape.fields(m.count)
		m.value = nil
	}
	named := map[string][]*member{}
	for _, m := range f.served() {
		name := ordering.Snake(m.name)
		named[name] = append(named[name], m)
	}
	for _, m := range f.served() {
		for i := range m.fields {
			m.refer(&m.fields[i], named)
		}
	}
	relate(f.served())
	return nil
}

// served returns the members that are collections.
func (f *File) served() []*member {
	return slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return m.value != nil })
}

// catalogue returns a catalogue with the records, which the file does not keep.
func (f *File) catalogue() (*catalogue.Catalogue, error) {
	var definitions []catalogue.AnyDefinition
	for _, m := range f.served() {
		definitions = append(definitions, m.definition())
	}
	cat, err := catalogue.New(definitions...)
	for _, m := range f.served() {
		var c *catalogue.Collection[schema.Record]
		if err == nil {
			c, err = recordsOf(m.name).In(cat)
		}
		if err == nil {
			err = c.ReplaceAll(slices.Values(m.records))
		}
		m.records = nil
	}
	return cat, err
}

// Found returns a sentence about each collection, which begins with its path below root, such as
// "http://127.0.0.1:8080/api/": its size, what identifies the records, and the kinds of their fields. Other
// members of the file have a sentence too.
func (f *File) Found(root string) string {
	var b strings.Builder
	for _, m := range f.members {
		if m.value != nil {
			fmt.Fprintf(&b, "%s is not served, because it is neither an object nor a list of objects.\n", m.name)
			continue
		}
		fmt.Fprintf(&b, "%s%s/ has %d %s: %s %s", root, m.segment(), m.count, map[bool]string{true: "record", false: "records"}[m.count == 1], m.id, map[bool]string{true: "text", false: "integer"}[m.keyed])
		for _, s := range m.shape.members {
			if s.name != m.id {
				fmt.Fprintf(&b, ", %s %s", s.name, m.guess(s))
			}
		}
		b.WriteString(".\n")
	}
	return b.String() + "The kinds of fields are guesses: writes may send others.\n"
}
