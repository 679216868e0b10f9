package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompile builds the program and checks the size of what visitors download.
func TestCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds for WebAssembly")
	}
	wasm, runtime, err := compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := testFolder(t, string(wasm), string(runtime))
	size := 0
	for name, data := range files {
		if !strings.HasSuffix(name, ".gz") { // hosts compress the others
			if data, err = compress(data); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%8d %s", len(data), name)
		size += len(data)
	}
	const limit = 3_200_000
	if size > limit {
		t.Errorf("the files have %d bytes, want at most %d", size, limit)
	}
}

// TestOverlay runs the tests of package browse with the overlay: their templates must not
// call methods.
func TestOverlay(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds package browse again")
	}
	root, err := goCommand(t.Context(), "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := writeOverlay(t.TempDir(), root)
	if err != nil {
		t.Fatal(err)
	}
	test := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "github.com/gobacklist/backlist/httpapi/browse")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
