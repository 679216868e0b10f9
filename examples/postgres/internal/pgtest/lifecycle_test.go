package pgtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

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
