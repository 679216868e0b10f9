package crash_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// A node is a process of the program.
type node struct {
	name    string
	program string
	args    []string
	base    string // URL of the server
	client  string // URL for etcd's clients
	log     io.Writer

	process  *exec.Cmd
	lifeline io.Closer // the node ends when it is closed, also by the end of this process
}

// start starts the process.
func (n *node) start() (err error) {
	n.process = exec.Command(n.program, n.args...)
	n.process.Stdout, n.process.Stderr = n.log, n.log
	if n.lifeline, err = n.process.StdinPipe(); err != nil {
		return err
	}
	if err := n.process.Start(); err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	return nil
}

// kill kills the process and waits for its end. It must be running.
func (n *node) kill() error {
	if err := n.process.Process.Kill(); err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	n.process.Wait() // the error says that it was killed
	if status, ok := n.process.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		return fmt.Errorf("%s ended before it was killed: %v", n.name, n.process.ProcessState)
	}
	return nil
}

// stop makes the process stop until signal continues it.
func (n *node) stop() error { return n.signal(syscall.SIGSTOP) }

// resume makes a stopped process continue.
func (n *node) resume() error { return n.signal(syscall.SIGCONT) }

func (n *node) signal(s os.Signal) error {
	if err := n.process.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %v: %w", n.name, s, err)
	}
	return nil
}
