package infer

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A text is the text of a file.
type text struct {
	data   []byte // nil after it has been read
	packed bool   // by gzip
	marked bool   // it begins with a byte order mark
	lines  bool   // each record is a line
	indent string // of a text that is not compact
}

// maxUnpacked is the maximum length of what gzip unpacks.
const maxUnpacked = 128 << 20

// unpack sets the text.
func (t *text) unpack() error {
	if t.packed = bytes.HasPrefix(t.data, []byte("\x1f\x8b")); t.packed {
		from, err := gzip.NewReader(bytes.NewReader(t.data))
		if err == nil {
			t.data, err = io.ReadAll(io.LimitReader(from, maxUnpacked+1))
		}
		if err != nil {
			return fmt.Errorf("%w: pack it again, or serve what gunzip makes of it", err)
		}
		if len(t.data) > maxUnpacked {
			return fmt.Errorf("gzip unpacks it to more than %d MiB: unpack it with gunzip, and serve that", maxUnpacked>>20)
		}
	}
	t.data, t.marked = bytes.CutPrefix(t.data, []byte("\ufeff"))
	if list := listed(t.data); list != nil {
		t.data, t.lines = list, true
	}
	if _, rest, found := bytes.Cut(t.data, []byte("\n")); found {
		t.indent = string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
	}
	var syntax *schema.SyntaxError
	switch {
	case len(bytes.TrimSpace(t.data)) == 0:
		return errors.New(`the file is empty: want collections such as {"posts": []}`)
	case errors.As(schema.CheckSyntax(t.data), &syntax):
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
func (t *text) errorAt(at int, format string, args ...any) error {
	before := t.data[:at]
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	line := t.line(at)
	if t.lines && line == 1 {
		column-- // the list begins there
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, fmt.Errorf(format, args...))
}

func (t *text) line(at int) int { return bytes.Count(t.data[:at], []byte("\n")) + 1 }
