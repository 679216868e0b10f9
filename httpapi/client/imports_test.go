package client_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The package depends only on the standard library and the packages of the records, not
// on packages for tests or servers.
func TestDependencies(t *testing.T) {
	allowed := []string{"catalogue", "pagination", "resources"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			internal, ok := strings.CutPrefix(path, "github.com/gobacklist/backlist/")
			first, _, _ := strings.Cut(path, "/")
			switch {
			case ok && !slices.Contains(allowed, internal), !ok && strings.Contains(first, "."), first == "testing", strings.HasSuffix(path, "httptest"):
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
