// Package rows reads tables for tests. A line such as "-- name --" begins a table; what comes
// before the first is a comment. A row is a line
//
//	value => wanted result  # reason
//
// in which {{repeat "x" 100}} and {{"\xff"}}, with the escapes of Go, stand for what is tedious
// to write. Empty lines are ignored.
package rows

import (
	"os"
	"strings"
	"testing"
	"text/template"
)

// A Row is a row of a table.
type Row struct{ Value, Want, Reason string }

// Read returns the tables of a file in the directory testdata, by name. A file that cannot be
// read fails the test.
func Read(t testing.TB, name string) map[string][]Row {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	tables, table := map[string][]Row{}, ""
	for line := range strings.SplitSeq(string(data), "\n") {
		title, begins := strings.CutPrefix(line, "-- ")
		title, ends := strings.CutSuffix(title, " --")
		value, rest, isRow := strings.Cut(line, " => ")
		want, reason, _ := strings.Cut(rest, "  # ")
		switch {
		case begins && ends:
			table = title
		case table == "" || line == "":
		case !isRow:
			t.Fatalf("%s: no => in %s", name, line)
		default:
			tables[table] = append(tables[table], Row{expand(t, value), expand(t, want), reason})
		}
	}
	return tables
}

func expand(t testing.TB, text string) string {
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
