package pgstore_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// readmeBlocks returns the code blocks of the README in a language.
func readmeBlocks(t *testing.T, language string) (list []string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(readme, -1) {
		list = append(list, string(m[1]))
	}
	return list
}

// TestReadmeGo checks that the Go code of the README is in example_test.go, except for
// indentation.
func TestReadmeGo(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	list := readmeBlocks(t, "go")
	if len(list) != 1 {
		t.Fatalf("%d blocks of Go in the README, want 1", len(list))
	}
	if !strings.Contains(unindented(string(source)), unindented(list[0])) {
		t.Errorf("example_test.go does not contain\n%s", list[0])
	}
}

// unindented removes indentation and empty lines.
func unindented(source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// TestReadmeSQL runs the SQL of the README. The store is checked when the test ends.
func TestReadmeSQL(t *testing.T) {
	cat := mustNew()
	for _, year := range []int{2019, 2020} {
		at := schema.At(time.Date(year, 6, 1, 18, 0, 0, 0, time.UTC))
		if _, err := mustIn(resources.Events, cat).Insert(resources.Event{Name: "Reading", StartDate: at, EndDate: at}); err != nil {
			t.Fatal(err)
		}
	}
	dsn := newDSN(t)
	store := open(t, pgstore.Options{DSN: dsn})
	loadFrom(t, store, cat)
	db := connect(t, dsn)
	list := readmeBlocks(t, "sql")
	if len(list) != 1 {
		t.Fatalf("%d blocks of SQL in the README, want 1", len(list))
	}
	for _, statements := range list {
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Errorf("%v in\n%s", err, statements)
		}
	}
	count, records, err := pageOf(t.Context(), collectionOf(store, "events"), pagination.Window{Limit: 9}, ordering.Asc("id"))
	if err != nil || count != 1 || len(records) != 1 || !strings.HasPrefix(string(records[0]), `{"id":2,`) {
		t.Errorf("%d records left, %s, %v; want the one with id 2", count, records, err)
	}
}
