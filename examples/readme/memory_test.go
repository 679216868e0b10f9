package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// TestMemory runs the README's program. Its output is in its comments.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	file := program(t)
	got, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	var want strings.Builder
	for _, line := range regexp.MustCompile(`(?m)fmt\.Println.*?// (.*)$`).FindAllStringSubmatch(source(t), -1) {
		want.WriteString(line[1] + "\n")
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" || want.Len() == 0 {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// source returns the source of the README's program.
func source(t *testing.T) string {
	t.Helper()
	source := regexp.MustCompile("(?s)```go\n(package main.*?)```").FindStringSubmatch(readFile(t, "../../README.md"))
	if source == nil {
		t.Fatal("no program in the README")
	}
	return source[1]
}

// program writes the README's program to a file and returns its name.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
