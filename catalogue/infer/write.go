package infer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Write writes the records of a catalogue in the form of the text that was read: with its indentation, the
// members that are not served, a byte order mark and gzip. The catalogue is that of the file, or a clone of it.
// If it has other collections, or w returns an error, the text is not complete. O(n).
func (f *File) Write(w io.Writer, records *catalogue.Catalogue) error {
	var text bytes.Buffer
	for i, m := range f.members {
		if !f.text.bare {
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
		m.write(&text, c, f.text.lines)
	}
	if !f.text.bare {
		text.WriteByte('}')
	}
	text.WriteByte('\n')
	var out bytes.Buffer
	if f.text.marked {
		out.WriteString("\ufeff")
	}
	if f.text.indent == "" || f.text.lines {
		out.Write(text.Bytes())
	} else if err := json.Indent(&out, text.Bytes(), "", f.text.indent); err != nil {
		return err
	}
	if !f.text.packed {
		_, err := out.WriteTo(w)
		return err
	}
	packed := gzip.NewWriter(w)
	_, err := out.WriteTo(packed)
	return cmp.Or(err, packed.Close())
}

// write writes the records as they are in the text.
func (m *member) write(b *bytes.Buffer, c *catalogue.Collection[schema.Record], lines bool) {
	open, comma, end := "[", ",", "]"
	switch {
	case lines:
		open, comma, end = "", "\n", ""
	case m.form == keyed:
		open, end = "{", "}"
	case m.form == record && c.Count() == 1:
		open, end = "", ""
	}
	b.WriteString(open)
	n := 0
	for r := range c.All() {
		if n++; n > 1 {
			b.WriteString(comma)
		}
		if m.form == keyed {
			id, _ := r.Get(m.id)
			b.WriteString(asText(id) + ":")
		}
		if m.form == keyed && !m.inside || m.unnamed && open == "" && !lines {
			r = r.Without(m.id)
		}
		m.writeRecord(b, r)
	}
	b.WriteString(end)
}

// writeRecord writes a record, with the values that the text had for what is stored.
func (m *member) writeRecord(b *bytes.Buffer, r schema.Record) {
	b.WriteByte('{')
	comma := ""
	for name, value := range r.All() {
		text, _ := json.Marshal(name)
		fmt.Fprintf(b, "%s%s:%s", comma, text, cmp.Or(m.was[[2]string{name, value}], value))
		comma = ","
	}
	b.WriteByte('}')
}
