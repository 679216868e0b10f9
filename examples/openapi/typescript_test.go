package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestTypeScript generates types with openapi-typescript, and compiles a client with tsc in
// strict mode, which reads all collections.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	modules, s, dir := tools(t), serve(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/typescript")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	document := s.document(t, dir, openapi.Options{})
	// By default a member with a default is required in requests too.
	run(t, tool(t, "openapi-typescript"), document, "--default-non-nullable", "false", "-o", filepath.Join(dir, "schema.d.ts"))
	run(t, tool(t, "tsc"), "-p", dir)
	s.checkWalk(t, document, func() []byte { return run(t, "node", filepath.Join(dir, "out", "walk.js"), s.url) })
}
