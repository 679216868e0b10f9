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

// common is the server of the tests that leave it running with nothing of theirs; nil
// where there is no PostgreSQL. Making one takes a second.
var common *Server

func TestMain(m *testing.M) {
	if how := os.Getenv(helping); how != "" {
		help(how)
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

// helping is the variable of the environment that makes this program one that starts
// a server and waits to be killed.
const helping = "PGTEST_HELPER"

func help(how string) {
	s, err := Start(Options{})
	if err == nil && how == "frozen" {
		err = s.Freeze()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.current.Pid)
	fmt.Println(s.dir)
	io.Copy(io.Discard, os.Stdin) // which nobody closes
}

// oddTemporaryDirectory lets what the test starts be in a directory of that name.
func oddTemporaryDirectory(t *testing.T, name string) string {
	t.Helper()
	base, err := os.MkdirTemp("", "pgtest")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	must(t, os.Chmod(base, 0o755)) // the server is another user's, if we are root
	dir := filepath.Join(base, name)
	must(t, os.Mkdir(dir, 0o755))
	t.Setenv("TMPDIR", dir)
	return dir
}

// soon bounds what is expected to happen, so that a test that would wait for ever fails.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // cleanups use it too
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(soon(t), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// ask returns the one value a query answers.
func ask[T any](t *testing.T, s *Server, query string) T {
	t.Helper()
	var answer T
	if err := connect(t, s.DSN("postgres")).QueryRow(soon(t), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v\n%s", query, err, s.Log())
	}
	return answer
}

// started has the common server running again whatever becomes of the test.
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
	if err := s.exec(soon(t), statement); err != nil {
		t.Fatal(err)
	}
}

// must is for calls that are not what the test is about.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	look := time.NewTicker(pause)
	defer look.Stop()
	for ctx := soon(t); !yes(); {
		select {
		case <-ctx.Done():
			t.Fatalf("not so after %v: %s", patience, what)
		case <-look.C:
		}
	}
}
