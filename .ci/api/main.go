// Api compares the exported API of the module with its record and exits with status 1
// if they differ. With -write it updates the record instead. The record has one file
// per package, in the directory of this file. Run api in the root of the module:
//
//	go run .ci/api/main.go [-write]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const record = ".ci/api"

func main() {
	log.SetFlags(0)
	write := flag.Bool("write", false, "update the record")
	flag.Parse()
	current, total, err := current()
	if err != nil {
		log.Fatal(err)
	}
	if *write {
		if err := update(current); err != nil {
			log.Fatal(err)
		}
	} else if different := compare(current); different {
		log.Fatal("the API differs from its record; to update the record, run go run .ci/api/main.go -write")
	}
	fmt.Printf("%d exported identifiers in %d packages\n", total, len(current))
}

// current returns the lines of each package by the name of its file, and the number
// of exported constants, variables, functions, types and methods.
func current() (lines map[string][]string, total int, err error) {
	lines = map[string][]string{}
	for _, root := range []string{"catalogue", "httpapi", "ordering", "pagination", "resources"} {
		err = filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || !entry.IsDir():
				return err
			case entry.Name() == "internal" || entry.Name() == "testdata" || isModule(dir):
				return filepath.SkipDir
			}
			list, n, err := api(dir)
			if len(list) > 0 {
				lines[strings.ReplaceAll(filepath.ToSlash(dir), "/", ".")+".txt"] = list
			}
			total += n
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return lines, total, nil
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// api returns a sorted line for each exported identifier of the package in dir, and
// the number of those that are neither fields nor methods of interfaces.
func api(dir string) (lines []string, n int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, 0, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, 0, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, 0, nil
	}
	p, err := doc.NewFromFiles(fset, files, dir)
	if err != nil {
		return nil, 0, err
	}
	c := collector{fset: fset}
	c.values(p.Consts)
	c.values(p.Vars)
	c.funcs(p.Funcs)
	for _, t := range p.Types {
		c.typ(t)
		c.values(t.Consts)
		c.values(t.Vars)
		c.funcs(t.Funcs)
		c.funcs(t.Methods)
	}
	slices.Sort(c.lines)
	return c.lines, c.n, nil
}

// A collector collects the lines of a package.
type collector struct {
	fset  *token.FileSet
	lines []string
	n     int
}

func (c *collector) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *collector) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, c.fset, node); err != nil {
		log.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (c *collector) values(values []*doc.Value) {
	for _, v := range values {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				c.add("%v %s", v.Decl.Tok, name)
				c.n++
			}
		}
	}
}

func (c *collector) funcs(funcs []*doc.Func) {
	for _, f := range funcs {
		f.Decl.Doc, f.Decl.Body = nil, nil
		c.add("%s", c.text(f.Decl))
		c.n++
	}
}

func (c *collector) typ(t *doc.Type) {
	c.n++
	for _, spec := range t.Decl.Specs {
		spec := spec.(*ast.TypeSpec)
		name := spec.Name.Name
		switch typ := spec.Type.(type) {
		case *ast.StructType:
			c.add("type %s struct", c.head(spec))
			c.members("field "+name, typ.Fields)
		case *ast.InterfaceType:
			c.add("type %s interface", c.head(spec))
			c.members("method "+name, typ.Methods)
		default:
			c.add("type %s %s", c.head(spec), c.text(typ))
		}
	}
}

// head returns the name of a type with its type parameters.
func (c *collector) head(spec *ast.TypeSpec) string {
	if spec.TypeParams == nil {
		return spec.Name.Name
	}
	var list []string
	for _, f := range spec.TypeParams.List {
		for _, name := range f.Names {
			list = append(list, name.Name+" "+c.text(f.Type))
		}
	}
	return spec.Name.Name + "[" + strings.Join(list, ", ") + "]"
}

func (c *collector) members(kind string, fields *ast.FieldList) {
	for _, f := range fields.List {
		typ := strings.TrimPrefix(c.text(f.Type), "func")
		if len(f.Names) == 0 && ast.IsExported(strings.TrimPrefix(typ[strings.LastIndexByte(typ, '.')+1:], "*")) {
			c.add("%s embeds %s", kind, typ)
		}
		for _, name := range f.Names {
			switch {
			case !name.IsExported():
			case strings.HasPrefix(kind, "method"):
				c.add("%s.%s%s", kind, name.Name, typ)
			default:
				c.add("%s.%s %s", kind, name.Name, c.text(f.Type))
			}
		}
	}
}

// update replaces the files of the record.
func update(current map[string][]string) error {
	old, err := filepath.Glob(filepath.Join(record, "*.txt"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, lines := range current {
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(record, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare prints the lines in which the record and the code differ, and reports whether
// there are any.
func compare(current map[string][]string) (different bool) {
	names, _ := filepath.Glob(filepath.Join(record, "*.txt"))
	for _, path := range names {
		if name := filepath.Base(path); current[name] == nil {
			current[name] = []string{}
		}
	}
	for name, lines := range current {
		data, err := os.ReadFile(filepath.Join(record, name))
		if err != nil {
			log.Print(err)
		}
		recorded := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		for _, line := range recorded {
			if line != "" && !slices.Contains(lines, line) {
				different = true
				fmt.Printf("%s: - %s\n", name, line)
			}
		}
		for _, line := range lines {
			if !slices.Contains(recorded, line) {
				different = true
				fmt.Printf("%s: + %s\n", name, line)
			}
		}
	}
	return different
}
