package main

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThree starts three nodes, kills one, and ends them.
func TestThree(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("BACKLIST_ETCD_TEST_NODE", "1")
	three := start(t, "-three", "-addr", "127.0.0.1:0", "-open")
	nodes := three.stdout.find(t, servingAt, 3)
	processes := three.stdout.find(t, `is process (\d+)`, 3)
	for i := range nodes {
		checkEvent(t, "L"+strconv.Itoa(i), nodes[i], nodes...)
	}
	killed, err := strconv.Atoi(processes[1])
	must(t, err)
	must(t, syscall.Kill(killed, syscall.SIGKILL))
	processes = three.stdout.find(t, `is process (\d+)`, 4)
	three.stdout.find(t, servingAt, 4)
	for i := range nodes {
		checkEvent(t, "K"+strconv.Itoa(i), nodes[i], nodes...)
	}
	three.end(t)
	for _, text := range processes {
		pid, err := strconv.Atoi(text)
		must(t, err)
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("process %d after the end: %v, want %v", pid, err, syscall.ESRCH)
		}
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string(nil), names); diff != "" {
		t.Errorf("files after the end: -want +got\n%s", diff)
	}
}
