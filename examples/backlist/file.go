package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// maxUnpacked is the maximum length of what gzip unpacks.
const maxUnpacked = 128 << 20

// A jsonFile is a JSON file whose collections are served.
type jsonFile struct {
	path    string
	data    []byte // the text, while it is read
	packed  bool   // by gzip
	marked  bool   // it begins with a byte order mark
	lines   bool   // each record is a line
	bare    bool   // the whole text is one list or one record
	indent  string // of a text that is not compact
	members []*member
}

// A member is a member of the object in a file, or the whole text. Its value is a list of records,
// one record, or something else, which is not served.
type member struct {
	name    string
	start   int                // where the value begins
	value   json.RawMessage    // nil if it is served
	one     bool               // the value is a record and no list
	unnamed bool               // the record has no id
	keyed   bool               // ids are texts
	id      string             // name of the id: id, or _id if all records have a text of that name
	ids     map[string]bool    // JSON of the ids in the file
	numbers map[string]bool    // of those of them that are numbers, the JSON of the texts that they become
	to      map[string]*member // collections to which fields refer
	from    []*member          // collections whose references to this one have a name here
	records []schema.Record    // nil after they are stored
	count   int                // of the records
	shape   shape
	fields  []schema.Field
}

// readFile reads a file.
func readFile(path string) (*jsonFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: want a JSON file", path, errors.Unwrap(err))
	}
	f := &jsonFile{path: path, data: data}
	for _, read := range []func() error{f.unpack, f.parse, f.readAll} {
		if err := read(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	f.data = nil
	return f, nil
}

// unpack sets the text.
func (f *jsonFile) unpack() error {
	if f.packed = bytes.HasPrefix(f.data, []byte("\x1f\x8b")); f.packed {
		from, err := gzip.NewReader(bytes.NewReader(f.data))
		if err == nil {
			f.data, err = io.ReadAll(io.LimitReader(from, maxUnpacked+1))
		}
		if err != nil {
			return fmt.Errorf("%w: pack it again, or serve what gunzip makes of it", err)
		}
		if len(f.data) > maxUnpacked {
			return fmt.Errorf("gzip unpacks it to more than %d MiB: unpack it with gunzip, and serve that", maxUnpacked>>20)
		}
	}
	f.data, f.marked = bytes.CutPrefix(f.data, []byte("\ufeff"))
	if list := listed(f.data); list != nil {
		f.data, f.lines = list, true
	}
	if _, rest, found := bytes.Cut(f.data, []byte("\n")); found {
		f.indent = string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
	}
	var syntax *schema.SyntaxError
	switch {
	case len(bytes.TrimSpace(f.data)) == 0:
		return errors.New(`the file is empty: want collections such as {"posts": []}`)
	case errors.As(schema.CheckSyntax(f.data), &syntax):
		return fmt.Errorf("line %d, column %d: %s: JSON is UTF-8 with texts in double quotes, without comments, and without a comma before ] or }", syntax.Line, syntax.Column, syntax.Reason)
	}
	return nil
}

// listed returns lines with an object each as a list, which has them in the same lines. It returns
// nil if the first line is not an object alone, or the only one.
func listed(data []byte) []byte {
	lines, last, n := bytes.Split(data, []byte("\n")), 0, 0
	for i, line := range lines {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case n == 0 && (line[0] != '{' || !json.Valid(line)):
			return nil
		case n > 0:
			lines[last] = append(slices.Clip(lines[last]), ',')
		}
		last, n = i, n+1
	}
	if n < 2 {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(lines, []byte("\n")), []byte("]"))
}

// errorAt returns an error about a place in the text.
func (f *jsonFile) errorAt(at int, format string, args ...any) error {
	before := f.data[:at]
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	line := f.line(at)
	if f.lines && line == 1 {
		column-- // the list begins there
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, fmt.Errorf(format, args...))
}

func (f *jsonFile) line(at int) int { return bytes.Count(f.data[:at], []byte("\n")) + 1 }

// parse divides the text into members.
func (f *jsonFile) parse() error {
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
		name := strings.TrimSuffix(filepath.Base(f.path), ".gz")
		f.members[0].name = cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), "records")
	}
	if !slices.ContainsFunc(f.members, (*member).isCollection) {
		return f.errorAt(0, `no records: want collections such as {"posts": [{"title": "a"}]}, a list of objects, or an object`)
	}
	return nil
}

// first returns the first byte inside the value, or 0 if it has none.
func (m *member) first() byte { return append(bytes.TrimLeft(m.value[1:], " \t\r\n"), 0)[0] }

// isCollection reports whether the value is a record or a list that can have some.
func (m *member) isCollection() bool {
	return m.value[0] == '{' || m.value[0] == '[' && strings.ContainsRune("{]", rune(m.first()))
}

// readAll reads the records and infers the fields.
func (f *jsonFile) readAll() error {
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
func (f *jsonFile) served() []*member {
	return slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return m.value != nil })
}

