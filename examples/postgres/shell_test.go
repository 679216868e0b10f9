//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/internal/freeport"
	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
)

// TestShell runs the shell commands of the README and of the package comment as written, with
// a free port and a server for each block, and expects that every command succeeds.
func TestShell(t *testing.T) {
	if testing.Short() && os.Getenv("BACKLIST_SHELL") == "" {
		t.Skip("builds programs")
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	source, err := os.ReadFile("main.go")
	must(t, err)
	scripts := submatches("(?ms)^```sh\n(.*?)^```", string(readme))
	scripts = append(scripts, strings.Join(submatches(`(?m)^//\t(.*\n)`, string(source)), ""))
	for i, commands := range scripts {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			server := pgtest.New(t)
			t.Setenv("PATH", server.Programs()+":"+os.Getenv("PATH"))
			t.Setenv("PGHOST", server.Dir())
			t.Setenv("PGUSER", "postgres")
			runShell(t, commands)
		})
	}
}

func submatches(pattern, text string) (list []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// runShell runs commands, and ends their processes at the end.
func runShell(t *testing.T, commands string) {
	t.Helper()
	if !strings.Contains(commands, "curl ") {
		t.Fatalf("nothing is requested by %q", commands)
	}
	free, err := freeport.Addresses(1)
	must(t, err)
	address := free[0]
	commands = strings.ReplaceAll(commands, " &\n", " -addr "+address+" &\n")
	commands = strings.ReplaceAll(commands, "127.0.0.1:8080", address)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euc", `
		curl() { command curl -sSf --max-time 120 --retry 1000 --retry-delay 1 --retry-connrefused --retry-max-time 120 "$@"; }
		`+commands)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	shell.WaitDelay = time.Second // servers that still run have the output
	output, err := shell.CombinedOutput()
	syscall.Kill(-shell.Process.Pid, syscall.SIGTERM)
	if !shell.ProcessState.Success() {
		t.Errorf("%s\n%v\n%s", commands, err, output)
	}
}
