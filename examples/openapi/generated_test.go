package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated runs the commands of client/generate.go and compares the document
// and the client that they write with those in the directory client.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	document, source := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.gen.go")
	goCommand(t, "run", "github.com/gobacklist/backlist/examples/backlist", "-openapi", document)
	goCommand(t, "tool", "oapi-codegen", "-config", "client/oapi-codegen.yaml", "-o", source, document)
	for generated, stored := range map[string]string{document: "client/openapi.json", source: "client/client.gen.go"} {
		if diff := cmp.Diff(read(t, stored), read(t, generated)); diff != "" {
			t.Errorf("%s is out of date, run go generate ./client (-stored +generated):\n%s", stored, diff)
		}
	}
}

func goCommand(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", args, err, out)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
