package infer

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Go writes Go code in which a program can go on: a package with a name, a struct for the records of each
// collection, its definition, and a function New that returns a catalogue of all. After a LoadFile of a file of
// collections it serves the values of that; what LoadFile cannot read, such as a list, objects of records or a
// "$oid", its Load reads from the Save of f.Catalogue. Records that a struct cannot hold, such as those with the
// id 0, or with names that have no tag, stay open, and so do those of an empty list. Members that have several kinds are a [encoding/json.RawMessage], and
// numbers that Go would write otherwise a [encoding/json.Number]. Structs are in the order of their ids. An error
// is that of w, or of a name that is no identifier.
func (f *File) Go(w io.Writer, name string) error {
	g := &generator{taken: map[string]bool{"New": true}}
	var vars []string
	for _, m := range f.served() {
		vars = append(vars, g.collection(f, m))
	}
	imports := []string{`"github.com/gobacklist/backlist/catalogue"`, `"github.com/gobacklist/backlist/catalogue/schema"`}
	if strings.Contains(g.String(), "json.") {
		imports = slices.Insert(imports, 0, `"encoding/json"`+"\n")
	}
	how := "Its LoadFile reads them."
	if f.text.bare || slices.ContainsFunc(f.members, func(m *member) bool { return m.form != records || len(m.was) > 0 }) {
		how = "LoadFile does not read the form of the file:\n// its Load reads what the Catalogue of an infer.File saves."
	}
	source, err := format.Source(fmt.Appendf(nil, `// Package %[1]s has the collections of a JSON file.
package %[1]s

import (
%[2]s
)
%[3]s
// New returns a catalogue without records. %[5]s
func New() (*catalogue.Catalogue, error) {
	return catalogue.New(%[4]s)
}
`, name, strings.Join(imports, "\n"), g.String(), strings.Join(vars, ", "), how))
	if err == nil {
		_, err = w.Write(source)
	}
	return err
}

// A generator writes declarations.
type generator struct {
	bytes.Buffer
	taken map[string]bool // identifiers
}

// identifier returns an exported identifier that is not taken.
func identifier(taken map[string]bool, name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(ordering.Snake(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word == "id" || word == "url" || word == "uuid" {
			word = strings.ToUpper(word)
		}
		first := []rune(word)
		first[0] = unicode.ToUpper(first[0])
		b.WriteString(string(first))
	}
	text := b.String()
	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(first) {
		text = "X" + text
	}
	free := text
	for n := 2; taken[free]; n++ {
		free = fmt.Sprint(text, n)
	}
	taken[free] = true
	return free
}

// collection declares a collection, and returns the name of its definition.
func (g *generator) collection(f *File, m *member) string {
	c, _ := f.Catalogue.Collection(m.name) // it is there
	about := c.Description()
	name, typ, options := identifier(g.taken, m.name), "schema.Record", ""
	if m.isRegular() {
		if typ = about.Name; g.taken[identifier(map[string]bool{}, typ)] {
			typ += " record"
		}
		typ = g.structOf(identifier(g.taken, typ), &m.shape, m)
		lost := func(parameter string) bool { return m.shape.lost(parameter+"__", m) }
		options = fmt.Sprintf("\nID: %q,\nDescription: &schema.Description{\nJSONNames: true,\nSegment: %q,\nFilters: %#v,\nSearch: %#v,\n},\n", m.id, about.Segment, slices.DeleteFunc(about.Filters, lost), slices.DeleteFunc(about.Search, lost))
	} else {
		options = fmt.Sprintf("\nDescription: &schema.Description{\nJSONNames: true,\nLoose: true,\nKey: %q,\nSegment: %q,\nName: %q,\nLookup: %q,\nFields: []schema.Field{{Name: %q, Kind: schema.%s, Digits: %d, Key: true, Unique: true}},\n},\n",
			about.Key, about.Segment, about.Name, about.Lookup, m.id, map[schema.Kind]string{schema.Integer: "Integer", schema.Decimal: "Decimal", schema.Text: "Text"}[m.kind], about.Fields[0].Digits)
	}
	fmt.Fprintf(g, "\n// %[1]s defines the collection %[2]q.\nvar %[1]s = catalogue.Define[%[3]s](%[2]q, catalogue.Options{%[4]s})\n", name, m.name, typ, options)
	return name
}

// lost reports whether a parameter, before __, filters by what the code does not describe: values of several
// kinds, or members of open records. m is the collection if the members are those of its records.
func (s *shape) lost(parameter string, m *member) bool {
	for _, field := range s.members {
		rest, ok := strings.CutPrefix(parameter, ordering.Snake(field.name)+"__")
		if ok && (field.isRaw() || field.lost(rest, nil)) {
			return true
		}
		if !ok || m == nil || m.to[field.name] == nil {
			continue
		}
		to := m.to[field.name]
		if across := rest != "" && rest != "in__" && rest != "isnull__"; across && !to.isRegular() || to.shape.lost(rest, to) {
			return true
		}
	}
	return m != nil && slices.ContainsFunc(m.from, func(by *member) bool {
		rest, ok := strings.CutPrefix(parameter, ordering.Snake(by.name)+"__")
		return ok && (!by.isRegular() || by.shape.lost(rest, by))
	})
}

// isRegular reports whether a struct can hold the records. Nothing is known of those to come.
func (m *member) isRegular() bool {
	return m.count > 0 && len(m.was) == 0 && (m.kind != schema.Integer || m.least > 0) && m.shape.isStruct()
}

// isStruct reports whether a struct can have the members of the objects.
func (s *shape) isStruct() bool {
	named := map[string]bool{}
	for _, m := range s.members {
		if snake := ordering.Snake(m.name); named[snake] || m.name == "-" || m.name == "" || strings.ContainsFunc(m.name, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
		}) {
			return false
		}
		named[ordering.Snake(m.name)] = true
	}
	return true
}

