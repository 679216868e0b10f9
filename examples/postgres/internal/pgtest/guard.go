package pgtest

import (
	"fmt"
	"io"
	"os/exec"
)

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
