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
)

// TestShell runs the shell commands of the README and of the package comment as written,
// at other ports, and expects that every command succeeds.
func TestShell(t *testing.T) {
	if testing.Short() && os.Getenv("BACKLIST_SHELL") == "" {
		t.Skip("builds programs")
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	source, err := os.ReadFile("main.go")
	must(t, err)
	for name, commands := range map[string][]string{
		"README":  submatches("(?ms)^```sh\n(.*?)^```", string(readme)),
		"comment": submatches(`(?m)^//\t(.*\n)`, string(source)),
	} {
		t.Run(name, func(t *testing.T) { runShell(t, strings.Join(commands, "")) })
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
	// The ports 8080 to 8103 become others, from one that is free and at the end of 80.
	port := freePorts(t)
	commands = regexp.MustCompile(`127\.0\.0\.1:8\d\d\d`).ReplaceAllStringFunc(commands, func(address string) string {
		_, text, _ := strings.Cut(address, ":")
		n, err := strconv.Atoi(text)
		must(t, err)
		return "127.0.0.1:" + strconv.Itoa(n-8080+port)
	})
	commands = strings.ReplaceAll(commands, " -three", " -three -addr 127.0.0.1:"+strconv.Itoa(port+1))
	commands = strings.ReplaceAll(commands, " -endpoints", " -addr 127.0.0.1:"+strconv.Itoa(port)+" -endpoints")
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euc", `
		curl() { command curl -sSf --max-time 180 --retry 1000 --retry-delay 1 --retry-all-errors --retry-max-time 180 "$@"; }
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
