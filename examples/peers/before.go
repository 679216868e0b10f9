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

// library is the path of the measured module.
const library = "github.com/gobacklist/backlist"

// startBefore builds this program with the library at an earlier revision and
// starts it. stop ends the process and removes all files.
func startBefore(revision string, args []string, progress io.Writer) (p *partner, stop func(), err error) {
	// An interrupt ends the other process; the next request to it then fails.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := os.MkdirTemp("", "peers-before-")
	if err != nil {
		cancel()
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "before.exe"), append(args, "-follow")...)
	cmd.Stderr = progress
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TMP="+dir) // stop removes its files too
	end := func() {
		cancel()
		if cmd.Process != nil {
			cmd.Wait()
		}
		os.RemoveAll(dir)
	}
	fmt.Fprintf(progress, "building with %s ...\n", revision)
	err = buildBefore(ctx, dir, revision, cmd.Path)
	if err == nil {
		p, err = startPartner(cmd)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return p, end, nil
}

func startPartner(cmd *exec.Cmd) (*partner, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &partner{in: bufio.NewReader(out), out: in}, cmd.Start()
}

// buildBefore builds the program in the current directory with the library at a
// revision. It writes to dir only.
func buildBefore(ctx context.Context, dir, revision, program string) error {
	source, mod := filepath.Join(dir, "source"), filepath.Join(dir, "go.mod")
	if err := extract(ctx, revision, source); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	if _, err := output(ctx, "go", "mod", "edit", "-replace="+library+"="+source, mod); err != nil {
		return err
	}
	_, err := output(ctx, "go", "build", "-mod=mod", "-modfile="+mod, "-o", program, ".")
	return err
}

// extract writes the files of the repository at a revision to a new directory.
func extract(ctx context.Context, revision, dir string) error {
	root, err := output(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	commit, err := output(ctx, "git", "rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return err
	}
	archive := dir + ".zip"
	if _, err := output(ctx, "git", "-C", root, "archive", "-o", archive, commit); err != nil {
		return err
	}
	files, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer files.Close()
	return os.CopyFS(dir, files)
}

// output runs a command and returns its standard output. The error contains its
// standard error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(text)), err
}
