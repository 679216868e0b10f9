package crash_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

// TestMain removes the program at the end.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	unedited = sync.OnceValues(func() (string, error) { return build(dir) })
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// unedited builds the program with the notes once, and returns its path.
var unedited func() (program string, err error)

// build builds the program with the notes and with edits of other files, and returns its
// path in dir.
func build(dir string, edits ...edit) (program string, err error) {
	overlay, err := overlayOf(dir, append(edits, withNotes)...)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "etcd")
	command := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	command.Dir = ".."
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// overlayOf writes the edited files to dir, and a file that makes the go command use them.
func overlayOf(dir string, edits ...edit) (path string, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	replace := map[string]string{
		filepath.Join(root, "definitions.go"): filepath.Join(root, "crash", "testdata", "definitions.go"),
	}
	for i, e := range edits {
		original := filepath.Join(root, e.file)
		text, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			return "", fmt.Errorf("%s contains the old text %d times, want once; adapt the edit:\n%s", e.file, n, e.old)
		}
		edited := filepath.Join(dir, fmt.Sprintf("edit%d.go", i))
		if err := os.WriteFile(edited, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o666); err != nil {
			return "", err
		}
		replace[original] = edited
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o666)
}
