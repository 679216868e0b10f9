package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/oapi-codegen/runtime" // is imported by the code that oapi-codegen generates

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/pagination"
)

// tool returns the path of a command of an npm package in tools/package.json. The test
// is skipped if BACKLIST_OPENAPI_TOOLS, the directory with the packages, is not set.
func tool(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("BACKLIST_OPENAPI_TOOLS")
	if dir == "" {
		t.Skip("BACKLIST_OPENAPI_TOOLS is not set: run npm ci --ignore-scripts in a copy of the directory tools, and set it to that copy")
	}
	return filepath.Join(dir, "node_modules", ".bin", name)
}

// run returns the standard output of a command.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		if exit == nil {
			t.Fatal(err)
		}
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, exit.Stderr)
	}
	return out
}

// A service is the service on the loopback interface.
type service struct {
	records  *catalogue.Catalogue
	api      *httpapi.Handler
	url      string
	dir      string // for generated files
	document string // a file in dir
}

func serve(t *testing.T, opts openapi.Options) *service {
	t.Helper()
	c, dir := newService(t), t.TempDir()
	api := newHandler(t, c, httpapi.Options{Authorizer: authorize, ETags: true})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	d, err := openapi.New(api, opts)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{c, api, server.URL, dir, filepath.Join(dir, "openapi.json")}
	if err := os.WriteFile(s.document, d.JSON(), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLint checks documents with an independent validator, which contains the schema of
// the OpenAPI Initiative, and with the rules of redocly and Spectral. The rules that are
// disabled, with the reasons, are in tools. A warning is an error.
func TestLint(t *testing.T) {
	all := openapi.Options{Title: "T", Version: "2", Description: "*D*", Server: "https://x.example/shop/", Scheme: "Token"}
	commands := [][]string{
		{"validate-api"},
		{"redocly", "lint", "--config", "tools/redocly.yaml"},
		{"spectral", "lint", "--fail-severity", "hint", "--ruleset", "tools/spectral.yaml"},
	}
	lint := func(t *testing.T, command []string, document string) (string, error) {
		c := exec.Command(tool(t, command[0]), append(command[1:], document)...)
		c.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for reason, opts := range map[string]openapi.Options{
		"scheme": {Scheme: "Bearer"}, "all options": all,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := serve(t, opts)
			for _, command := range commands {
				if out, err := lint(t, command, s.document); err != nil {
					t.Errorf("%s: %v\n%s", command[0], err, out)
				}
			}
		})
	}
	t.Run("invalid", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(file, []byte(`{"openapi":"3.1.0","info":{"title":"T"},"paths":{}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			if out, err := lint(t, command, file); err == nil {
				t.Errorf("%s accepts a document without a version: %s", command[0], out)
			}
		}
	})
}

// TestOgen generates a client with ogen and runs testdata/ogen with it.
func TestOgen(t *testing.T) {
	t.Parallel() // with the other tools, which are slow
	s := serve(t, openapi.Options{})
	code := filepath.Join(s.dir, "api")
	run(t, "go", "tool", "ogen", "-config", "testdata/ogen/ogen.yml", "-loglevel", "error", "-package", "api", "-target", code, s.document)
	s.checkClient(t, "go", "run", "-overlay", overlay(t, code, "testdata/ogen/api"), "./testdata/ogen", s.url)
}

// TestOapiCodegen generates a client with oapi-codegen and runs testdata/oapi with it.
func TestOapiCodegen(t *testing.T) {
	t.Parallel()
	s := serve(t, openapi.Options{})
	code := t.TempDir()
	run(t, "go", "tool", "oapi-codegen", "-config", "testdata/oapi/oapi-codegen.yaml", "-o", filepath.Join(code, "client.gen.go"), s.document)
	s.checkClient(t, "go", "run", "-overlay", overlay(t, code, "testdata/oapi/api"), "./testdata/oapi", s.url)
}

// overlay returns a file for the flag -overlay of the go command. With it, the files of
// one directory seem to be in another one.
func overlay(t *testing.T, from, to string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if to, err = filepath.Abs(to); err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, file := range files {
		replace[filepath.Join(to, filepath.Base(file))] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTypeScript generates types with openapi-typescript, compiles testdata/typescript
// with tsc in strict mode, and runs it.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	generator, compiler := tool(t, "openapi-typescript"), tool(t, "tsc")
	s := serve(t, openapi.Options{})
	if err := os.CopyFS(s.dir, os.DirFS("testdata/typescript")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(filepath.Dir(compiler)), filepath.Join(s.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "package.json"), []byte(`{"type":"module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, generator, s.document, "-o", filepath.Join(s.dir, "schema.d.ts"))
	run(t, compiler, "-p", s.dir)
	s.checkClient(t, "node", filepath.Join(s.dir, "out", "client.js"), s.url)
}

// A walkResult is what a client has read of a collection. Its limit is ten, and the smallest
// collections have 12 records.
type walkResult struct{ Count, Records, Pages int }

// checkClient runs a client. It must read all pages of all collections, print an object
// that maps the operations to values of type walkResult, and then create a film. Only the
// letter case of operations may differ, because generators change it.
func (s *service) checkClient(t *testing.T, command string, args ...string) {
	t.Helper()
	text, err := os.ReadFile(s.document)
	if err != nil {
		t.Fatal(err)
	}
	paths := parse(t, text).(map[string]any)["paths"].(map[string]any)
	want := map[string]walkResult{}
	for _, c := range s.api.Served().Collections {
		list, err := c.Collection.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 1}})
		if err != nil {
			t.Fatal(err)
		}
		operation := paths[c.Path].(map[string]any)["get"].(map[string]any)["operationId"].(string)
		want[strings.ToLower(operation)] = walkResult{list.Count, list.Count, (list.Count + 9) / 10}
	}
	if len(want) != 39+3 {
		t.Errorf("%d collections, want 42", len(want))
	}
	output := run(t, command, args...)
	var listed map[string]walkResult
	if err := json.Unmarshal(output, &listed); err != nil {
		t.Fatalf("%v in %.300s", err, output)
	}
	got := map[string]walkResult{}
	for operation, w := range listed {
		got[strings.ToLower(operation)] = w
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
	films, err := filmDefinition.In(s.records)
	if err != nil {
		t.Fatal(err)
	}
	made, err := films.Get(26) // after the 25 of newService
	if err != nil {
		t.Fatal(err)
	}
	if made.Title != "Night" || made.Slug != "night" || made.Minutes != 90 || made.Price != "9.90" || made.Director != 2 ||
		made.PremiereAt == nil || !made.PremiereAt.Equal(time.Date(2026, 5, 10, 18, 0, 0, 0, time.UTC)) || made.Status != "announced" {
		t.Errorf("the client created %+v", made)
	}
}
