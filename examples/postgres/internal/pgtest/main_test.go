package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// common is the server that the tests share, or nil without PostgreSQL. Tests leave it
// running and empty.
var common *Server

func TestMain(m *testing.M) {
	if state := os.Getenv(helperVariable); state != "" {
		runHelper(state)
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	if _, err := Find(); err != nil {
		return m.Run()
	}
	s, err := Start(Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	common = s
	return m.Run()
}

// helperVariable is the environment variable that makes the test binary start a server
// and wait to be killed.
const helperVariable = "PGTEST_HELPER"

func runHelper(state string) {
	s, err := Start(Options{})
	if err == nil && state == "frozen" {
		err = s.Freeze()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.current.Pid)
	fmt.Println(s.dir)
	io.Copy(io.Discard, os.Stdin) // blocks
}

// setTempDir makes a directory with the given name the temporary directory.
func setTempDir(t *testing.T, name string) string {
	t.Helper()
	base, err := os.MkdirTemp("", "pgtest")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	must(t, os.Chmod(base, 0o755)) // the server has another user if this is root
	dir := filepath.Join(base, name)
	must(t, os.Mkdir(dir, 0o755))
	t.Setenv("TMPDIR", dir)
	return dir
}

// withTimeout returns a context that ends a test that hangs.
func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout) // used in cleanups too
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(withTimeout(t), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// ask returns the single value of a query.
func ask[T any](t *testing.T, s *Server, query string) T {
	t.Helper()
	var answer T
	if err := connect(t, s.DSN("postgres")).QueryRow(withTimeout(t), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v\n%s", query, err, s.Log())
	}
	return answer
}

// started returns the common server and starts it again after the test if necessary.
func started(t *testing.T) *Server {
	t.Helper()
	Require(t)
	t.Cleanup(func() {
		if err := common.Start(); err != nil && !errors.Is(err, ErrRunning) {
			t.Error(err)
		}
		must(t, common.Thaw())
	})
	return common
}

func do(t *testing.T, s *Server, statement string) {
	t.Helper()
	if err := s.exec(withTimeout(t), statement); err != nil {
		t.Fatal(err)
	}
}

// must ends the test if err is not nil.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually polls a condition until it is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for ctx := withTimeout(t); !condition(); {
		select {
		case <-ctx.Done():
			t.Fatalf("not true after %v: %s", timeout, what)
		case <-tick.C:
		}
	}
}
