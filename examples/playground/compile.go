package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workerPackage is the program of the service worker.
const workerPackage = "github.com/gobacklist/backlist/examples/playground/worker"

// smallBuild is a build without debugging information and, since compressed code is 11 %
// smaller then, without inlining.
func smallBuild() []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-l"}
}

// compile returns the program of the service worker, and the JavaScript of the Go
// installation that runs it. The working directory must be in this module.
func compile(ctx context.Context) (wasm, runtime []byte, err error) {
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	runtime, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "main.wasm")
	if _, err := goCommand(ctx, append(smallBuild(), "-o", program, workerPackage)...); ctx.Err() != nil {
		return nil, nil, ctx.Err()
	} else if err != nil {
		return nil, nil, fmt.Errorf("%w\nthe working directory must be in the module of %s", err, workerPackage)
	}
	wasm, err = os.ReadFile(program)
	return wasm, runtime, err
}

// goCommand runs the go command for WebAssembly and returns its output.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
