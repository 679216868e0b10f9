package infer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Write writes the records of a catalogue in the form of the text that was read: with its indentation, the
// members that are not served, a byte order mark and gzip. The catalogue is that of the file, or a clone of it.
// If it has other collections, or w returns an error, the text is not complete. O(n).
func (f *File) Write(w io.Writer, records *catalogue.Catalogue) error {
	var text bytes.Buffer
	for i, m := range f.members {
		if !f.bare {
			name, _ := json.Marshal(m.name)
			fmt.Fprintf(&text, "%s%s:", []string{"{", ","}[min(i, 1)], name)
		}
		if m.value != nil {
			_ = json.Compact(&text, m.value) // it is valid
			continue
		}
		c, err := recordsOf(m.name).In(records)
		if err != nil {
			return err
		}
		m.write(&text, c, f.lines)
	}
	if !f.bare {
		text.WriteByte('}')
	}
	text.WriteByte('\n')
	var out bytes.Buffer
	if f.marked {
		out.WriteString("\ufeff")
	}
	if f.indent == "" || f.lines {
		out.Write(text.Bytes())
	} else if err := json.Indent(&out, text.Bytes(), "", f.indent); err != nil {
		return err
	}
	if !f.packed {
		_, err := out.WriteTo(w)
		return err
	}
	packed := gzip.NewWriter(w)
	_, err := out.WriteTo(packed)
	return cmp.Or(err, packed.Close())
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
