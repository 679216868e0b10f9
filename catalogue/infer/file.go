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
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Options are what a file does not say. The zero value leaves all to guesses. A collection that is not in the file
// is an error, and so is a member that no record has, unless a collection has no records.
type Options struct {
	// Name is the name of the collection if the whole text is one list or one record. If empty, it is
	// "records".
	Name string

	// ID has the name of the member that identifies the records of a collection, by the name of the
	// collection, or by "" for all others that have it. Without one, it is the first of id, _id, ID, Id
	// and objectID whose values can be ids, or uuid, key or the name of the collection and Id, if three or
	// more records all have one, and no two the same. Other records are numbered. Values are numbers,
	// texts, or texts as in {"$oid": "5f1e"}. A record without one gets the next integer.
	ID map[string]string

	// Refers has the name of the collection to whose records a member refers, by the name of the member or, for
	// one collection, by both names, as in "posts.author". If it is empty, the member is no reference. Without
	// one, authorId and author_id refer to authors, tagIds to tags, personId to people, and parentId to
	// the same collection, if all values are ids there.
	Refers map[string]string

	// Kinds has the kinds of members, by the same names, in place of those that the values suggest. They must
	// be scalar.
	Kinds map[string]schema.Kind
}

// A File is what has been read. Its methods are safe for concurrent use.
type File struct {
	// Catalogue has the collections, each of open records with a key, under their names in the file, and in
	// its order. Writes of requests can send any members. The first 500 fields of a collection, with those of
	// objects, are orders and filters, and so are the first 5,000 or so of those to which references lead.
	Catalogue *catalogue.Catalogue

	text    *text
	members []*member
}

// Read reads a JSON text to its end: collections as in {"posts": [{"id": 1}]}, a list of records, one
// record, or a record on each line, also with a byte order mark, or packed by gzip. A collection is a list of
// objects, an object, or an object of objects that have at least half of their names in common, whose own names
// are ids.
//
// It returns an error that has the line and the column if the text is not JSON, has no records, has a record that
// cannot be one of its collection, or has two records with one id. If two names in a record are one field, as
// unitPrice and unit_price are, the error has the index of the record. An error of r is returned as it is.
// O(n log n).
func Read(r io.Reader, opts Options) (*File, error) {
	t, err := readText(r)
	if err != nil {
		return nil, err
	}
	f := &File{text: t}
	if f.members, err = t.members(cmp.Or(opts.Name, "records")); err != nil {
		return nil, err
	}
	for _, step := range [...]func(Options) error{f.divide, f.check, f.read} {
		if err := step(opts); err != nil {
			return nil, err
		}
	}
	t.data = nil
	return f, f.load()
}

// divide divides the values of the members, and checks their names.
func (f *File) divide(Options) error {
	named, paths := map[string]bool{}, map[string]*member{}
	for _, m := range f.members {
		f.text.divide(m)
		switch other := paths[m.segment()]; {
		case named[m.name]:
			return f.text.errorAt(m.at.start, "the collection %q is there twice: rename one of them", m.name)
		case m.value != nil:
		case other != nil:
			return f.text.errorAt(m.at.start, "the collection %q has the path of %q: rename one of them", m.name, other.name)
		case m.name == "" || strings.ContainsFunc(m.name, unicode.IsControl) || !utf8.ValidString(m.name):
			return f.text.errorAt(m.at.start, "the collection %q has no path: rename it", m.name)
		default:
			paths[m.segment()] = m
		}
		named[m.name] = true
	}
	if len(paths) == 0 {
		return f.text.errorAt(0, `no records: want collections such as {"posts": [{"title": "a"}]}, a list of objects, or an object`)
	}
	return nil
}

// check returns an error if the options name a collection that is not in the file, or a kind with parts.
func (f *File) check(opts Options) error {
	names := []string{""}
	for _, m := range f.served() {
		names = append(names, m.name)
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(opts.ID)), slices.Collect(maps.Values(opts.Refers))) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("options: no collection %q: %s", name, ordering.Suggest(name, names[1:]))
		}
	}
	for name, kind := range opts.Kinds {
		if !kind.Scalar() || kind == schema.Reference {
			return fmt.Errorf("options: the kind of %s is not that of a single value", name)
		}
	}
	return nil
}

