package pgtest

import (
	"fmt"
	"io"
	"os/exec"
)

// guarding is told on its standard input, a line each, the id of the postmaster when
// one is started, and nothing when it has ended. The end of the input is the end of
// the test process, or Stop. Immediate shutdown lets PostgreSQL remove its shared
// memory; a postmaster that does not come to it is killed, which it does to its
// children by itself after five seconds.
const guarding = `
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

// A guard outlives the test process by as long as it takes to clean up after it.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser // closed by the kernel at the latest
}

func newGuard(dir string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guarding, "pgtest", dir)
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

// started and ended say which postmaster there is to stop. A guard that somebody
// killed is not told: the server itself works without.
func (g *guard) started(postmaster int) { fmt.Fprintln(g.pipe, postmaster) }
func (g *guard) ended()                 { fmt.Fprintln(g.pipe) }

// dismiss has it remove the directory, and waits.
func (g *guard) dismiss() error {
	g.pipe.Close()
	return g.cmd.Wait()
}
