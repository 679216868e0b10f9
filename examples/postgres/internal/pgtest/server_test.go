package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

func TestDatabases(t *testing.T) {
	Require(t)
	const name, copied = `a "b"; 'c' \d`, `Copy, of=it`
	must(t, common.CreateDatabase(withTimeout(t), name, ""))
	conn := connect(t, common.DSN(name))
	if _, err := conn.Exec(withTimeout(t), "CREATE TABLE t AS SELECT 7 AS n"); err != nil {
		t.Fatal(err)
	}
	var taken *pgconn.PgError
	if err := common.CreateDatabase(withTimeout(t), name, ""); !errors.As(err, &taken) || taken.Code != "42P04" {
		t.Errorf("CreateDatabase with a name in use = %v", err)
	}
	must(t, conn.Close(withTimeout(t)))

	must(t, common.CreateDatabase(withTimeout(t), copied, name))
	var n int
	if err := connect(t, common.DSN(copied)).QueryRow(withTimeout(t), "SELECT n FROM t").Scan(&n); err != nil || n != 7 {
		t.Errorf("n in the copy = %d, %v; want 7", n, err)
	}
	for _, drop := range []string{name, copied /* has a connection */, "unknown"} {
		must(t, common.DropDatabase(withTimeout(t), drop))
	}
	if got := ask[int](t, common, "SELECT count(*) FROM pg_database WHERE NOT datistemplate"); got != 1 {
		t.Errorf("%d databases, want postgres alone", got)
	}
}

func TestReplica(t *testing.T) {
	s := started(t)
	do(t, s, "CREATE TABLE rows (n int)")
	t.Cleanup(func() { do(t, s, "DROP TABLE rows") })
	setTempDir(t, `a "b" c's`)
	r, err := s.Replica()
	must(t, err)
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	if !ask[bool](t, r, "SELECT pg_is_in_recovery()") || ask[bool](t, s, "SELECT pg_is_in_recovery()") {
		t.Fatal("wrong result of pg_is_in_recovery()")
	}
	rows := 0
	insert := func() {
		t.Helper()
		do(t, s, "INSERT INTO rows VALUES (1)")
		rows++
	}
	await := func() {
		t.Helper()
		eventually(t, fmt.Sprintf("the replica has %d rows", rows), func() bool {
			return ask[int](t, r, "SELECT count(*) FROM rows") == rows
		})
	}

	t.Run("streams", func(t *testing.T) {
		insert()
		await()
	})
	t.Run("lags while it is paused", func(t *testing.T) {
		must(t, r.PauseReplay())
		insert()
		// Wait until the replica has received the row.
		written := ask[string](t, s, "SELECT pg_current_wal_flush_lsn()::text")
		eventually(t, "the replica received the row", func() bool {
			return ask[bool](t, r, "SELECT pg_last_wal_receive_lsn() >= '"+written+"'")
		})
		if got := ask[int](t, r, "SELECT count(*) FROM rows"); got != rows-1 {
			t.Errorf("rows of a paused replica = %d, want %d", got, rows-1)
		}
		must(t, r.ResumeReplay())
		await()
		must(t, r.ResumeReplay()) // not paused
	})
	t.Run("catches up after it was killed", func(t *testing.T) {
		must(t, r.Kill())
		insert()
		must(t, r.Start())
		await()
	})
	t.Run("reconnects to its primary", func(t *testing.T) {
		must(t, s.Kill())
		if got := ask[int](t, r, "SELECT count(*) FROM rows"); got != rows {
			t.Errorf("rows without the primary = %d, want %d", got, rows)
		}
		must(t, s.Start())
		insert()
		await()
	})
	t.Run("has a replica", func(t *testing.T) {
		second, err := r.Replica()
		must(t, err)
		insert()
		eventually(t, "the replica's replica has all rows", func() bool {
			return ask[int](t, second, "SELECT count(*) FROM rows") == rows
		})
		must(t, second.Stop())
	})
	t.Run("primary cannot be paused", func(t *testing.T) {
		if s.PauseReplay() == nil || s.ResumeReplay() == nil {
			t.Error("PauseReplay or ResumeReplay of a primary = nil, want an error")
		}
	})
}

