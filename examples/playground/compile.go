package main

import (
	"bytes"
	"context"
	"encoding/json"
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

// templateMethods is the line of text/template that looks for a method with the name that a
// template has. Since it could be any, the linker keeps all exported methods of all types,
// which are a fifth of the program. The templates of package browse call none.
const templateMethods = "if method := ptr.MethodByName(fieldName); method.IsValid() {"

// writeOverlay writes a file for -overlay that compiles text/template without that call, and
// returns its name.
func writeOverlay(dir, root string) (string, error) {
	original := filepath.Join(root, "src", "text", "template", "exec.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const without = "if method := (reflect.Value{}); method.IsValid() {"
	source = bytes.Replace(source, []byte(templateMethods), []byte(without), 1)
	replacement := filepath.Join(dir, "exec.go")
	if err := os.WriteFile(replacement, source, 0o644); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, overlay, 0o644)
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
	overlay, err := writeOverlay(dir, root)
	if err != nil {
		return nil, nil, err
	}
	program := filepath.Join(dir, "main.wasm")
	if _, err := goCommand(ctx, append(smallBuild(), "-overlay", overlay, "-o", program, workerPackage)...); err != nil {
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
