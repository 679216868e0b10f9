package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

// ErrNotRunning is returned by methods that need a running server if it has ended.
var ErrNotRunning = errors.New("pgtest: the server is not running")

// ErrRunning is returned by Start if the server is running.
var ErrRunning = errors.New("pgtest: the server is running")

// A Mode selects how a server is shut down.
type Mode int

const (
	// Fast closes all connections and writes all data. A primary first sends its
	// replicas everything that it has written.
	Fast Mode = iota
	// Immediate ends all processes without writing data. The next start recovers from
	// the write-ahead log, as after a crash.
	Immediate
)

// Start starts a server that has ended, with the same data and the same socket. It
// returns when the server accepts connections, which after a crash means that it has
// recovered. A replica then streams as soon as its primary answers, and replays even
// if it was paused. After Stop the error is [ErrNotRunning].
func (s *Server) Start() error {
	if s.guard == nil {
		return fmt.Errorf("%w: Stop was called", ErrNotRunning)
	}
	if s.alive() {
		return ErrRunning
	}
	if err := s.launch(); err != nil {
		return err
	}
	return s.awaitStatus("ready")
}

// Kill kills all processes of the server, like a crash, and waits for their end.
// Committed data is available after Start.
func (s *Server) Kill() error {
	if !s.alive() {
		return ErrNotRunning
	}
	// The postmaster is stopped while the children are killed. It cannot start others
	// then, and the ids of the children are not reused before it ends.
	halted, err := halt(s.current.Process)
	if err == nil {
		err = signal(halted.children, os.Kill)
	}
	if err == nil {
		_, err = await(s.current.Pid, func(f family) bool { return allIn(f.children, "Z") })
	}
	if killed := s.current.Kill(); killed != nil && !errors.Is(killed, os.ErrProcessDone) {
		return errors.Join(err, killed)
	}
	<-s.current.ended
	return err
}

// Shutdown shuts the server down and returns when it has ended. It thaws a frozen
// server first. It returns an error if the server has not ended after a minute, for
// example because Fast waits for a frozen replica. The shutdown then continues.
func (s *Server) Shutdown(mode Mode) error {
	sig := sigFast
	switch mode {
	case Fast:
	case Immediate:
		sig = sigImmediate
	default:
		return fmt.Errorf("pgtest: invalid mode %d of shutdown", mode)
	}
	if err := s.Thaw(); err != nil {
		return err
	}
	if err := s.current.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	select {
	case <-s.current.ended:
		s.clean = true
		return nil
	case <-expired.C:
		return fmt.Errorf("pgtest: the server has not shut down after %v", timeout)
	}
}

// Freeze suspends all processes of the server until Thaw, like a machine that hangs.
// Connections stay open, and the kernel accepts new ones, but nothing is answered.
func (s *Server) Freeze() error {
	if !s.alive() {
		return ErrNotRunning
	}
	halted, err := halt(s.current.Process)
	if err != nil {
		return err
	}
	if err := signal(halted.children, sigStop); err != nil {
		return err
	}
	_, err = await(s.current.Pid, func(f family) bool { return allIn(f.children, "TtZ") })
	return err
}

// Thaw resumes a frozen server. It has no effect on others.
func (s *Server) Thaw() error {
	if !s.alive() {
		return ErrNotRunning
	}
	f, err := familyOf(s.current.Pid)
	if err != nil {
		return err
	}
	err = signal(f.children, sigContinue)
	if resumed := s.current.Signal(sigContinue); !errors.Is(resumed, os.ErrProcessDone) {
		err = errors.Join(err, resumed)
	}
	return err
}

// Replica starts a streaming standby of the server and returns it when it streams. It
// may lag slightly. It is another server with its own directory and socket, which the
// caller must stop. A server can have three replicas. A replica that was down catches
// up unless its primary has written more than 512 MB meanwhile. Replica fails after a
// minute if the server is frozen.
func (s *Server) Replica() (*Server, error) {
	if !s.alive() {
		return nil, ErrNotRunning
	}
	r, err := prepare(s.options)
	if err != nil {
		return nil, err
	}
	if err := r.follow(s); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

func (s *Server) follow(primary *Server) error {
	err := s.run("pg_basebackup", "--host="+primary.dir, "--port="+port, "--username=postgres", "--pgdata="+s.data(),
		"--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync", "--no-password")
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	if err := s.until("SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')"); err != nil {
		return fmt.Errorf("%w; end of the replica's log:\n%s", err, s.Log())
	}
	return nil
}

// PauseReplay makes a replica lag. Until ResumeReplay or a restart, later writes of the
// primary are received but cannot be read. It needs PostgreSQL 14 or newer, and returns
// an error if the server is not a replica.
func (s *Server) PauseReplay() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := s.exec(ctx, "SELECT pg_wal_replay_pause()"); err != nil {
		return err
	}
	// The function only requests the pause.
	return s.until("SELECT pg_get_wal_replay_pause_state() = 'paused'")
}

// ResumeReplay resumes a paused replica without waiting until it has caught up. It has
// no effect on others, and returns an error if the server is not a replica.
func (s *Server) ResumeReplay() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return s.exec(ctx, "SELECT pg_wal_replay_resume()")
}

// CreateDatabase creates a database as a copy of template, or an empty one if
// template is "". The template must have no connections. An error of the server, such
// as that of a name in use, wraps a *pgconn.PgError of pgx.
func (s *Server) CreateDatabase(ctx context.Context, name, template string) error {
	statement := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize()
	if template != "" {
		statement += " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	}
	return s.exec(ctx, statement)
}

// DropDatabase removes a database after closing all connections to it. It is not an
// error if the database does not exist.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// exec runs a statement in the database postgres, on a new connection.
func (s *Server) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("pgtest: %s: %w", statement, err)
	}
	return nil
}

// until runs a query repeatedly until its result is true.
func (s *Server) until(question string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer conn.Close(ctx)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		var yes bool
		if err := conn.QueryRow(ctx, question).Scan(&yes); err != nil || yes {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pgtest: not true after %v: %s", timeout, question)
		case <-tick.C:
		}
	}
}
