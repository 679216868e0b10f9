// Package pgtest runs PostgreSQL servers for tests, each in its own temporary directory with
// a Unix socket. A test can shut a server down, start it again, and freeze it.
//
// Each server has a guard, a shell that reads from a pipe whose other end the test process
// holds. When that process ends, even by SIGKILL, the guard stops the server and removes its
// directory.
//
// Text is ordered by the locale en-US of ICU and the time zone is Asia/Kathmandu, so that
// tests detect statements that lack COLLATE "C" or assume UTC. Data is not synced: it survives
// the end of the server, but not a crash of the machine.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A Server is a PostgreSQL server. Its only role is postgres, without a password.
type Server struct {
	bin, dir string
	guard    *exec.Cmd
	pipe     io.Closer // of the guard
}

// Require skips the test if PostgreSQL is not installed. If the environment variable
// BACKLIST_POSTGRES is 1, the test fails instead.
func Require(tb testing.TB) {
	tb.Helper()
	_, err := find()
	switch {
	case err == nil:
	case os.Getenv("BACKLIST_POSTGRES") == "1":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// Installed reports whether PostgreSQL is installed.
func Installed() bool {
	_, err := find()
	return err == nil
}

// find returns the directory of PostgreSQL's programs, which Debian does not put on the PATH.
func find() (bin string, err error) {
	if _, err := exec.LookPath("pkill"); err != nil {
		return "", fmt.Errorf("pgtest: %w (apt-get install procps)", err)
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(initdb), nil
	}
	debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(debian) == 0 {
		return "", errors.Join(errors.New("pgtest: PostgreSQL is not installed (apt-get install postgresql)"), err)
	}
	return debian[len(debian)-1], nil
}

// New starts a server that stops when the test ends. Without PostgreSQL it skips or fails
// the test like [Require]. If the test fails, the server's log is logged.
func New(tb testing.TB) *Server {
	tb.Helper()
	Require(tb)
	s, err := Start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log("log of the server:\n" + s.Log())
		}
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Start starts a server and returns it when it accepts connections. The caller must call
// Stop unless there is an error. If the caller is root, the server runs as the user postgres,
// which must have access to [os.TempDir].
func Start() (s *Server, err error) {
	s = &Server{}
	if s.bin, err = find(); err != nil {
		return nil, err
	}
	dir, err := s.run("mktemp", "-d", "-t", "pgtest.XXXXXX")
	if err != nil {
		return nil, err
	}
	s.dir = strings.TrimSpace(dir)
	if err := s.startGuard(); err != nil {
		return nil, errors.Join(err, os.Remove(s.dir))
	}
	_, err = s.run("initdb", "--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US", "--locale=C",
		"--username=postgres", "--auth=trust", "--no-sync", "--no-instructions", "--pgdata="+s.data())
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// signal is a script that sends a signal to the server's main process, which then starts no
// more processes, and to its other processes.
const signal = `pid=$(head -n 1 "$1/data/postmaster.pid") && kill -$2 $pid && { pkill -$2 -P $pid || true; }`

func (s *Server) startGuard() (err error) {
	const script = "trap '' INT HUP TERM; read -r _; set -- \"$1\" CONT; " + signal +
		`; pg_ctl stop --silent --mode=immediate --pgdata="$1/data"; rm -rf "$1"`
	s.guard = s.command(context.Background(), "sh", "-c", script, "pgtest", s.dir)
	if s.pipe, err = s.guard.StdinPipe(); err != nil {
		return err
	}
	return s.guard.Start()
}

// Stop ends the server in any state and removes its directory.
func (s *Server) Stop() error {
	s.pipe.Close()
	return s.guard.Wait()
}

// Start starts a server that was shut down, with the same data and the same socket. It
// returns when the server accepts connections.
func (s *Server) Start() error {
	settings := "-k " + s.dir
	for _, setting := range []string{
		"listen_addresses=''",
		"fsync=off",
		"full_page_writes=off",
		"shared_buffers=64MB",
		"max_connections=60",
		"timezone=Asia/Kathmandu",
	} {
		settings += " -c " + setting
	}
	_, err := s.run("pg_ctl", "start", "--wait", "--silent", "--pgdata="+s.data(), "--log="+s.logFile(), "--options="+settings)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, s.Log())
	}
	return nil
}

// Shutdown shuts the server down and returns when it has ended. The mode fast closes all
// connections and writes all data. The mode immediate is like a crash: the next start recovers
// from the write-ahead log.
func (s *Server) Shutdown(mode string) error {
	_, err := s.run("pg_ctl", "stop", "--wait", "--silent", "--pgdata="+s.data(), "--mode="+mode)
	return err
}

// Kill ends all processes of the server by SIGKILL. The main process is stopped first, so that it
// starts no more. The next start recovers from the write-ahead log.
func (s *Server) Kill() error {
	const script = `pid=$(head -n 1 "$1/data/postmaster.pid") && kill -STOP $pid && { pkill -KILL -P $pid || true; } && kill -KILL $pid`
	_, err := s.run("sh", "-c", script, "pgtest", s.dir)
	for err == nil && s.Running() {
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// Running reports whether the server runs.
func (s *Server) Running() bool {
	_, err := s.run("pg_ctl", "status", "--pgdata="+s.data())
	return err == nil
}

// Freeze suspends the server until Thaw, like a machine that hangs: connections stay open,
// but nothing is answered.
func (s *Server) Freeze() error { return s.signal("STOP") }

// Thaw resumes a frozen server. It has no effect on a server that runs.
func (s *Server) Thaw() error { return s.signal("CONT") }

func (s *Server) signal(name string) error {
	_, err := s.run("sh", "-c", signal, "pgtest", s.dir, name)
	return err
}

// DSN returns the connection string of a database. The database postgres always exists.
func (s *Server) DSN(database string) string {
	return "host=" + s.dir + " user=postgres dbname=" + database + " sslmode=disable"
}

// Dir returns the directory of the server's socket, the host of libpq.
func (s *Server) Dir() string { return s.dir }

// Programs returns the directory of PostgreSQL's programs.
func (s *Server) Programs() string { return s.bin }

// Log returns the log of the server, or "" after Stop.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.logFile())
	return string(text)
}

func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// run runs a program and returns its output.
func (s *Server) run(program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := s.command(ctx, program, args...)
	cmd.WaitDelay = time.Second
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pgtest: %s: %w\n%s", program, err, output)
	}
	return string(output), nil
}

// command returns a command with an environment without variables that affect PostgreSQL,
// which refuses to run as root.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	command := []string{"env", "-i", "PATH=" + s.bin + ":" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "LC_ALL=C", program}
	if os.Getuid() == 0 {
		command = append([]string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}, command...)
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], args...)...)
	cmd.Dir = "/"
	return cmd
}
