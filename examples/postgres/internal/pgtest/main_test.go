package pgtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// common is the server of the tests that leave it as they found it; nil where there is
// no PostgreSQL.
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

// soon bounds what is expected to happen, so that a test that would wait for ever fails.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
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
