package pgtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	Require(t)
	if got := ask[int](t, common, "SELECT 1"); got != 1 {
		t.Errorf("SELECT 1 = %d", got)
	}
}

func TestOrderOfText(t *testing.T) {
	Require(t)
	if !ask[bool](t, common, `SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' OR collname LIKE 'en\_%')`) {
		t.Skip("neither ICU nor an English locale is available")
	}
	if !ask[bool](t, common, "SELECT 'a' < 'B'") {
		t.Error("a comes after B without COLLATE")
	}
	if ask[bool](t, common, `SELECT 'a' < 'B' COLLATE "C"`) {
		t.Error(`a comes before B in COLLATE "C"`)
	}
}

func TestSettings(t *testing.T) {
	Require(t)
	for name, want := range map[string]string{
		"fsync":               "on",
		"listen_addresses":    "",
		"max_connections":     "60",
		"shared_buffers":      "64MB",
		"wal_level":           "replica",
		"server_encoding":     "UTF8",
		"timezone":            "Asia/Kathmandu",
		"full_page_writes":    "on",
		"synchronous_commit":  "on",
		"max_wal_senders":     "4",
		"data_directory_mode": "0700",
	} {
		if got := ask[string](t, common, "SELECT current_setting('"+name+"')"); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestLog(t *testing.T) {
	Require(t)
	do(t, common, `DO $$ BEGIN RAISE WARNING 'first line'; FOR i IN 1..200 LOOP RAISE WARNING 'a line that is rather long: %', repeat('.', 60); END LOOP; RAISE WARNING 'last line'; END $$`)
	got := common.Log()
	if !strings.Contains(got, "last line") || strings.Contains(got, "first line") || len(got) > 8<<10 {
		t.Errorf("%d bytes of log:\n%s", len(got), got)
	}
}

func TestStop(t *testing.T) {
	Require(t)
	for _, c := range []struct {
		name   string
		before func(*Server) error
	}{
		{"running", func(*Server) error { return nil }},
		{"killed", (*Server).Kill},
		{"frozen", (*Server).Freeze},
		{"killed and cannot recover", func(s *Server) error {
			return errors.Join(s.Kill(), os.RemoveAll(filepath.Join(s.data(), "pg_wal")))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Start(Options{NoSync: true})
			must(t, err)
			for _, name := range []string{"fsync", "full_page_writes"} {
				if got := ask[string](t, s, "SELECT current_setting('"+name+"')"); got != "off" {
					t.Errorf("%s = %q, want off", name, got)
				}
			}
			connect(t, s.DSN("postgres"))
			f, err := familyOf(s.current.Pid)
			must(t, err)
			if len(f.children) < 4 {
				t.Fatalf("%d processes, want at least 5: %v", len(f.children)+1, f)
			}
			memory := sharedMemory(t, s.pidFile())

			must(t, c.before(s))
			must(t, s.Stop())
			if left := running(t, append(f.children, f.parent)); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("Stat of the directory = %v", err)
			}
			if !released(memory) {
				t.Errorf("shared memory %s is left", memory)
			}
			if err := s.Stop(); err != nil {
				t.Errorf("second Stop = %v", err)
			}
			if err := s.Start(); !errors.Is(err, ErrNotRunning) {
				t.Errorf("Start after Stop = %v, want %v", err, ErrNotRunning)
			}
			if got := s.Log(); got != "" {
				t.Errorf("Log after Stop = %q", got)
			}
		})
	}
}

// sharedMemory returns the id of a server's shared memory, from its lock file.
func sharedMemory(t *testing.T, pidFile string) string {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	must(t, err)
	fields := strings.Fields(strings.Split(string(text), "\n")[6])
	if len(fields) != 2 {
		t.Fatalf("no segment in %q", text)
	}
	return fields[1]
}

// released reports whether shared memory does not exist, or the system does not tell.
func released(id string) bool {
	segments, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(segments)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == id {
			return false
		}
	}
	return true
}

// running returns the processes that have not ended.
func running(t *testing.T, processes []process) (left []process) {
	t.Helper()
	all, err := table()
	must(t, err)
	for _, p := range processes {
		for _, now := range all {
			if now.id == p.id && now.state != 'Z' && (now.parent == p.parent || now.parent == 1) {
				left = append(left, now)
			}
		}
	}
	return left
}

func TestNewStopsAfterTest(t *testing.T) {
	Require(t)
	dir := setTempDir(t, `a "b" c's`)
	t.Run("inner", func(t *testing.T) {
		s := New(t)
		if got := ask[int](t, s, "SELECT 3"); got != 3 {
			t.Errorf("SELECT 3 = %d", got)
		}
		if filepath.Dir(s.dir) != dir {
			t.Errorf("directory = %q, want one in %q", s.dir, dir)
		}
		must(t, s.Shutdown(Fast)) // Stop also works afterwards
	})
	checkEmpty(t, dir)
}

func TestInvalidDirectories(t *testing.T) {
	Require(t)
	for _, name := range []string{
		"a,b",                      // a comma separates servers in a connection string
		strings.Repeat("long", 25), // too long for the path of a socket
	} {
		t.Run(name, func(t *testing.T) {
			dir := setTempDir(t, name)
			if _, err := Start(Options{}); err == nil || !strings.Contains(err.Error(), dir) {
				t.Errorf("Start = %v, want an error with %s", err, dir)
			}
			checkEmpty(t, dir)
		})
	}
}

// checkEmpty checks that a directory has no files.
func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files in %s: %v, %v", dir, left, err)
	}
}
