package sample

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestDependenciesAreReproducible checks that the package uses nothing whose results
// differ between machines or Go versions, such as random numbers, Unicode tables, the
// time zone database, the clock and floating point, and does not import testing.
func TestDependenciesAreReproducible(t *testing.T) {
	allowed := map[string][]string{ // nil allows everything
		"bufio":         {"NewWriter", "Writer"},
		"encoding/json": {"Marshal", "Marshaler", "Number", "RawMessage"},
		"fmt":           {"Errorf", "Fprintf", "Sprintf"},
		"html":          {"EscapeString"},
		"io":            {"Writer"},
		"math":          {"MaxInt", "MinInt"},
		"math/bits":     nil,
		"slices":        {"Clone", "Compact", "Contains", "ContainsFunc", "IndexFunc", "Sort"},
		"strconv":       {"Itoa"},
		"strings":       {"Builder"},
		"time":          {"Date", "DateOnly", "Duration", "FixedZone", "Hour", "Microsecond", "Minute", "Second", "Time", "UTC"},
		"github.com/gobacklist/backlist/ordering":         {"Decimal", "FieldKey", "KeyFunc"},
		"github.com/gobacklist/backlist/catalogue/schema": nil,
	}
	for name, file := range sources(t) {
		packages := map[string]string{} // paths by name
		for _, imported := range file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if _, ok := allowed[path]; !ok {
				t.Errorf("%s imports %s", name, path)
			}
			packages[path[strings.LastIndex(path, "/")+1:]] = path
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				from, ok := n.X.(*ast.Ident)
				if !ok || packages[from.Name] == "" {
					return true
				}
				if list := allowed[packages[from.Name]]; list != nil && !slices.Contains(list, n.Sel.Name) {
					t.Errorf("%s uses %s.%s", name, from.Name, n.Sel.Name)
				}
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					t.Errorf("%s uses %s", name, n.Name)
				}
			case *ast.BasicLit:
				if n.Kind == token.FLOAT {
					t.Errorf("%s uses the floating-point number %s", name, n.Value)
				}
			}
			return true
		})
	}
}

// sources returns the files of the package without tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	texts := make([]bytes.Buffer, 4)
	shared := New(Options{Events: 9})
	for i := range texts {
		wg.Go(func() {
			if _, err := New(Options{Events: 9}).WriteTo(&texts[i]); err != nil {
				t.Error(err)
			}
			if _, err := shared.WriteTo(&texts[i]); err != nil {
				t.Error(err)
			}
			shared.Records("books")
		})
	}
	wg.Wait()
	for i := range texts {
		half := texts[i].Len() / 2
		if b := texts[i].Bytes(); !bytes.Equal(b[:half], b[half:]) || !bytes.Equal(b, texts[0].Bytes()) {
			t.Errorf("house %d differs", i)
		}
	}
}
