package cataloguetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
)

// files returns a file system with pairs of names and contents.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return all
}

// TestFixtures loads the fixtures in testdata/fixtures.txtar, whose comment says how it is
// written.
func TestFixtures(t *testing.T) {
	forEachSection(t, "fixtures.txtar", func(t *testing.T, section string) {
		contents, expected, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(section, "CR", "\r")), "\n=> ")
		var pairs []string
		for _, file := range strings.Split("\n"+contents, "\nfile: ")[1:] {
			name, content, _ := strings.Cut(file, "\n")
			pairs = append(pairs, name, content)
		}
		opts := Options{Fixtures: files(pairs...)}
		if parts, ok := strings.CutPrefix(expected, "error: "); ok {
			checkMessage(t, "NewWith", failureOf(t, func(tb testing.TB) { NewWith(tb, opts) }),
				strings.Split("cataloguetest: fixtures: "+parts, "\n")...)
			return
		}
		server := NewWith(t, opts)
		var counts []string
		for key, c := range server.Catalogue.All() {
			if c.Count() > 0 {
				counts = append(counts, fmt.Sprintf("%s %d", key, c.Count()))
			}
		}
		if slices.Sort(counts); counts == nil {
			counts = []string{"nothing"}
		}
		if diff := cmp.Diff(expected, strings.Join(counts, ", ")); diff != "" {
			t.Errorf("collections (-want +got):\n%s", diff)
		}
		if err := server.Catalogue.Check(); err != nil && !errors.Is(err, catalogue.ErrDangling) {
			t.Error(err)
		}
	})
}

func TestFixturesThatCannotBeRead(t *testing.T) {
	failure := failureOf(t, func(tb testing.TB) { NewWith(tb, Options{Fixtures: failingFS{}}) })
	checkMessage(t, "NewWith", failure, "cataloguetest: fixtures: cannot be read")
}

// TestFile serves a JSON file, and refuses those that cannot be read, and other collections beside it.
func TestFile(t *testing.T) {
	server := NewWith(t, Options{File: "testdata/db.json", Root: "/v1/"})
	if status, body := get(t, server, "/v1/authors/?posts__title=First"); status != 200 || !strings.Contains(body, `[{"id":7,"name":"Ann"}]`) {
		t.Errorf("%d %s", status, body)
	}
	invalid := filepath.Join(t.TempDir(), "list.json")
	must(t, os.WriteFile(invalid, []byte("[{\"id\": 1},\n{\"id\": 1}]"), 0o600))
	for _, row := range []struct {
		opts Options
		want string
	}{
		{Options{File: "testdata/none.json"}, "open testdata/none.json: no such file or directory"},
		{Options{File: invalid}, invalid + ": line 2, column 1: list: the id 1 is that of the record in line 1, too: change one of them, or take another member as the id"},
		{Options{File: "testdata/db.json", Catalogue: mustNew()}, "options: File may be set neither with Catalogue, nor with Fixtures, nor with Definitions"},
	} {
		checkMessage(t, "NewWith", failureOf(t, func(tb testing.TB) { NewWith(tb, row.opts) }), "cataloguetest: "+row.want)
	}
}

// A failingFS is a file system that cannot be read.
type failingFS struct{}

func (failingFS) Open(string) (fs.File, error) { return nil, errors.New("cannot be read") }
