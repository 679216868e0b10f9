package browse

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// exportName is the parameter of the link to all records of a list. Its value is csv.
const exportName = "_export"

// maxMembers is the maximum number of columns. A thousand records could have a million members.
const maxMembers = 1000

// export sends all records of a list as CSV, whatever the style and the sizes of its pages are. If
// the handler does not permit that, it returns the response. A HEAD reads no record.
func (v *view) export() *wire.Recorder {
	file := csvFile{view: v}
	no := v.admit(v.request(http.MethodGet, v.r.URL.Path, v.r.URL.RawQuery, nil), func(s wire.Selection) error {
		if v.r.Method == http.MethodHead {
			return nil
		}
		records, described := s.All()
		names, err := v.exported(records, described)
		if err != nil {
			return err
		}
		return writeCSV(&file, names, records)
	})
	switch {
	case no == nil:
		_, _ = file.Write(nil) // the header if nothing has been written
	case file.begun:
		panic(http.ErrAbortHandler) // otherwise the client could consider the file complete
	}
	return no
}

// csvFile is the body of a response that is a CSV file. The header is sent with the first bytes.
type csvFile struct {
	*view
	begun bool
}

func (f *csvFile) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		header := f.w.Header()
		header.Set("Content-Type", "text/csv; charset=utf-8")
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.c.Segment + ".csv"}))
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "private, no-cache")
		f.w.WriteHeader(http.StatusOK)
	}
	return f.w.Write(p)
}

// exported returns the names of the visible fields and, unless records have no others, of other
// members in the order of appearance: of all, or of those that the visitor has chosen and the id or key.
func (v *view) exported(records iter.Seq2[[]byte, error], described bool) (names []string, err error) {
	seen, chosen, key := make(map[string]bool), v.chosen(), v.c.Identity().Name
	add := func(name string) {
		if !seen[name] && len(names) < maxMembers && (chosen == nil || name == key || chosen[ordering.Snake(name)]) {
			names, seen[name] = append(names, name), true
		}
	}
	for _, f := range wire.ShownInLists(v.c.Description) {
		if !f.Hidden {
			add(f.Name)
		}
	}
	if described {
		return names, nil
	}
	for text, err := range records {
		record, wrong := schema.ParseKeyed(text)
		if err = cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		for name := range record.All() {
			add(name)
		}
	}
	return names, nil
}

// writeCSV writes records with a column for each name, after a line of the names.
func writeCSV(w io.Writer, names []string, records iter.Seq2[[]byte, error]) error {
	out := csv.NewWriter(bufio.NewWriterSize(w, 32<<10))
	line, place := make([]string, len(names)), make(map[string]int, len(names))
	for i, name := range names {
		line[i], place[name] = harmless(name), i
	}
	for text, err := range records {
		record, wrong := schema.ParseKeyed(text)
		if err = cmp.Or(err, wrong, out.Write(line)); err != nil { // the line is that of the record before
			return err
		}
		clear(line)
		for name, value := range record.All() {
			if at, ok := place[name]; ok {
				line[at] = csvText(value)
			}
		}
	}
	_ = out.Write(line) // Error returns the error
	out.Flush()
	return out.Error()
}

// csvText returns a JSON value as a field of CSV: nothing for null, and lists and objects as JSON.
func csvText(value string) string {
	if text, ok := readText(value); ok {
		return harmless(text)
	}
	if value[0] == '[' || value[0] == '{' {
		return harmless(value)
	}
	return strings.TrimPrefix(value, "null")
}

// harmless returns a text that no spreadsheet takes for a formula, with an apostrophe wherever one
// could begin: at the beginning and, since a spreadsheet can be told to read other files than those
// with commas, after a semicolon or a control character. It does not matter what is invisible there.
// Decimal numbers are no formulas.
func harmless(text string) string {
	if isDecimal(text) {
		return text
	}
	var safe strings.Builder
	begins, kept := true, 0
	for i, r := range text {
		if begins && (strings.ContainsRune("=+-@＝＋－＠", r) || i == 0 && r < ' ') {
			safe.WriteString(text[kept:i] + "'")
			kept = i
		}
		begins = r == ';' || r < ' ' || begins && unicode.Is(unicode.Cf, r)
	}
	return safe.String() + text[kept:]
}
