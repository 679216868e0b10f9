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

// A program that reads a service gets the standard library and the records with it,
// nothing for tests, and no server.
func TestImports(t *testing.T) {
	ours := []string{"catalogue", "pagination", "resources"}
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
			own, is := strings.CutPrefix(path, "github.com/gobacklist/backlist/")
			first, _, _ := strings.Cut(path, "/")
			switch {
			case is && !slices.Contains(ours, own), !is && strings.Contains(first, "."), first == "testing", strings.HasSuffix(path, "httptest"):
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
