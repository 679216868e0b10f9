package main

import (
	"os"
	"strings"
	"testing"
)

// TestWorkerPackages checks that the packages of the program have files for WebAssembly. It
// does not compile them, which takes longer than all other tests of this package.
func TestWorkerPackages(t *testing.T) {
	if _, err := goCommand(t.Context(), "", "list", "-deps", workerPackage); err != nil {
		t.Fatal(err)
	}
}

// TestCompile builds the program and checks the size of what visitors download.
func TestCompile(t *testing.T) {
	if os.Getenv("BACKLIST_WASM") == "" || testing.Short() {
		t.Skip("BACKLIST_WASM is not set: it builds for WebAssembly")
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
