// Compiled counts the functions that a program compiles for its record types: those in the
// archive of a package that calls every method of the generic types of package catalogue. It
// exits with status 1 if there are too many, or if one is of the engine or of its
// trees, which are compiled once, in their own packages. It also exits with status 1 if the
// binaries of small programs are too large. Run compiled in the root of the module:
//
//	go run .ci/compiled/main.go
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// limits has the largest number of functions for some numbers of record types.
var limits = [...]struct{ types, functions int }{{1, 350}, {10, 2500}}

// sizes has the largest size in bytes of the binary of a program that imports catalogue only, and
// of one that serves it. A [reflect.Type.MethodByName] whose name is not constant adds 3 MB: the
// linker then keeps every exported method.
var sizes = [...]struct {
	what, source string
	bytes        int64
}{
	{"catalogue", program, 6_600_000},
	{"httpapi", server, 13_800_000},
}

func main() {
	log.SetFlags(0)
	if err := checkMethods(); err != nil {
		log.Fatal(err)
	}
	failed := false
	for _, most := range limits {
		functions, err := compile(most.types)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d functions for %d record types, at most %d\n", len(functions), most.types, most.functions)
		failed = failed || len(functions) > most.functions
		for _, f := range functions {
			if foreign.MatchString(f) {
				fmt.Printf("compiled again for the record types: %s\n", f)
				failed = true
			}
		}
	}
	for _, most := range sizes {
		size, err := link(most.source)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d bytes for a program that imports %s, at most %d\n", size, most.what, most.bytes)
		failed = failed || size > most.bytes
	}
	if failed {
		os.Exit(1)
	}
}

// foreign matches functions and methods of what does not depend on the record types: the core, its
// engine and trees, and the layout but for its generic functions. Others may have one of their
// types as a type argument.
var foreign = regexp.MustCompile(`^(github.com/tidwall/btree|github.com/gobacklist/backlist/catalogue/internal/(store|core))\.|^github.com/gobacklist/backlist/catalogue/internal/layout\.[^[]*$`)

// compile returns the names of the functions in the archive of a program with a number of
// record types.
func compile(types int) ([]string, error) {
	text := head
	for i := range types {
		text += strings.ReplaceAll(use, "Film0", fmt.Sprintf("Film%d", i))
	}
	var symbols string
	err := build(text, func(archive string) (err error) {
		symbols, err = run("tool", "nm", archive)
		return err
	})
	var functions []string
	for line := range strings.Lines(symbols) {
		// The columns are the address, the kind and the name, which may contain spaces.
		if f := strings.Fields(line); len(f) > 2 && strings.EqualFold(f[1], "T") {
			functions = append(functions, strings.Join(f[2:], " "))
		}
	}
	return functions, err
}

// link returns the size of the binary of a program.
func link(text string) (size int64, err error) {
	err = build(text, func(binary string) error {
		about, err := os.Stat(binary)
		if err == nil {
			size = about.Size()
		}
		return err
	})
	return size, err
}

// build compiles a file and calls use with the result, an archive or a binary, which exists until
// then.
func build(text string, use func(file string) error) error {
	dir, err := os.MkdirTemp("", "compiled")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, result := filepath.Join(dir, "films.go"), filepath.Join(dir, "films.a")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	if _, err := run("build", "-trimpath", "-buildvcs=false", "-o", result, source); err != nil {
		return err
	}
	return use(result)
}

func run(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // sizes depend on them
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out), nil
}

// checkMethods returns an error if the program does not call a method of a generic type that
// the record of the API has.
func checkMethods() error {
	record, err := os.ReadFile(".ci/api/catalogue.txt")
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile(`(?m)^func \((\w+) \*?\w+\[T\]\) (\w+)\(`).FindAllSubmatch(record, -1) {
		if call := fmt.Sprintf("%s.%s(", m[1], m[2]); !strings.Contains(use, call) {
			return fmt.Errorf("the program must call %s)", call)
		}
	}
	return nil
}

// program and server are the programs whose binaries are measured.
const (
	program = `package main

import "github.com/gobacklist/backlist/catalogue"

type Film struct {
	ID int ` + "`json:\"id\"`" + `
}

func main() {
	c, err := catalogue.NewCollection[Film](catalogue.Options{})
	println(c.Count(), err)
}
`
	server = `package main

import (
	"net/http"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func main() {
	films, _ := catalogue.New(catalogue.Define[schema.Record]("films", catalogue.Options{}))
	handler, _ := httpapi.New(films, httpapi.Options{})
	println(http.ListenAndServe("", handler))
}
`
)

const head = `package films

import (
	"bytes"
	"context"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

var (
	cat  *catalogue.Catalogue
	none catalogue.LoadOptions
	file bytes.Buffer
	w    pagination.Window
	ctx  = context.Background()
)
`

// use is the part of the program for one type. The names of its variables are those of the
// receivers in package catalogue.
const use = `
type Film0 struct {
	ID    int    ` + "`json:\"id\"`" + `
	Name  string ` + "`json:\"name\"`" + `
	Film0 []int  ` + "`json:\"film\"`" + `
}

func useFilm0() {
	d := catalogue.Define[Film0]("films", catalogue.Options{})
	d.Key()
	d.WithDescription(schema.Description{})
	catalogue.NewCollection[Film0](catalogue.Options{})
	c, _ := d.In(cat)
	c.Insert(Film0{})
	c.Upsert(Film0{})
	c.Update(1, func(*Film0) error { return nil })
	c.Delete(1)
	c.ReplaceAll(nil)
	c.Batch(func(tx *catalogue.Tx[Film0]) error {
		tx.Insert(Film0{})
		tx.Upsert(Film0{})
		tx.Update(1, func(*Film0) error { return nil })
		tx.Delete(1)
		tx.Get(1)
		tx.By("name")
		tx.Where()
		return nil
	})
	cat.Batch(func(b *catalogue.Batch) error {
		d.Tx(b)
		return nil
	})
	c.Count()
	c.Revision()
	c.Has(1)
	c.Get(1)
	c.Page(w)
	c.All()
	c.Clone()
	c.Check()
	c.Load(&file, none)
	c.LoadFile("", none)
	c.Save(&file)
	c.SaveFile("")
	c.Journal(nil)
	c.Changes(ctx, 0)
	changes, _, _ := c.Since(0)
	for _, ch := range changes {
		ch.Before()
		ch.After()
	}
	{
		s := c.Snapshot()
		s.Revision()
		s.Get(1)
		s.By("name")
		s.Where()
	}
	x := c.By("name")
	x.Has("")
	x.Get("")
	x.Insert(Film0{})
	x.Upsert(Film0{})
	x.Update("", func(*Film0) error { return nil })
	x.Delete("")
	s := c.Where().Filter(nil)
	s.Filter(nil)
	s.Count()
	s.Counts("name")
	s.First()
	s.Page(w)
	s.PageAfter("", 1)
	s.All()
	s.Position(1)
	s.Delete()
	s.Update(func(*Film0) error { return nil })
	s.Explain()
	v, _ := s.View(w)
	v.Count()
	v.Len()
	v.At(0)
	v.All()
	v.JSON(0)
}
`
