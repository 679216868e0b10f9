package pgtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServerAnswers(t *testing.T) {
	Require(t)
	if got := ask[int](t, common, "SELECT 1"); got != 1 {
		t.Errorf("SELECT 1 is %d", got)
	}
}

func TestTextIsNotOrderedByBytesUnlessAsked(t *testing.T) {
	Require(t)
	if !ask[bool](t, common, `SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' OR collname LIKE 'en\_%')`) {
		t.Skip("neither ICU nor a locale of English is here")
	}
	if !ask[bool](t, common, "SELECT 'a' < 'B'") {
		t.Error("a comes after B: a forgotten COLLATE would not be seen")
	}
	if ask[bool](t, common, `SELECT 'a' < 'B' COLLATE "C"`) {
		t.Error(`a comes before B in COLLATE "C"`)
	}
}

func TestSettings(t *testing.T) {
	Require(t)
	for name, want := range map[string]string{
		"fsync":               "on", // the default is a server as it is run for real
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
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestLogIsTheEndOfTheLog(t *testing.T) {
	Require(t)
	do(t, common, `DO $$ BEGIN RAISE WARNING 'said first'; FOR i IN 1..200 LOOP RAISE WARNING 'a line that is rather long: %', repeat('.', 60); END LOOP; RAISE WARNING 'said last'; END $$`)
	got := common.Log()
	if !strings.Contains(got, "said last") || strings.Contains(got, "said first") || len(got) > 8<<10 {
		t.Errorf("%d bytes of log:\n%s", len(got), got)
	}
}

func TestStopLeavesNothingBehind(t *testing.T) {
	Require(t)
	for _, c := range []struct {
		name   string
		before func(*Server) error
	}{
		{"of a server that runs", func(*Server) error { return nil }},
		{"of one that was killed: its shared memory goes too", (*Server).Kill},
		{"of one that is frozen and cannot be asked to end", (*Server).Freeze},
		{"of one that was killed and cannot recover", func(s *Server) error {
			return errors.Join(s.Kill(), os.RemoveAll(filepath.Join(s.data(), "pg_wal")))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Start(Options{NoSync: true})
			must(t, err)
			for _, name := range []string{"fsync", "full_page_writes"} {
				if got := ask[string](t, s, "SELECT current_setting('"+name+"')"); got != "off" {
					t.Errorf("%s is %q without syncing", name, got)
				}
			}
			connect(t, s.DSN("postgres"))
			f, err := familyOf(s.current.Pid)
			must(t, err)
			if len(f.children) < 4 {
				t.Fatalf("a server of %d processes: %v", len(f.children)+1, f)
			}
			memory := sharedMemory(t, s.pidFile())

			must(t, c.before(s))
			must(t, s.Stop())
			if left := running(t, append(f.children, f.parent)); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the directory: %v", err)
			}
			if !released(memory) {
				t.Errorf("shared memory %s is left", memory)
			}
			if err := s.Stop(); err != nil {
				t.Errorf("stopped again: %v", err)
			}
			if err := s.Start(); !errors.Is(err, ErrNotRunning) {
				t.Errorf("started after Stop: %v", err)
			}
			if got := s.Log(); got != "" {
				t.Errorf("a log of a server that is gone: %q", got)
			}
		})
	}
}

// sharedMemory is the id of a server's segment, which its lock file tells.
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

// released says that a segment is not there, as far as this system tells.
func released(id string) bool {
	segments, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(segments)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == id {
			return false
		}
	}
	return true
}

// running are those of the processes that have not ended.
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

func TestNewStopsWithItsTest(t *testing.T) {
	Require(t)
	dir := oddTemporaryDirectory(t, `a "b" c's`)
	t.Run("inner", func(t *testing.T) {
		s := New(t)
		if got := ask[int](t, s, "SELECT 3"); got != 3 {
			t.Errorf("SELECT 3 is %d", got)
		}
		if filepath.Dir(s.dir) != dir {
			t.Errorf("the server is in %q", s.dir)
		}
		must(t, s.Shutdown(Fast)) // which it may have done already
	})
	empty(t, dir)
}

func TestDirectoriesInWhichNoSocketCanBe(t *testing.T) {
	Require(t)
	for _, name := range []string{
		"a,b",                      // the comma is between servers in a connection string
		strings.Repeat("long", 25), // a socket's path has a hundred bytes
	} {
		t.Run(name, func(t *testing.T) {
			dir := oddTemporaryDirectory(t, name)
			if _, err := Start(Options{}); err == nil || !strings.Contains(err.Error(), dir) {
				t.Errorf("started: %v", err)
			}
			empty(t, dir)
		})
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v, %v", dir, left, err)
	}
}
