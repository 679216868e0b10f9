package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A process is one line of the process table. The children of a postmaster each have
// a process group of their own, so that a signal to its group would reach none of
// them: they are found by their parent.
type process struct {
	id, parent int
	state      byte // as ps writes it: T is stopped, Z has ended and waits to be asked for
}

// table asks ps, which POSIX has everywhere, where /proc is of Linux.
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

// family is a postmaster and its children; parent.id is 0 where there is none.
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

// await asks for the family until it is as wanted.
func await(postmaster int, wanted func(family) bool) (family, error) {
	for deadline := time.Now().Add(patience); ; {
		f, err := familyOf(postmaster)
		if err != nil || wanted(f) {
			return f, err
		}
		if time.Now().After(deadline) {
			return f, fmt.Errorf("pgtest: processes of the server after %v: %v", patience, f)
		}
		time.Sleep(pause)
	}
}

// halt stops the postmaster, so that it starts no more children, and returns those
// it has. They run on.
func halt(postmaster *os.Process) (family, error) {
	if err := postmaster.Signal(sigStop); err != nil {
		return family{}, err
	}
	return await(postmaster.Pid, func(f family) bool { return f.parent.state != 0 && slices.Contains([]byte("TtZ"), f.parent.state) })
}

// signal sends a signal to all of them. One that has ended since has no use for it.
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
