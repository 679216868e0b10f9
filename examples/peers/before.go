package main

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// library is the module that is measured.
const library = "github.com/gobacklist/backlist"

// startBefore builds this program with the library at an earlier revision and
// starts it as a partner. It works in the directory of this module. stop ends the
// process and removes all files; it must be called.
func startBefore(revision string, args []string, progress io.Writer) (p *partner, stop func(), err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := os.MkdirTemp("", "peers-before-")
	if err != nil {
		cancel()
		return nil, nil, err
	}
	stop = func() { cancel(); os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			stop()
		}
	}()
	fmt.Fprintf(progress, "building with %s ...\n", revision)
	program, err := buildBefore(ctx, dir, revision)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, program, append(args, "-follow")...)
	cmd.Stderr = progress
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	p = &partner{in: bufio.NewReader(out), out: in}
	return p, func() {
		cancel() // ends the process
		cmd.Wait()
		os.RemoveAll(dir)
	}, nil
}

// buildBefore builds this program in dir with the library as the revision has it.
// The repository and its work tree stay as they are.
func buildBefore(ctx context.Context, dir, revision string) (program string, err error) {
	root, err := output(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	commit, err := output(ctx, "git", "rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", err
	}
	archive, source, mod := filepath.Join(dir, "source.zip"), filepath.Join(dir, "source"), filepath.Join(dir, "go.mod")
	if _, err := output(ctx, "git", "-C", root, "archive", "-o", archive, commit); err != nil {
		return "", err
	}
	files, err := zip.OpenReader(archive)
	if err != nil {
		return "", err
	}
	defer files.Close()
	if err := os.CopyFS(source, files); err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	if _, err := output(ctx, "go", "mod", "edit", "-replace="+library+"="+source, mod); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "before.exe")
	build := func(tags string) error {
		_, err := output(ctx, "go", "build", "-mod=mod", "-modfile="+mod, "-tags="+tags, "-o", program, ".")
		return err
	}
	if build("pagecache") == nil { // with the option that only earlier revisions have
		return program, nil
	}
	return program, build("")
}

// output runs a command and returns what it prints. An error has the command's
// own words.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var words strings.Builder
	cmd.Stderr = &words
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(words.String()))
	}
	return strings.TrimSpace(string(text)), err
}