// read reads the records and infers the fields.
func (f *File) read(opts Options) error {
	all := f.served()
	for _, m := range all {
		if err := f.text.read(m); err != nil {
			return err
		}
	}
	if err := f.known(opts); err != nil {
		return err
	}
	for _, m := range all {
		said := opts.ID[m.name]
		if m.shape.byName[opts.ID[""]] != nil {
			said = cmp.Or(said, opts.ID[""])
		}
		if err := f.text.identify(m, said); err != nil {
			return err
		}
		m.to = map[string]*member{}
		m.count = len(m.records)
		m.fields = m.shape.fields(m.count)
	}
	targets := targetsOf(all)
	for _, m := range all {
		for i := range m.fields {
			field := &m.fields[i]
			if field.Name == m.id {
				continue
			}
			if err := f.text.refer(m, field, targets, opts.Refers); err != nil {
				return err
			}
			if kind := cmp.Or(opts.Kinds[m.name+"."+field.Name], opts.Kinds[field.Name]); kind != 0 && m.to[field.Name] == nil {
				*field = schema.Field{Name: field.Name, Kind: kind, Nullable: field.Nullable, Blank: kind == schema.Text, Untrimmed: kind == schema.Text}
			}
		}
	}
	relate(all)
	return nil
}

// known returns an error if the options name a member that no record has. A collection without records could have
// it. Records without an id get one with the name id, and those of an object one with any name.
func (f *File) known(opts Options) error {
	said, known := slices.Collect(maps.Keys(opts.Refers)), []string{"id"}
	said = slices.AppendSeq(said, maps.Keys(opts.Kinds))
	for _, m := range f.served() {
		id := opts.ID[m.name]
		if len(m.records) == 0 {
			return nil
		}
		if id != "" && m.form != keyed {
			said = append(said, m.name+"."+id)
		}
		for _, s := range m.shape.members {
			known = append(known, s.name, m.name+"."+s.name)
		}
		known = append(known, m.name+".id")
	}
	if id := opts.ID[""]; id != "" {
		said = append(said, id)
	}
	for _, name := range said {
		if !slices.Contains(known, name) {
			return fmt.Errorf("options: no record has the member %q: %s", name, ordering.Suggest(name, known))
		}
	}
	return nil
}

// served returns the members that are collections.
func (f *File) served() []*member {
	return slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return m.value != nil })
}

// load makes the catalogue, to which the records pass.
func (f *File) load() (err error) {
	var definitions []catalogue.AnyDefinition
	left := maxRelated
	for _, m := range f.served() {
		definitions = append(definitions, m.definition(&left))
	}
	f.Catalogue, err = catalogue.New(definitions...)
	for _, m := range f.served() {
		m.parts, m.names, m.ids = nil, nil, nil
		var c *catalogue.Collection[schema.Record]
		if err == nil {
			c, err = recordsOf(m.name).In(f.Catalogue)
		}
		if err == nil {
			err = c.ReplaceAll(slices.Values(m.records))
		}
		m.records = nil
	}
	return err
}

// Found returns a sentence about each collection, which begins with its path below root, such as
// "http://127.0.0.1:8080/api/": its size, what identifies the records, and the kinds of their fields. Others are
// about members of the file that are not served, and about guesses, with the flags of examples/backlist that
// are [Options].
func (f *File) Found(root string) string {
	var b strings.Builder
	var refers, others []string
	targets := targetsOf(f.served())
	for _, m := range f.members {
		if m.value != nil {
			fmt.Fprintf(&b, "%s is not served, because it is neither an object nor a list of objects.\n", m.name)
			continue
		}
		fmt.Fprintf(&b, "%s%s/ has %d %s: %s %s", root, m.segment(), m.count, map[bool]string{true: "record", false: "records"}[m.count == 1], m.id, map[bool]string{true: "integer", false: "text"}[m.kind == schema.Integer])
		if m.guessed {
			fmt.Fprintf(&b, " (a guess; -id %s=id undoes it)", m.name)
		}
		if m.slashed {
			b.WriteString(" (records whose id has a slash are in the list only)")
		}
		for _, s := range m.shape.members {
			if s.name == m.id {
				continue
			}
			fmt.Fprintf(&b, ", %s %s", s.name, m.guess(s))
			if m.to[s.name] != nil {
				refers = append(refers, s.name)
			} else if s.mayRefer(targets) {
				others = append(others, s.name)
			}
		}
		b.WriteString(".\n")
	}
	b.WriteString("The kinds of fields are guesses: writes may send others.")
	if refers != nil {
		fmt.Fprintf(&b, " So are references: -refers %s= undoes one.", refers[0])
	}
	if others != nil {
		fmt.Fprintf(&b, " Not references: %s; -refers %s=COLLECTION makes one.", strings.Join(others, ", "), others[0])
	}
	return b.String() + "\n"
}
