package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A process is a line of the process table. The children of a postmaster have their
// own process groups, so they are found by their parent.
type process struct {
	id, parent int
	state      byte // as ps prints it: T is stopped, Z is a zombie
}

// table returns all processes. It uses ps, which is part of POSIX, unlike /proc.
func table() ([]process, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "stat=").Output()
	if err != nil {
		return nil, fmt.Errorf("pgtest: ps (of procps): %w", err)
	}
	var all []process
	for line := range bytes.Lines(out) {
		var p process
		var state string
		if _, err := fmt.Sscan(string(line), &p.id, &p.parent, &state); err != nil {
			return nil, fmt.Errorf("pgtest: ps printed %q: %w", line, err)
		}
		p.state = state[0]
		all = append(all, p)
	}
	return all, nil
}

// family is a postmaster with its children. parent.id is 0 if there is no postmaster.
type family struct {
	parent   process
	children []process
}

func familyOf(postmaster int) (family, error) {
	var f family
	all, err := table()
	for _, p := range all {
		switch {
		case p.id == postmaster:
			f.parent = p
		case p.parent == postmaster:
			f.children = append(f.children, p)
		}
	}
	return f, err
}

// await polls the family until wanted returns true.
func await(postmaster int, wanted func(family) bool) (family, error) {
	for deadline := time.Now().Add(timeout); ; {
		f, err := familyOf(postmaster)
		if err != nil || wanted(f) {
			return f, err
		}
		if time.Now().After(deadline) {
			return f, fmt.Errorf("pgtest: processes of the server after %v: %v", timeout, f)
		}
		time.Sleep(pause)
	}
}

// halt suspends the postmaster, so that it starts no more children, and returns its
// children, which are not suspended.
func halt(postmaster *os.Process) (family, error) {
	if err := postmaster.Signal(sigStop); err != nil {
		return family{}, err
	}
	return await(postmaster.Pid, func(f family) bool { return f.parent.state != 0 && slices.Contains([]byte("TtZ"), f.parent.state) })
}

// signal sends a signal to processes. It ignores those that have ended.
func signal(processes []process, s os.Signal) error {
	var failed []error
	for _, p := range processes {
		found, err := os.FindProcess(p.id)
		if err == nil {
			err = found.Signal(s)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func allIn(processes []process, states string) bool {
	return !slices.ContainsFunc(processes, func(p process) bool { return !bytes.ContainsRune([]byte(states), rune(p.state)) })
}

// guardScript reads lines with the id of the postmaster that was started, or an empty
// line when it has ended. The input ends with the test process or when Stop is called.
// The script then shuts the server down immediately, which lets PostgreSQL remove its
// shared memory, and kills a postmaster that has not ended after ten seconds.
const guardScript = `
postmaster=
while read -r line; do postmaster=$line; done
if [ -n "$postmaster" ]; then
	children=$(ps -A -o pid= -o ppid= | while read -r id parent; do
		if [ "$parent" = "$postmaster" ]; then echo "$id"; fi
	done)
	kill -QUIT $postmaster
	kill -CONT $postmaster $children
	waited=0
	while kill -0 $postmaster && [ $waited -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
	if [ $waited -eq 100 ]; then kill -KILL $postmaster; fi
fi
rm -rf -- "$1"
`

// A guard is a process that cleans up when the test process has ended.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser // closed by the kernel if the process is killed
}

func newGuard(dir string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "pgtest", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = apart(nil)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("pgtest: guard: %w", err)
	}
	return &guard{cmd, pipe}, nil
}

// started and ended tell the guard which postmaster to stop. Errors are ignored,
// since the server also works without a guard.
func (g *guard) started(postmaster int) { fmt.Fprintln(g.pipe, postmaster) }
func (g *guard) ended()                 { fmt.Fprintln(g.pipe) }

// dismiss makes the guard remove the directory and waits for it.
func (g *guard) dismiss() error {
	g.pipe.Close()
	return g.cmd.Wait()
}