// read reads the records of a collection.
func (f *jsonFile) read(m *member) error {
	d := json.NewDecoder(bytes.NewReader(m.value))
	if m.one = m.value[0] == '{'; !m.one {
		_, _ = d.Token()
	}
	var texts []json.RawMessage
	var starts []int
	for d.More() {
		var text json.RawMessage
		_ = d.Decode(&text)
		texts, starts = append(texts, text), append(starts, m.start+int(d.InputOffset())-len(text))
	}
	m.id = "id"
	for i := 0; i < len(texts); i++ {
		parse := schema.ParseRecord
		if m.keyed {
			parse = schema.ParseKeyed
		}
		r, err := parse(texts[i])
		var wrong *schema.MemberError
		var syntax *schema.SyntaxError
		switch {
		case err == nil:
			m.records = append(m.records, r)
		case texts[i][0] != '{':
			return f.errorAt(starts[i], `%s: want an object such as {"title": "a"}, as the first one is`, m.name)
		case errors.As(err, &syntax):
			return f.errorAt(starts[i], "%s: the record is %s: flatten it", m.name, syntax.Reason)
		case errors.As(err, &wrong) && wrong.Member == "id" && !m.keyed:
			m.keyed, m.records, i = true, nil, -1 // again, with texts
		default:
			return f.errorAt(starts[i], "%s: %s: correct the name or the text", m.name, strings.TrimPrefix(err.Error(), "schema: invalid record: "))
		}
	}
	without := func(r schema.Record) bool {
		_, named := r.Get("id")
		text, _ := r.Get("_id")
		return named || len(text) < 3 || text[0] != '"'
	}
	if !slices.ContainsFunc(m.records, without) && m.records != nil {
		m.keyed, m.id = true, "_id"
	}
	return cmp.Or(f.identify(m, starts), f.checkNames(m, starts))
}

// segment returns the segment of the path of the collection.
func (m *member) segment() string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/.?#%", r) || unicode.IsSpace(r) || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, m.name)
}

// catalogue returns a catalogue with the records, which the file does not keep.
func (f *jsonFile) catalogue() (*catalogue.Catalogue, error) {
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
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return cat, nil
}

// save replaces a file by the records of a catalogue, in the form of the file that was read.
func (f *jsonFile) save(path string, cat *catalogue.Catalogue) error {
	var text, out bytes.Buffer
	for i, m := range f.members {
		if !f.bare {
			name, _ := json.Marshal(m.name)
			fmt.Fprintf(&text, "%s%s:", []string{"{", ","}[min(i, 1)], name)
		}
		if m.value != nil {
			_ = json.Compact(&text, m.value) // it is valid
			continue
		}
		c, err := recordsOf(m.name).In(cat)
		if err != nil {
			return err
		}
		m.write(&text, c, f.lines)
	}
	if !f.bare {
		text.WriteByte('}')
	}
	text.WriteByte('\n')
	if f.marked {
		out.WriteString("\ufeff")
	}
	if f.indent == "" || f.lines {
		out.Write(text.Bytes())
	} else if err := json.Indent(&out, text.Bytes(), "", f.indent); err != nil {
		return err
	}
	if f.packed {
		text.Reset()
		w := gzip.NewWriter(&text)
		_, _ = w.Write(out.Bytes())
		_ = w.Close()
		out = text
	}
	return replaceFile(path, out.Bytes())
}

// write writes the records as they are in the file.
func (m *member) write(b *bytes.Buffer, c *catalogue.Collection[schema.Record], lines bool) {
	open, comma, end := "[", ",", "]"
	if m.one && c.Count() == 1 {
		open, end = "", ""
	}
	if lines {
		open, comma, end = "", "\n", ""
	}
	b.WriteString(open)
	n := 0
	for r := range c.All() {
		if n++; n > 1 {
			b.WriteString(comma)
		}
		if m.unnamed && open == "" && !lines {
			r = r.Without("id")
		}
		m.writeRecord(b, r)
	}
	b.WriteString(end)
}

// writeRecord writes a record. Numbers that are texts as ids are numbers again.
func (m *member) writeRecord(b *bytes.Buffer, r schema.Record) {
	b.WriteByte('{')
	comma := ""
	for name, value := range r.All() {
		if name == m.id && m.numbers[value] || m.to[name] != nil && m.to[name].numbers[value] {
			value = strings.Trim(value, `"`)
		}
		text, _ := json.Marshal(name)
		fmt.Fprintf(b, "%s%s:%s", comma, text, value)
		comma = ","
	}
	b.WriteByte('}')
}

// replaceFile replaces a file at once, or leaves it as it is, even if the system crashes.
func replaceFile(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if about, err := os.Stat(path); err == nil {
		mode = about.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".backlist-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // unless it has been renamed
	_, err = file.Write(data)
	if err := cmp.Or(err, file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// found describes the collections below the root at a URL.
func (f *jsonFile) found(root string) string {
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
	return b.String() + "The kinds of fields are guesses: writes may send others."
}

// guess returns what the program knows of a member of the records.
func (m *member) guess(s *shape) string {
	_, word := s.kind()
	i := slices.IndexFunc(m.fields, func(f schema.Field) bool { return f.Name == s.name })
	switch {
	case i < 0:
		return word + " without filters, because its name is that of another"
	case m.to[s.name] != nil:
		if word = "of " + m.to[s.name].name; m.fields[i].Related == "" {
			word += " without filters there, because " + ordering.Snake(m.name) + " is the name of another or of a member"
		}
	}
	if m.fields[i].Nullable {
		word += " or null"
	}
	return word
}
