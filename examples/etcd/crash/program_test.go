package crash_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An edit is a change of a source file of the program.
type edit struct {
	file     string // relative to the directory of the program
	old, new string // old must occur exactly once
}

// withNotes makes the program serve a collection in which all actions are possible.
// testdata/definitions.go defines it.
var withNotes = edit{
	file: "main.go",
	old:  "Client:       client,\n",
	new:  "Client:       client,\n\t\tDefinitions:  definitions(),\n",
}

// build builds the program with the notes and with edits of other files, and returns its
// path.
func build(tb testing.TB, edits ...edit) (program string) {
	tb.Helper()
	dir := tb.TempDir()
	overlay := overlayOf(tb, dir, append(edits, withNotes)...)
	program = filepath.Join(dir, "etcd")
	command := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	command.Dir = ".."
	if out, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// overlayOf writes the edited files to dir, and a file that makes the go command use them.
func overlayOf(tb testing.TB, dir string, edits ...edit) (path string) {
	tb.Helper()
	replace := map[string]string{absolute(tb, "../definitions.go"): absolute(tb, "testdata/definitions.go")}
	for i, e := range edits {
		original := absolute(tb, filepath.Join("..", e.file))
		text, err := os.ReadFile(original)
		if err != nil {
			tb.Fatal(err)
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			tb.Fatalf("%s contains the old text %d times, want once; adapt the edit:\n%s", e.file, n, e.old)
		}
		edited := filepath.Join(dir, fmt.Sprintf("edit%d.go", i))
		if err := os.WriteFile(edited, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o666); err != nil {
			tb.Fatal(err)
		}
		replace[original] = edited
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		tb.Fatal(err)
	}
	path = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

func absolute(tb testing.TB, path string) string {
	tb.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}
