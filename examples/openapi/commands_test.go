//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestCommands runs the commands of README.md and of the package comment as written, in a
// copy of this directory. CI itself runs the tests and installs the npm packages.
func TestCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^//\t(.*)`).FindAllStringSubmatch(string(source), -1)
	commands = append(commands, regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(readme), -1)...)
	dir, run := copyOf(t), 0
	for _, command := range commands {
		if strings.Contains(command[1], "go test") {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		bash := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command[1])
		bash.Dir, bash.WaitDelay = dir, time.Second
		if out, err := bash.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v\n%s", command[1], err, out)
		}
		run++
	}
	if run != 2 {
		t.Errorf("%d commands were run, want 2", run)
	}
	for _, file := range []string{"openapi.json", "api/client.gen.go"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

// copyOf returns a copy of this module in a temporary directory.
func copyOf(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	edit := exec.Command("go", "mod", "edit", "-replace", "github.com/gobacklist/backlist="+root)
	edit.Dir = dir
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}
