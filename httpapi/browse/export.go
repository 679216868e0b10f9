package browse

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"iter"
	"mime"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// exportName is the parameter of the link to all records of a list. Its value is csv.
const exportName = "_export"

// maxMembers is the maximum number of columns. A thousand records could have a million members.
const maxMembers = 1000

// export sends all records of a list as CSV, whatever the style and the sizes of its pages are. If
// the handler does not permit that, it returns the response.
func (v *view) export() *response {
	begun := false
	all := func(records iter.Seq2[[]byte, error]) error {
		names, err := v.membersOf(records)
		if err != nil {
			return err
		}
		begun = true
		header := v.w.Header()
		header.Set("Content-Type", "text/csv; charset=utf-8")
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": v.c.Segment + ".csv"}))
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "private, no-cache")
		v.w.WriteHeader(http.StatusOK)
		if v.r.Method == http.MethodHead {
			return nil
		}
		return writeCSV(v.w, names, records)
	}
	in := v.request(http.MethodGet, v.r.URL.Path, v.r.URL.RawQuery, nil)
	resp := v.ask(in.WithContext(wire.WithTally(in.Context(), &wire.Tally{All: all})))
	if !begun {
		return resp
	}
	if resp.Status != http.StatusNoContent {
		panic(http.ErrAbortHandler) // otherwise the client could consider the file complete
	}
	return nil
}

// membersOf returns the names of the visible fields, and of other members in the order of appearance.
func (v *view) membersOf(records iter.Seq2[[]byte, error]) (names []string, err error) {
	seen := make(map[string]bool)
	add := func(name string) {
		if !seen[name] && len(names) < maxMembers {
			names, seen[name] = append(names, name), true
		}
	}
	for _, f := range v.c.Fields {
		if !f.Hidden {
			add(f.Name)
		}
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
func writeCSV(w http.ResponseWriter, names []string, records iter.Seq2[[]byte, error]) error {
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
	return strings.TrimPrefix(value, "null")
}

// harmless returns a text that no spreadsheet takes for a formula, with an apostrophe in front if
// it begins like one. Numbers are none.
func harmless(text string) string {
	if strings.TrimLeft(text, "=+-@\t\r\n＝＋－＠") != text && !isDecimal(text) {
		return "'" + text
	}
	return text
}
