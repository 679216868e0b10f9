package pgtest

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestServerEndsWithItsProcess(t *testing.T) {
	Require(t)
	for _, state := range []string{"running", "frozen"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), helperVariable+"="+state)
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe()
			must(t, err)
			defer stdin.Close()
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			lines := bufio.NewScanner(out)
			lines.Scan()
			pid, err := strconv.Atoi(lines.Text())
			if err != nil {
				cmd.Wait()
				t.Fatal(err)
			}
			lines.Scan()
			dir := lines.Text()
			f, err := familyOf(pid)
			must(t, err)
			if stopped := strings.ContainsRune("Tt", rune(f.parent.state)); stopped != (state == "frozen") || len(f.children) == 0 {
				t.Errorf("processes before = %v", f)
			}
			memory := sharedMemory(t, filepath.Join(dir, "data", "postmaster.pid"))

			must(t, cmd.Process.Kill())
			cmd.Wait()
			eventually(t, "the processes have ended", func() bool { return len(running(t, append(f.children, f.parent))) == 0 })
			eventually(t, "the directory is gone", func() bool { _, err := os.Stat(dir); return errors.Is(err, os.ErrNotExist) })
			if !released(memory) {
				t.Errorf("shared memory %s is left", memory)
			}
		})
	}
}
