package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A postmaster is the main process of a running server.
type postmaster struct {
	*os.Process
	ended chan struct{} // closed when the process has ended
}

// settings returns settings for the command line. In postgresql.conf they would be
// copied with the data.
func (s *Server) settings() []string {
	all := []string{
		"listen_addresses=",
		"port=" + port,
		`unix_socket_directories="` + strings.ReplaceAll(s.dir, `"`, `""`) + `"`,
		"max_connections=60",
		"shared_buffers=64MB",
		"wal_level=replica",
		"max_wal_senders=4",
		"wal_keep_size=512MB",
		"hot_standby=on",
		"hot_standby_feedback=on",
		"wal_retrieve_retry_interval=100ms", // a replica reconnects soon
		"timezone=Asia/Kathmandu",
		"log_timezone=UTC",
		"log_line_prefix=%m [%p] %a ",
	}
	if s.options.NoSync {
		all = append(all, "fsync=off", "full_page_writes=off") // commits still survive Kill
	}
	return all
}

// launch starts the postmaster without waiting until it is ready.
func (s *Server) launch() error {
	// No process of the last run is left, so the lock files are stale. Other processes
	// may have the ids in them now, which would prevent a start.
	for _, lock := range []string{s.pidFile(), filepath.Join(s.dir, ".s.PGSQL."+port+".lock")} {
		if err := os.Remove(lock); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", s.data()}
	for _, setting := range s.settings() {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.configure(cmd)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	g := s.guard
	g.started(cmd.Process.Pid)
	p := &postmaster{cmd.Process, make(chan struct{})}
	s.current, s.clean = p, false
	go func() {
		cmd.Wait() // an error is in the server's log
		g.ended()
		close(p.ended)
	}()
	return nil
}

func (s *Server) pidFile() string { return filepath.Join(s.data(), "postmaster.pid") }

// awaitStatus waits until the status in the postmaster's lock file, which pg_ctl also
// reads, is one of those wanted.
func (s *Server) awaitStatus(wanted ...string) error {
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for !slices.Contains(wanted, s.status()) {
		select {
		case <-s.current.ended:
			return errors.New("pgtest: the server did not start, end of its log:\n" + s.Log())
		case <-expired.C:
			return fmt.Errorf("pgtest: the server is not ready after %v, end of its log:\n%s", timeout, s.Log())
		case <-tick.C:
		}
	}
	return nil
}

// status returns the status in the lock file, its eighth line, or "" if the file is
// not that of the current postmaster.
func (s *Server) status() string {
	text, _ := os.ReadFile(s.pidFile()) // does not exist at first
	lines := strings.Split(string(text), "\n")
	if len(lines) < 8 || strings.TrimSpace(lines[0]) != strconv.Itoa(s.current.Pid) {
		return ""
	}
	return strings.TrimSpace(lines[7])
}

// alive reports whether the server is running.
func (s *Server) alive() bool {
	if s.current == nil {
		return false
	}
	select {
	case <-s.current.ended:
		return false
	default:
		return true
	}
}

const (
	// timeout is the time limit of operations that usually take a second or less.
	timeout = time.Minute
	// pause is the time between two polls.
	pause = 10 * time.Millisecond
	// port is part of the name of every socket; servers differ in the directory.
	port = "5432"
	// socketPath is the longest path of a socket that all systems support.
	socketPath = 103
)

// prepare creates the directory of a server, without data, and starts its guard. If
// it fails, nothing remains.
func prepare(options Options) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	s := &Server{options: options, bin: bin, as: as}
	if s.dir, err = filepath.Abs(dir); err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return s, nil
}

func (s *Server) open() error {
	if strings.Contains(s.dir, ",") || len(s.dir+"/.s.PGSQL."+port) > socketPath {
		return fmt.Errorf("pgtest: invalid directory for a socket: %s is too long or has a comma", s.dir)
	}
	if s.as != nil {
		if err := os.Chown(s.dir, s.as.uid, s.as.gid); err != nil {
			return err
		}
	}
	g, err := newGuard(s.dir)
	s.guard = g
	return err
}

// initdb creates the data directory. It does not sync files, since nothing has been
// stored yet.
func (s *Server) initdb() error {
	var failed []error
	for _, locale := range locales() {
		err := s.run("initdb", append(locale,
			"--pgdata="+s.data(), "--encoding=UTF8", "--username=postgres", "--auth=trust", "--no-sync", "--no-instructions")...)
		if err == nil {
			return nil
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// locales returns options of initdb for locales, the best first. The best order text
// differently from bytes. ICU needs PostgreSQL 15, and a system may have no locale
// other than C.
func locales() [][]string {
	choices := [][]string{{"--locale-provider=icu", "--icu-locale=en-US", "--locale=C"}}
	installed, _ := exec.Command("locale", "-a").Output() // if it fails, C is left
	names := strings.Fields(string(installed))
	if i := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "en_") && strings.HasSuffix(strings.ReplaceAll(strings.ToLower(name), "-", ""), ".utf8")
	}); i >= 0 {
		choices = append(choices, []string{"--locale=" + names[i]})
	}
	return append(choices, []string{"--locale=C"})
}

// run runs one of PostgreSQL's programs as the user of the server.
func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	s.configure(cmd)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: %s: %w\n%s", program, err, out)
	}
	return nil
}

// configure sets the user and the directory of a command, and an environment without
// variables that affect PostgreSQL.
func (s *Server) configure(cmd *exec.Cmd) {
	cmd.Dir = s.dir
	cmd.SysProcAttr = apart(s.as)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PG") || strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") || strings.HasPrefix(v, "TZ=")
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C")
}
