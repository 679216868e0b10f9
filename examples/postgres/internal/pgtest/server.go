package pgtest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Options are how a server is run; the zero value is as it is run for real.
type Options struct {
	// NoSync has the server wait for no disk, for benchmarks of something else: a
	// server that is killed keeps what was committed, a machine that loses power
	// does not. It goes for the server's replicas too.
	NoSync bool
}

// A Server is a PostgreSQL server in a directory of its own. [Server.DSN] and
// [Server.Log] may be called at any time; the methods that start, end, stop and
// continue it by one goroutine at a time, while any number use its databases.
type Server struct {
	options Options
	bin     string
	dir     string
	as      *account
	guard   *guard // nil once the server is gone

	current *postmaster // the last that was started, nil before
	clean   bool        // the last has ended, and left no shared memory behind
}

// New is Start for one test: it skips or fails the test as Require does where there
// is no PostgreSQL, fails it where the server does not start, and stops the server
// when the test has ended, with the end of the server's log if it failed.
func New(tb testing.TB) *Server {
	tb.Helper()
	Require(tb)
	s, err := Start(Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log("the server's log ends:\n" + s.Log())
		}
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Start makes a server and returns it when it accepts connections, a second or two
// later. The caller calls Stop, unless there is an error.
//
// Its directory is made in [os.TempDir], whose path has to be short, 70 bytes at the
// most, for a socket's path is, and open to the user postgres if the caller is root.
func Start(options Options) (*Server, error) {
	s, err := prepare(options)
	if err != nil {
		return nil, err
	}
	if err := s.initdb(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Stop ends the server for good, whatever state it is in: no process of it, no
// directory and no shared memory remains. Nothing is saved, and nobody who is
// connected is waited for. Stopping again does nothing.
func (s *Server) Stop() error {
	if s.guard == nil {
		return nil
	}
	err := s.end()
	err = errors.Join(err, s.guard.dismiss(), os.RemoveAll(s.dir))
	s.guard = nil
	return err
}

// end leaves no process.
func (s *Server) end() error {
	if s.current == nil || s.clean {
		return nil
	}
	if !s.alive() {
		// What a killed server left in shared memory its successor removes before it
		// starts recovery. Where the data is beyond starting, it stays: a few bytes.
		if s.launch() != nil || s.awaitStatus("starting", "ready", "standby") != nil {
			return nil
		}
	}
	if s.Shutdown(Immediate) == nil {
		return nil
	}
	return s.Kill()
}

// DSN is the connection string of one of the server's databases, for pgx and for
// libpq; "postgres" is there from the start. It stays the same for the life of the
// server, through all restarts.
func (s *Server) DSN(database string) string {
	return "host=" + quote(s.dir) + " port=" + port + " user=postgres dbname=" + quote(database) + " sslmode=disable"
}

// quote writes a value of a connection string.
func quote(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// Log is the end of what the server has logged, at most 8 KiB, for the message of a
// test that failed; of a server that is gone, nothing.
func (s *Server) Log() string {
	f, err := os.Open(s.logFile())
	if err != nil {
		return ""
	}
	defer f.Close()
	const tail = 8 << 10
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		f.Seek(-tail, io.SeekEnd)
	}
	text, _ := io.ReadAll(f) // what there is helps
	return string(text)
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }
func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