func TestCommittedRowsAfterRestart(t *testing.T) {
	s := started(t)
	do(t, s, "CREATE TABLE kept (n int)")
	t.Cleanup(func() { do(t, s, "DROP TABLE kept") })
	for i, c := range []struct {
		name string
		end  func() error
	}{
		{"kill", s.Kill},
		{"kill of a frozen server", func() error { return errors.Join(s.Freeze(), s.Kill()) }},
		{"fast shutdown", func() error { return s.Shutdown(Fast) }},
		{"immediate shutdown of a frozen server", func() error { return errors.Join(s.Freeze(), s.Shutdown(Immediate)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			do(t, s, "INSERT INTO kept VALUES (1)")
			client := connect(t, s.DSN("postgres"))
			f, err := familyOf(s.current.Pid)
			must(t, err)

			must(t, c.end())
			if left := running(t, append(f.children, f.parent)); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			if err := client.Ping(withTimeout(t)); err == nil {
				t.Error("the connection is still open")
			}
			must(t, s.Start())
			if got := ask[int](t, s, "SELECT count(*) FROM kept"); got != i+1 {
				t.Errorf("%d rows, want %d", got, i+1)
			}
		})
	}
}

func TestKill(t *testing.T) {
	s := started(t)
	// A backend that computes would not notice the end of its postmaster.
	busy := connect(t, s.DSN("postgres"))
	backend := process{id: int(busy.PgConn().PID()), parent: s.current.Pid}
	result := make(chan error, 1)
	go func() {
		_, err := busy.Exec(context.Background(), "DO 'BEGIN LOOP END LOOP; END'")
		result <- err
	}()
	eventually(t, "the client computes", func() bool {
		return ask[bool](t, s, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %')")
	})
	must(t, s.Kill())
	if left := running(t, []process{backend}); len(left) > 0 {
		t.Errorf("the client's process is left: %v", left)
		must(t, signal(left, os.Kill))
	}
	if err := <-result; err == nil {
		t.Error("the statement has succeeded")
	}
	must(t, s.Start())
	if log := s.Log(); !strings.Contains(log, "not properly shut down") {
		t.Errorf("no recovery in the log:\n%s", log)
	}
}

func TestStartWithStaleLockFile(t *testing.T) {
	s := started(t)
	stale, err := os.ReadFile(s.pidFile())
	must(t, err)
	must(t, s.Kill())
	other := exec.Command("sleep", "600")
	s.configure(other)
	must(t, other.Start())
	t.Cleanup(func() { other.Process.Kill(); other.Wait() })
	// Another process of the server's user has the id now.
	_, rest, _ := strings.Cut(string(stale), "\n")
	must(t, os.WriteFile(s.pidFile(), []byte(strconv.Itoa(other.Process.Pid)+"\n"+rest), 0o600))
	must(t, s.Start())
	if got := ask[int](t, s, "SELECT 1"); got != 1 {
		t.Errorf("SELECT 1 = %d", got)
	}
}

func TestFreezeAndThaw(t *testing.T) {
	s := started(t)
	held := connect(t, s.DSN("postgres"))
	must(t, s.Freeze())

	// No answer can come, so the deadline may be short.
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := held.Ping(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Ping on an open connection = %v, want a timeout", err)
	}
	short, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := pgx.Connect(short, s.DSN("postgres")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Connect = %v, want a timeout", err)
	}

	must(t, s.Thaw())
	if got := ask[int](t, s, "SELECT 1"); got != 1 {
		t.Errorf("SELECT 1 = %d", got)
	}
	must(t, s.Thaw()) // not frozen
}

func TestInvalidState(t *testing.T) {
	s := started(t)
	if err := s.Start(); !errors.Is(err, ErrRunning) {
		t.Errorf("Start of a running server = %v, want %v", err, ErrRunning)
	}
	if err := s.Shutdown(Immediate + 1); err == nil || !s.alive() {
		t.Errorf("Shutdown with an invalid mode = %v", err)
	}
	must(t, s.Kill())
	for name, call := range map[string]func() error{
		"Kill":     s.Kill,
		"Shutdown": func() error { return s.Shutdown(Fast) },
		"Freeze":   s.Freeze,
		"Thaw":     s.Thaw,
		"Replica":  func() error { _, err := s.Replica(); return err },
	} {
		if err := call(); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s = %v, want %v", name, err, ErrNotRunning)
		}
	}
}

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
