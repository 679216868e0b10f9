package infer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

// maxUnpacked is the maximum length of what gzip unpacks.
const maxUnpacked = 128 << 20

// A text is the text of a file.
type text struct {
	data   []byte // nil after it has been read
	packed bool   // by gzip
	marked bool   // it begins with a byte order mark
	lines  bool   // each record is a line
	bare   bool   // the whole text is one list, one record or lines
	indent string // of a text that is not compact
}

// readText reads a text to its end.
func readText(r io.Reader) (*text, error) {
	var b bytes.Buffer
	if file, ok := r.(fs.File); ok {
		if about, err := file.Stat(); err == nil && about.Mode().IsRegular() {
			b.Grow(int(about.Size()) + bytes.MinRead)
		}
	}
	if _, err := b.ReadFrom(r); err != nil {
		return nil, err
	}
	t := &text{data: b.Bytes()}
	if t.packed = bytes.HasPrefix(t.data, []byte("\x1f\x8b")); t.packed {
		from, err := gzip.NewReader(&b)
		if err == nil {
			t.data, err = io.ReadAll(io.LimitReader(from, maxUnpacked+1))
		}
		if err != nil {
			return nil, fmt.Errorf("%w: pack it again, or read what gunzip makes of it", err)
		}
		if len(t.data) > maxUnpacked {
			return nil, fmt.Errorf("gzip unpacks it to more than %d MiB: unpack it with gunzip, and read that", maxUnpacked>>20)
		}
	}
	t.data, t.marked = bytes.CutPrefix(t.data, []byte("\ufeff"))
	if _, rest, found := bytes.Cut(t.data, []byte("\n")); found {
		t.indent = string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
	}
	if len(bytes.TrimLeft(t.data, jsontext.Space)) == 0 {
		return nil, errors.New(`the text is empty: want collections such as {"posts": []}`)
	}
	return t, nil
}

// at returns a part of the text.
func (t *text) at(s span) []byte { return t.data[s.start:s.end] }

// errorAt returns an error about a place in the text.
func (t *text) errorAt(at int, format string, args ...any) error {
	before := t.data[:at]
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Errorf("line %d, column %d: %w", t.line(at), column, fmt.Errorf(format, args...))
}

func (t *text) line(at int) int { return bytes.Count(t.data[:at], []byte("\n")) + 1 }

// members divides the text into members. name is that of a bare one.
func (t *text) members(name string) ([]*member, error) {
	s := jsontext.Scan(t.data, jsontext.MaxTextDepth)
	whole := &member{name: name}
	var list []*member
	if whole.at.start = start(&s); s.Next() == '{' {
		for more := s.Open('}'); more; more = s.Another('}') {
			name, ok := s.Name()
			m := &member{name: string(name)}
			if !ok || !m.scan(&s) {
				break
			}
			list = append(list, m)
		}
	} else {
		whole.scan(&s)
		t.bare = true
	}
	whole.at.end = s.At()
	if s.Syntax == nil && !t.bare && s.Next() == '{' && bytes.IndexByte(t.data[whole.at.end:s.At()], '\n') >= 0 {
		t.lines, t.bare = true, true
		whole.parts = []span{whole.at}
		for s.Next() == '{' && whole.part(&s) {
		}
		whole.form, whole.at.end = records, s.At()
	}
	if s.Syntax != nil || !s.End() {
		return nil, fmt.Errorf("line %d, column %d: %s: JSON is UTF-8 with texts in double quotes, without comments, and without a comma before ] or }", s.Syntax.Line, s.Syntax.Column, s.Syntax.Reason)
	}
	if !t.bare && isRecord(list) {
		t.bare, whole.form = true, record
	}
	if t.bare {
		list = []*member{whole}
	}
	return list, nil
}

// divide makes the parts of a value its records, or none of what is not served.
func (t *text) divide(m *member) {
	switch {
	case m.form == other:
		m.value, m.parts = slices.Clone(t.at(m.at)), nil
	case m.form == record && !t.bare && t.alike(m):
		m.form = keyed
	case m.form == record:
		m.parts, m.names = []span{m.at}, nil
	}
}

// alike reports whether the members of an object are two or more records: objects, of whose names at least
// half are those of all.
func (t *text) alike(m *member) bool {
	if len(m.parts) < 2 || slices.Contains(m.names, "") {
		return false
	}
	counts, total, common := map[string]int{}, 0, 0
	for _, at := range m.parts {
		if t.data[at.start] != '{' {
			return false
		}
		for name := range jsontext.Members(string(t.at(at))) {
			counts[name]++
			total++
		}
	}
	for _, n := range counts {
		if n >= len(m.parts) {
			common += n
		}
	}
	return common > 0 && 2*common >= total
}

// isRecord reports whether an object with members is one record: it has neither a list of records nor only
// members that are records or can have some.
func isRecord(members []*member) bool {
	return slices.ContainsFunc(members, func(m *member) bool { return m.form == other }) &&
		!slices.ContainsFunc(members, func(m *member) bool { return m.form == records && len(m.parts) > 0 })
}
