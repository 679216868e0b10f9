package infer_test

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
)

// compiler type-checks generated code.
type compiler struct {
	fset    *token.FileSet
	imports types.Importer
}

func newCompiler(t testing.TB) compiler {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "github.com/gobacklist/backlist/catalogue", "encoding/json").Output()
	must(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	fset := token.NewFileSet()
	return compiler{fset, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
}

// compile fails the test if a package does not compile.
func (c compiler) compile(t testing.TB, code []byte) {
	t.Helper()
	file, err := parser.ParseFile(c.fset, "db.go", code, 0)
	if err == nil {
		_, err = (&types.Config{Importer: c.imports}).Check("db", c.fset, []*ast.File{file}, nil)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
}

// TestCodeCompiles prints the files of testdata/files.txtar, and others with names that are no identifiers, as
// Go code.
func TestCodeCompiles(t *testing.T) {
	c := newCompiler(t)
	files := txtar.Read(t, "files.txtar")
	for _, text := range []string{
		`{"type":[{"func":1,"Func":2}],"new":[{"1st":1,"é ü":[[{"a":[{"b":null}]}]]}],"News":[{"a,b":1}],"x":{"a":{"b":1},"b":{"b":[]}}}`,
		`{"a-b":[{"id":0}],"a.b":[{"id":1.5}],"posts":[{"id":"x","aB":{"c":{"d":{}}},"":1}],"Post":[{"n":1e400}]}`,
		"{\"tag`s\":[{\"id\":1,\"parentId\":1}],\"a,b\":[{\"id\":1,\"parentId\":1}]}",
		"[{\"`\":1},{\"\\\"\":2},{\"-\":{\"-\":1}}]",
	} {
		files = append(files, txtar.Text{Name: text, Data: text})
	}
	for _, file := range files {
		s, err := try(t, strings.Replace(file.Data, "BOM", "\ufeff", 1), infer.Options{Name: "f"})
		if err != nil {
			t.Logf("%s: %v", file.Name, err)
			continue
		}
		var code bytes.Buffer
		must(t, s.file.Go(&code, "db"))
		c.compile(t, code.Bytes())
	}
}

func TestCode(t *testing.T) {
	file, err := infer.Read(strings.NewReader(`{"posts":[{"id":1,"title":"First","authorId":7,"price":"9.50","views":1.50},{"id":2,"title":null,"authorId":7,"price":"10.00","views":2,"more":true}],
"authors":[{"id":7,"name":"Ann","home":{"city":"Bonn"}}],"cards":[{"id":0}],"lists":[{"id":1,"of":["a",null]}]}`), infer.Options{})
	must(t, err)
	var code bytes.Buffer
	must(t, file.Go(&code, "blog"))
	flat := strings.Join(strings.Fields(code.String()), " ")
	for _, want := range []string{
		"// Package blog has the collections of a JSON file. package blog import (",
		"type Post struct { ID int `json:\"id\"` Title *string `json:\"title\"` AuthorID int `json:\"authorId\" backlist:\"refers=authors,related=posts\"` Price string `json:\"price\" backlist:\"decimal=4.2\"` Views json.Number `json:\"views\"` More *bool `json:\"more,omitempty\"` }",
		"type AuthorHome struct { City string `json:\"city\"` }",
		"Home AuthorHome `json:\"home\"` }",
		`var Posts = catalogue.Define[Post]("posts", catalogue.Options{ ID: "id",`,
		`var Cards = catalogue.Define[schema.Record]("cards", catalogue.Options{`, // a struct has no id 0
		"Of json.RawMessage `json:\"of\"`",                                        // null would be an empty text
		"return catalogue.New(Posts, Authors, Cards, Lists)",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %s in\n%s", want, code.String())
		}
	}
	if !strings.Contains(flat, "Its LoadFile reads them.") {
		t.Error("the code does not say how the records are read")
	}
	mixed := serve(t, `{"mixed":[{"id":1},{"id":"x"}]}`).file
	code.Reset()
	must(t, mixed.Go(&code, "mixed"))
	if !strings.Contains(code.String(), "Define[schema.Record]") {
		t.Errorf("a struct has the text 1 as an id, for which the file has a number: %s", code.String())
	}
	if err := file.Go(io.Discard, "no name"); err == nil {
		t.Error("a name that is no identifier has no error")
	}
}

// TestCodeLoads prints files as Go code that says how their records are read.
func TestCodeLoads(t *testing.T) {
	for _, row := range []struct {
		reason, text string
		direct       bool // LoadFile reads the file
	}{
		{"collections", `{"posts":[{"id":1}],"tags":[]}`, true},
		{"a list", `[{"id":1}]`, false},
		{"a record", `{"posts":{"a":1}}`, false},
		{"objects of records", `{"posts":{"x":{"a":1},"y":{"a":2}}}`, false},
		{"what is not served", `{"posts":[{"id":1}],"version":1}`, false},
		{"ids of two kinds", `{"posts":[{"id":1},{"id":"x"}]}`, false},
	} {
		file, err := infer.Read(strings.NewReader(row.text), infer.Options{})
		must(t, err)
		var code bytes.Buffer
		must(t, file.Go(&code, "db"))
		if direct := strings.Contains(code.String(), "Its LoadFile reads them."); direct != row.direct {
			t.Errorf("%s: LoadFile: %t\n%s", row.reason, direct, code.String())
		}
	}
}
