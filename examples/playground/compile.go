package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// workerPackage is the program of the service worker.
const workerPackage = "github.com/gobacklist/backlist/examples/playground/worker"

// smallBuild is a build without debugging information, HTTP/2 and, since compressed code is 11 %
// smaller then, inlining.
func smallBuild() []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-ldflags=-s -w", "-gcflags=all=-l"}
}

// compile returns the program of the service worker, and the JavaScript of the Go
// installation that runs it. The working directory must be in this module.
func compile(ctx context.Context) (wasm, runtime []byte, err error) {
	root, err := goCommand(ctx, "", "env", "GOROOT")
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
	if buildSlim(ctx, root, dir, program) != nil { // another version of Go may need more of its packages
		_, err = goCommand(ctx, "", append(smallBuild(), "-o", program, workerPackage)...)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w\nthe working directory must be in the module of %s", err, workerPackage)
	}
	wasm, err = os.ReadFile(program)
	return wasm, runtime, err
}

// slim are packages in place of those of the standard library that net/http imports, but the
// program does not need.
//
//go:embed internal/slim
var slim embed.FS

// buildSlim builds the program with less of the standard library, which makes it 28 % smaller.
func buildSlim(ctx context.Context, goroot, dir, program string) error {
	root := filepath.Join(dir, "go") // because -overlay permits no files of toolchains that were downloaded
	if err := os.Symlink(goroot, root); err != nil {
		return err
	}
	replaced, err := overlay(filepath.Join(root, "src"), dir)
	if err != nil {
		return err
	}
	_, err = goCommand(ctx, root, append(smallBuild(), "-overlay", replaced, "-o", program, workerPackage)...)
	return err
}

// overlay writes files that replace some of the standard library to a directory, and the file for -overlay, whose
// name it returns.
func overlay(src, dir string) (name string, err error) {
	replaced := map[string]string{}
	replace := func(file string, text []byte) error {
		replaced[file] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replaced)))
		return os.WriteFile(replaced[file], text, 0o600)
	}
	for from, to := range map[string]string{"tls": "crypto/tls", "idna": "vendor/golang.org/x/net/idna"} {
		files, err := filepath.Glob(filepath.Join(src, filepath.FromSlash(to), "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			replaced[file] = "" // it does not exist
		}
		text, err := fs.ReadFile(slim, path.Join("internal/slim", from, from+".go"))
		if err != nil {
			return "", err
		}
		if err := replace(filepath.Join(src, filepath.FromSlash(to), "slim.go"), text); err != nil {
			return "", err
		}
	}
	// Templates may call methods by name, so that the linker keeps those of all types. Those of browse
	// call none.
	file := filepath.Join(src, "text", "template", "exec.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text = bytes.Replace(text, []byte("ptr.MethodByName(fieldName)"), []byte("reflect.ValueOf(nil)"), 1)
	if err := replace(file, text); err != nil {
		return "", err
	}
	text, err = json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// goCommand runs the go command of an installation, or the one that is found if root is empty, for WebAssembly and
// returns its output.
func goCommand(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "CGO_ENABLED=0")
	if root != "" {
		cmd.Path, cmd.Err = filepath.Join(root, "bin", "go"), nil
		// The second implementation of encoding/json that Go 1.27 has makes the program 5 % larger.
		cmd.Env = append(cmd.Env, "GOROOT="+root, "GOTOOLCHAIN=local", "GOEXPERIMENT=nojsonv2")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