// isRaw reports whether values have several kinds, or are no Go values.
func (s *shape) isRaw() bool {
	kind, word := s.kind()
	return s.nulls > 0 && s.count+s.nulls < s.total || kind == schema.JSON || kind == schema.Text && word != "text" ||
		kind == schema.Array && s.item.nulls > 0 || kind == schema.Object && !s.isStruct()
}

// typeOf returns the type of values, of which it declares the structs, and their kind as a tag.
func (g *generator) typeOf(s *shape, name string) (typ, tag string) {
	switch kind, _ := s.kind(); {
	case s.isRaw():
		return "json.RawMessage", ""
	case kind == schema.Boolean:
		return "bool", ""
	case kind == schema.Integer && !s.inexact:
		return "int", ""
	case kind == schema.Float && !s.inexact && !s.some.has(schema.Integer):
		return "float64", ""
	case kind == schema.Integer, kind == schema.Float:
		return "json.Number", ""
	case kind == schema.Decimal:
		return "string", fmt.Sprintf("decimal=%d.%d", s.whole+s.places, s.places)
	case kind == schema.Date:
		return "string", "date"
	case kind == schema.URL:
		return "string", "url"
	case kind == schema.Array:
		item, _ := g.typeOf(s.item, name)
		return "[]" + item, ""
	case kind == schema.Object:
		return g.structOf(identifier(g.taken, name), s, nil), ""
	}
	return "string", ""
}

// structOf declares a struct with the members of objects, and returns its name. m is the collection if they
// are its records.
func (g *generator) structOf(name string, s *shape, m *member) string {
	var fields strings.Builder
	taken := map[string]bool{}
	for _, s := range s.members {
		field, option := identifier(taken, s.name), ""
		typ, tag := g.typeOf(s, name+field)
		if m != nil && m.to[s.name] != nil && !strings.ContainsAny(m.to[s.name].name, "`,") { // which a tag cannot have
			tag = "refers=" + m.to[s.name].name
			if i := slices.IndexFunc(m.fields, func(f schema.Field) bool { return f.Name == s.name }); m.fields[i].Related != "" {
				tag += ",related=" + m.fields[i].Related
			}
		}
		if s.count < s.total && !s.isRaw() {
			typ = "*" + typ
		}
		if s.count+s.nulls < s.total {
			option = ",omitempty"
		}
		if tag != "" {
			tag = fmt.Sprintf(" backlist:%q", tag)
		}
		fmt.Fprintf(&fields, "%s %s `json:\"%s%s\"%s`\n", field, typ, s.name, option, tag)
	}
	fmt.Fprintf(g, "\n// %[1]s is a record, or a part of one.\ntype %[1]s struct {\n%[2]s}\n", name, fields.String())
	return name
}
