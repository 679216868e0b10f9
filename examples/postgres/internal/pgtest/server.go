package pgtest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Options configures a server. The zero value is ready to use: data is synced to disk.
type Options struct {
	// NoSync disables syncing to disk, also for replicas. Committed data survives the
	// end of the server but not that of the machine.
	NoSync bool
}

// A Server is a PostgreSQL server in a temporary directory. [Server.DSN] and
// [Server.Log] are safe for concurrent use. Other methods must not be called
// concurrently.
type Server struct {
	options Options
	bin     string
	dir     string
	as      *account
	guard   *guard // nil after Stop

	current *postmaster // the last that was started; nil at first
	clean   bool        // whether current has ended without leaving shared memory
}

// New starts a server that stops when the test ends. Without PostgreSQL it skips or
// fails the test like [Require]. It fails the test if the server does not start. If
// the test fails, the end of the server's log is logged.
func New(tb testing.TB) *Server {
	tb.Helper()
	Require(tb)
	s, err := Start(Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log("end of the server's log:\n" + s.Log())
		}
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Start starts a server and returns it when it accepts connections, which takes a
// second or two. The caller must call Stop unless there is an error.
//
// The directory of the server is in [os.TempDir], whose path may have at most 70
// bytes, because the path of a socket is limited. If the caller is root, the user
// postgres must have access to it.
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

// Stop ends the server in any state and removes its processes, its directory and its
// shared memory. It does not wait for clients. A second call has no effect.
func (s *Server) Stop() error {
	if s.guard == nil {
		return nil
	}
	err := s.end()
	err = errors.Join(err, s.guard.dismiss(), os.RemoveAll(s.dir))
	s.guard = nil
	return err
}

// end ends all processes.
func (s *Server) end() error {
	if s.current == nil || s.clean {
		return nil
	}
	if !s.alive() {
		// A new postmaster removes the shared memory of a killed one before recovery.
		// If the data is so damaged that it does not start, a few bytes stay.
		if s.launch() != nil || s.awaitStatus("starting", "ready", "standby") != nil {
			return nil
		}
	}
	if s.Shutdown(Immediate) == nil {
		return nil
	}
	return s.Kill()
}

// DSN returns the connection string of a database, for pgx and libpq. The database
// postgres always exists. The string stays the same when the server restarts.
func (s *Server) DSN(database string) string {
	return "host=" + quote(s.dir) + " port=" + port + " user=postgres dbname=" + quote(database) + " sslmode=disable"
}

// quote quotes a value of a connection string.
func quote(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// Log returns the end of the server's log, at most 8 KiB, or "" after Stop.
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
	text, _ := io.ReadAll(f)
	return string(text)
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }
func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
