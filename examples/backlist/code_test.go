package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// codeMain serves the generated package: it prints the answers to the requests in its arguments.
const codeMain = `package main

import (
	"fmt"
	"log"
	"net/http/httptest"
	"os"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"

	"example.com/blog/db"
)

func main() {
	records, err := db.New()
	if err == nil {
		err = records.LoadFile("db.json", catalogue.LoadOptions{})
	}
	if err != nil {
		log.Fatal(err)
	}
	h, err := httpapi.New(records, httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range os.Args[1:] {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Body)
	}
}
`

// TestCodeServes runs the Go code of a file: it answers requests as the program does.
func TestCodeServes(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("builds a program")
	}
	const text = `{"posts":[{"id":1,"title":"First","authorId":7,"price":"9.50","views":1.50,"at":"2024-05-10","tags":["a"],"home":{"city":"Bonn","zip":null}},
{"id":2,"title":null,"authorId":8,"price":"10.00","views":2,"at":"2024-05-11","tags":[],"home":{"city":"Ulm","zip":5},"more":true}],
"authors":[{"id":7,"name":"Ann"},{"id":8,"name":"Bob"}],"cards":[{"key":"b"},{"key":"a"},{"key":"c"}],"zeros":[{"id":0,"n":1e5}],"mixed":[{"id":1,"a":[1,null]},{"id":2,"a":{}}],"none":[],
"teams":[{"id":1,"x":"a","o":{"m":"x","n":1}},{"id":2,"x":5,"o":{"m":5,"n":2}}],
"players":[{"id":1,"teamId":1,"zeroId":0,"y":1},{"id":2,"teamId":2,"zeroId":0,"y":"a"}],
"notes":[{"id":0,"teamId":1}]}`
	requests := []string{
		"/api/", "/api/posts/", "/api/posts/2/", "/api/posts/?authorId__name=Ann", "/api/posts/?price__gte=9.6&ordering=-views", "/api/posts/?search=first",
		"/api/posts/?home__city=Ulm", "/api/authors/?posts__at=2024-05-11", "/api/cards/a/", "/api/zeros/0/", "/api/mixed/", "/api/none/", "/api/teams/?o__n=2",
		"/api/players/?teamId__o__n=2", "/api/players/?zeroId=0", "/api/teams/?players__zeroId=0", "/api/notes/",
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))
	write("go.mod", strings.Replace(string(mod), "module github.com/gobacklist/backlist", "module example.com/blog", 1)+
		"\nrequire github.com/gobacklist/backlist v0.0.0\n\nreplace github.com/gobacklist/backlist => "+root+"\n")
	write("main.go", codeMain)
	var code, stderr bytes.Buffer
	if exit := run(t.Context(), []string{write("db.json", text), "-go"}, &code, &stderr); exit != exitOK {
		t.Fatalf("%d: %s", exit, stderr.String())
	}
	write("db/db.go", code.String())
	command := exec.CommandContext(t.Context(), "go", append([]string{"run", "-mod=mod", "."}, requests...)...)
	command.Dir, command.Stderr = dir, t.Output()
	got, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, code.String())
	}
	s, err := tryFile(t, filepath.Join(dir, "db.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, path := range requests {
		_, body := s.ask("GET", strings.TrimPrefix(path, "/api/"), "")
		io.WriteString(&want, body+"\n")
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, code.String())
	}
}
