package cataloguetest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gobacklist/backlist/"

// floors are the packages of the module without the examples and what only tests import. A package
// imports those of the floors before its own.
var floors = [...]string{
	"ordering/sortkey ordering/jsonmember pagination catalogue/internal/jsontext",
	"ordering",
	"catalogue/schema",
	"catalogue/schema/values catalogue/internal/value catalogue/internal/store",
	"catalogue/internal/layout",
	"catalogue/internal/core",
	"catalogue",
	"catalogue/infer resources httpapi/internal/kinds httpapi/internal/negotiation httpapi/internal/wire httpapi/internal/requests httpapi/internal/fake",
	"resources/sample httpapi/internal/origin httpapi/internal/formdata",
	"httpapi",
	"httpapi/browse httpapi/openapi httpapi/httpapitest httpapi/cataloguetest",
	"httpapi/clienttest",
}

// only has the packages that may import a package.
var only = map[string]string{
	"unsafe":                       "catalogue/internal/store catalogue/internal/value catalogue/internal/layout",
	"github.com/tidwall/btree":     "catalogue/internal/store",
	"net/http":                     "httpapi httpapi/browse httpapi/openapi httpapi/cataloguetest httpapi/clienttest httpapi/httpapitest httpapi/internal/fake httpapi/internal/wire httpapi/internal/origin httpapi/internal/requests",
	"testing":                      "httpapi/httpapitest httpapi/cataloguetest httpapi/clienttest",
	"github.com/google/go-cmp/cmp": "httpapi/httpapitest httpapi/cataloguetest httpapi/clienttest",
	module + "resources":           "resources/sample httpapi/cataloguetest httpapi/clienttest",
	module + "resources/sample":    "httpapi/cataloguetest httpapi/clienttest",
}

// mutual has the largest number of pairs of files of a package that use each other. Lower it when
// there are fewer. Other packages have none.
var mutual = map[string]int{
	"catalogue":                 2,
	"catalogue/internal/core":   3,
	"catalogue/internal/layout": 1,
	"catalogue/internal/store":  5,
	"catalogue/internal/value":  1,
	"httpapi/browse":            3,
	"httpapi/httpapitest":       2,
	"httpapi/internal/requests": 1,
	"ordering/sortkey":          1,
}

// A listed is a package as the go command describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports, Deps  []string
}

// TestStructure checks which packages import which, and how many pairs of files use each other.
func TestStructure(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all packages")
	}
	packages := list(t, floors[:]...)
	export := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })
	var below []string
	for _, floor := range floors {
		for path := range strings.FieldsSeq(floor) {
			p := packages[module+path]
			for _, other := range p.Imports {
				ours, isOurs := strings.CutPrefix(other, module)
				if who, ok := only[other]; isOurs && !slices.Contains(below, ours) || ok && !slices.Contains(strings.Fields(who), path) {
					t.Errorf("%s must not import %s", path, other)
				}
			}
			if pairs := pairs(t, p, export); len(pairs) > mutual[path] {
				t.Errorf("%s: %d pairs of files use each other, want at most %d: %q", path, len(pairs), mutual[path], pairs)
			}
		}
		below = append(below, strings.Fields(floor)...)
	}
}

// TestPrograms checks that a server imports neither this package nor testing, and that a client
// imports nothing of the module.
func TestPrograms(t *testing.T) {
	packages := list(t, "examples/films", "examples/internal/walk")
	for _, other := range packages[module+"examples/films"].Deps {
		if other == "testing" || other == "net/http/httptest" || other == module+"httpapi/cataloguetest" {
			t.Errorf("examples/films imports %s", other)
		}
	}
	for _, other := range packages[module+"examples/internal/walk"].Deps {
		if strings.HasPrefix(other, module) {
			t.Errorf("examples/internal/walk imports %s", other)
		}
	}
}

// list returns packages of the module and all that they import.
func list(t *testing.T, names ...string) map[string]listed {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports,Deps"}
	for name := range strings.FieldsSeq(strings.Join(names, " ")) {
		args = append(args, module+name)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	must(t, err)
	packages := map[string]listed{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// pairs returns the pairs of files of a package that use names of each other.
func pairs(t *testing.T, p listed, export types.Importer) (list []string) {
	t.Helper()
	fset, info := token.NewFileSet(), &types.Info{Uses: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		must(t, err)
		files = append(files, f)
	}
	self, err := (&types.Config{Importer: export}).Check(p.ImportPath, fset, files, info)
	must(t, err)
	uses := map[[2]string]bool{}
	for id, used := range info.Uses {
		if used.Pkg() != self || used.Parent() != nil && used.Parent() != self.Scope() {
			continue // of another package, or local
		}
		uses[[2]string{filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(used.Pos()).Filename)}] = true
	}
	for pair := range uses {
		if pair[0] < pair[1] && uses[[2]string{pair[1], pair[0]}] {
			list = append(list, pair[0]+" and "+pair[1])
		}
	}
	slices.Sort(list)
	return list
}
