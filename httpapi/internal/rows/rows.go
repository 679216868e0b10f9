// Package rows reads files of several texts for tests, in the format txtar. A line such as
// "-- name --" begins each text; what comes before the first is a comment. A text can be a
// table, whose rows are lines
//
//	value => wanted result  # reason
//
// In rows and wherever tests call [Expand], {{repeat "x" 100}} and {{"\xff"}}, with the escapes
// of Go, stand for what is tedious to write. Empty lines of tables are ignored.
package rows

import (
	"os"
	"strings"
	"testing"
	"text/template"
)

// A Text is one of the texts of a file.
type Text struct{ Name, Data string }

// Texts returns the comment of a file in the directory testdata, and its texts. A file that
// cannot be read fails the test.
func Texts(t testing.TB, name string) (comment string, texts []Text) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	last := &comment
	for line := range strings.Lines(string(data)) {
		title, begins := strings.CutPrefix(line, "-- ")
		title, ends := strings.CutSuffix(title, " --\n")
		if !begins || !ends {
			*last += line
			continue
		}
		texts = append(texts, Text{Name: title})
		last = &texts[len(texts)-1].Data
	}
	return comment, texts
}

// A Row is a row of a table.
type Row struct{ Value, Want, Reason string }

// Read returns the tables of a file in the directory testdata, by name. A file that cannot be
// read fails the test.
func Read(t testing.TB, name string) map[string][]Row {
	t.Helper()
	tables := map[string][]Row{}
	_, texts := Texts(t, name)
	for _, table := range texts {
		for line := range strings.FieldsFuncSeq(table.Data, func(r rune) bool { return r == '\n' }) {
			value, rest, ok := strings.Cut(line, " => ")
			if !ok {
				t.Fatalf("%s: no => in %s", name, line)
			}
			want, reason, _ := strings.Cut(rest, "  # ")
			tables[table.Name] = append(tables[table.Name], Row{Expand(t, value), Expand(t, want), reason})
		}
	}
	return tables
}

// Expand replaces {{repeat "text" n}}, {{"text"}} with the escapes of Go, and other actions of
// text/template.
func Expand(t testing.TB, text string) string {
	t.Helper()
	parsed, err := template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat}).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
