package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestOgen generates a client with ogen, which reads all collections.
func TestOgen(t *testing.T) {
	t.Parallel() // with the other tools, which are slow
	s, dir := serve(t), t.TempDir()
	document, code := s.document(t, dir, openapi.Options{}), filepath.Join(dir, "api")
	goCommand(t, "tool", "ogen", "-config", "testdata/ogen/ogen.yml", "-loglevel", "error", "-package", "api", "-target", code, document)
	s.checkWalk(t, document, func() []byte {
		return run(t, "go", "run", "-overlay", overlay(t, code, "testdata/ogen/api"), "./testdata/ogen", s.url)
	})
}

// TestOapiCodegen generates a client with oapi-codegen, which reads all collections.
func TestOapiCodegen(t *testing.T) {
	t.Parallel()
	s, dir, code := serve(t), t.TempDir(), t.TempDir()
	document := s.document(t, dir, openapi.Options{})
	goCommand(t, "tool", "oapi-codegen", "-config", "testdata/oapi/oapi-codegen.yaml", "-o", filepath.Join(code, "client.gen.go"), document)
	s.checkWalk(t, document, func() []byte {
		return run(t, "go", "run", "-overlay", overlay(t, code, "testdata/oapi/api"), "./testdata/oapi", s.url)
	})
}

// overlay returns a file for the flag -overlay of the go command. With it, the files of
// one directory seem to be in another one.
func overlay(t *testing.T, from, to string) string {
	t.Helper()
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	to, err = filepath.Abs(to)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(to, f.Name())] = filepath.Join(from, f.Name())
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

// run returns the standard output of a command.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		var stderr []byte
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = exit.Stderr
		}
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderr)
	}
	return out
}
