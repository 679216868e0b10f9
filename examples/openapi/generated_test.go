package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated makes the document and the client anew, by the commands that stand
// in client/generate.go.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	document, source := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.gen.go")
	goCommand(t, "run", "github.com/gobacklist/backlist/examples/serve", "-openapi", document)
	goCommand(t, "tool", "oapi-codegen", "-config", "client/oapi-codegen.yaml", "-o", source, document)
	for made, kept := range map[string]string{document: "client/openapi.json", source: "client/client.gen.go"} {
		if diff := cmp.Diff(read(t, kept), read(t, made)); diff != "" {
			t.Errorf("%s is not what go generate ./client makes (-kept +made):\n%s", kept, diff)
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
