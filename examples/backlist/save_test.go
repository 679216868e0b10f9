package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// eventsIn returns the number of events in a file, which must be valid.
func eventsIn(t *testing.T, file string) int {
	t.Helper()
	cat, err := load(t.Context(), config{data: file}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	events, err := cat.Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	return events.Count()
}

// end stops the program and returns its exit code.
func (s *instance) end() int {
	s.stop()
	<-s.done
	return s.code
}

func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "records.json")
	s := startControl(t, "-save", file)
	if got := eventsIn(t, file); got != 3 {
		t.Errorf("%d events at the start, want 3", got)
	}
	post(t, s.base)
	if code := s.end(); code != 0 || eventsIn(t, file) != 4 {
		t.Errorf("exit code %d, %d events, want 4; stderr %s", code, eventsIn(t, file), &s.stderr)
	}

	s = start(t, "-open", "-save", file, "-data", file, "-control", "127.0.0.1:0")
	post(t, s.base)
	ask(t, "POST "+s.control+"/reset/", "")
	post(t, s.base)
	post(t, s.base)
	if code := s.end(); code != 0 || eventsIn(t, file) != 6 {
		t.Errorf("exit code %d, %d events, want 6", code, eventsIn(t, file))
	}
}

// TestSaveFails checks that the program reports that it cannot write the file at the end.
func TestSaveFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, few("-save", filepath.Join(dir, "records.json"))...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 1 || !strings.Contains(s.stderr.String(), dir) || strings.Count(s.stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stderr %q, want 1 and one line", code, &s.stderr)
	}
}

// TestSaveAfterSignal checks that every write that was answered, and that of the request
// that is running, is in the file after SIGTERM or an interrupt, and that SIGKILL leaves the
// file of the start.
func TestSaveAfterSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 24, syscall.SIGINT: 24, syscall.SIGKILL: 3} {
		file := filepath.Join(t.TempDir(), "records.json")
		p, addr, stderr := process(t, few("-save", file)...)
		for range 20 {
			post(t, "http://"+addr)
		}
		request := begin(t, addr)
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if signal != syscall.SIGKILL {
			waitClosed(addr)
			if status := request.end(); status != 201 {
				t.Errorf("the running request got %d, want 201", status)
			}
		}
		if err := p.Wait(); (err == nil) != (signal != syscall.SIGKILL) || stderr.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", signal, err, stderr)
		}
		if got := eventsIn(t, file); got != want {
			t.Errorf("%v: %d events, want %d", signal, got, want)
		}
	}
}
