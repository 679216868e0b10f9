package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// eventsIn returns the number of events in a file, which must be valid.
func eventsIn(t *testing.T, file string) int {
	t.Helper()
	house := mustNew()
	if err := house.LoadFile(file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return mustIn(resources.Events, house).Count()
}

// wait waits until what returns a text that contains the wanted one.
func wait(t *testing.T, what func() string, want string) {
	t.Helper()
	var got string
	for range 3000 { // half a minute: only a failure takes this long
		if got = what(); strings.Contains(got, want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q, want %q", got, want)
}

// end stops the program and returns its exit code.
func (s *server) end() int {
	s.stop()
	<-s.done
	return s.code
}

func TestSaveAtEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	args := []string{"-open", "-save", file, "-save-every", "0"}
	s := start(t, args...)
	post(t, s.base, "")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file exists before the end")
	}
	if code := s.end(); code != 0 || eventsIn(t, file) != 301 {
		t.Errorf("exit code %d, %d events, want 301; stderr %s", code, eventsIn(t, file), &s.stderr)
	}

	s = start(t, append(args, "-data", file)...)
	post(t, s.base, "")
	if code := s.end(); code != 0 || eventsIn(t, file) != 302 {
		t.Errorf("exit code %d, %d events, want 302", code, eventsIn(t, file))
	}
}

// TestSaveUnchanged checks that a file that was loaded is not written again without a change.
func TestSaveUnchanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	const content = `{ "books": [ {"id": 1} ] }`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "-data", file, "-save", file, "-save-every", "1ms")
	get(t, s.base+"/api/books/")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != content {
		t.Errorf("the file has %s, %v", got, err)
	}
}

func TestSaveAtIntervals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	s := startControl(t, "-save", file, "-save-every", "1ms")
	saved := func() string {
		text, _ := os.ReadFile(file)
		return string(text)
	}
	post(t, s.base, "")
	wait(t, saved, `"slug":"reading"`)
	ask(t, "POST "+s.control+"/houses/main/reset/", "")
	for strings.Contains(saved(), `"slug":"reading"`) { // until the reset is saved
		if s.stderr.Len() > 0 {
			t.Fatal(s.stderr.String())
		}
	}
	h := fork(t, s, "a")
	ask(t, "POST "+h.URL+"/api/events/", event)
	if code := s.end(); code != 0 || eventsIn(t, file) != 3 {
		t.Errorf("exit code %d, %d events, want the 3 of the main house", code, eventsIn(t, file))
	}
}

// TestSaveFails checks that a file stays if the program cannot replace it, that this is
// reported, and that a later attempt succeeds.
func TestSaveFails(t *testing.T) {
	if os.Getuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("needs a directory that cannot be written to")
	}
	dir := filepath.Join(t.TempDir(), "saved")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "house.json")
	s := start(t, "-open", "-save", file, "-save-every", "5ms")
	wait(t, func() string { _, err := os.Stat(file); return map[bool]string{true: "saved"}[err == nil] }, "saved")
	// A directory that was moved away is missing, for every user.
	if err := os.Rename(dir, dir+"~"); err != nil {
		t.Fatal(err)
	}
	post(t, s.base, "")
	wait(t, s.stderr.String, "backlist: ")
	if text := s.stderr.String(); !strings.Contains(text, "-save: ") || !strings.Contains(text, dir) {
		t.Errorf("message %s", text)
	}
	if got := eventsIn(t, filepath.Join(dir+"~", "house.json")); got != 300 {
		t.Errorf("%d events in the old file, want 300", got)
	}
	if err := os.Rename(dir+"~", dir); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 0 || eventsIn(t, file) != 301 {
		t.Errorf("exit code %d, %d events, want 301", code, eventsIn(t, file))
	}

	s = start(t, "-open", "-data", file, "-save", file)
	post(t, s.base, "")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 1 || !strings.Contains(s.stderr.String(), "-save: ") || strings.Count(s.stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stderr %q, want 1 and one line", code, &s.stderr)
	}
}

// TestKilledWhileSaving checks that every write that was answered before SIGTERM is in the
// file, and that after SIGKILL the file is one that was saved.
func TestKilledWhileSaving(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	runs := 3
	if testing.Short() {
		runs = 1
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for run := range runs {
			dir := t.TempDir()
			file := filepath.Join(dir, "house.json")
			p, addr, stderr := process(t, few("-save", file, "-save-every", "1ms")...)
			answered := 0
			for range 20 * (run + 1) {
				if post(t, "http://"+addr, "") == 201 {
					answered++
				}
			}
			if signal == syscall.SIGKILL {
				wait(t, func() string { _, err := os.Stat(file); return map[bool]string{true: "saved"}[err == nil] }, "saved")
			}
			if err := p.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := p.Wait()
			events := eventsIn(t, file)
			if signal == syscall.SIGTERM && (err != nil || events != 3+answered || stderr.Len() > 0) {
				t.Errorf("SIGTERM: %v, %d events, want %d; stderr %q", err, events, 3+answered, stderr)
			}
			if events < 3 || events > 3+answered {
				t.Errorf("%v: %d events, want 3 to %d", signal, events, 3+answered)
			}
			files, err := os.ReadDir(dir)
			if err != nil || !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == "house.json" }) {
				t.Errorf("%v: files %v, %v", signal, files, err)
			}
			for _, f := range files {
				if f.Name() != "house.json" && (signal == syscall.SIGTERM || !strings.HasPrefix(f.Name(), ".backlist-")) {
					t.Errorf("%v: the program left %s", signal, f.Name())
				}
			}
		}
	}
}

// TestSaveLastRequest checks that the write of a request that ends after the signal is saved,
// and that the program does not wait for it to save those before.
func TestSaveLastRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	s := start(t, few("-open", "-save", file, "-save-every", "0")...)
	if got := post(t, s.base, ""); got != 201 {
		t.Fatalf("POST: %d", got)
	}
	request := begin(t, s.addr)
	s.stop()
	wait(t, func() string { _, err := os.Stat(file); return map[bool]string{true: "saved"}[err == nil] }, "saved")
	if got := eventsIn(t, file); got != 4 {
		t.Errorf("%d events before the request has ended, want 4", got)
	}
	if got := request.end(); got != 201 {
		t.Errorf("the running request got %d, want 201", got)
	}
	if code := s.end(); code != 0 || eventsIn(t, file) != 5 {
		t.Errorf("exit code %d, %d events, want 5", code, eventsIn(t, file))
	}
}
