package pgtest

import (
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

// A postmaster is one run of the server, from its start to its end.
type postmaster struct {
	*os.Process
	ended chan struct{} // closed when it was waited for
}

// settings are given on the command line, which a copy of the data does not take
// along, as it does postgresql.conf.
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
		"wal_retrieve_retry_interval=100ms", // a replica is back soon after its primary
		"timezone=Asia/Kathmandu",
		"log_timezone=UTC",
		"log_line_prefix=%m [%p] %a ",
	}
	if s.options.NoSync {
		all = append(all, "fsync=off", "full_page_writes=off") // a commit is still written before it is told: what is killed keeps it
	}
	return all
}

// launch starts the postmaster, and waits for nothing but its process.
func (s *Server) launch() error {
	// No process of the last run is left: the lock files are stale, and the process
	// ids in them may be somebody else's by now, which would be believed.
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
	s.dress(cmd)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	g := s.guard
	g.started(cmd.Process.Pid)
	p := &postmaster{cmd.Process, make(chan struct{})}
	s.current, s.clean = p, false
	go func() {
		cmd.Wait() // how it ended is in its log
		g.ended()
		close(p.ended)
	}()
	return nil
}

func (s *Server) pidFile() string { return filepath.Join(s.data(), "postmaster.pid") }

// awaitStatus waits until the postmaster says that it is in one of the states, in its
// lock file, where pg_ctl looks too.
func (s *Server) awaitStatus(wanted ...string) error {
	expired := time.NewTimer(patience)
	defer expired.Stop()
	look := time.NewTicker(pause)
	defer look.Stop()
	for !slices.Contains(wanted, s.status()) {
		select {
		case <-s.current.ended:
			return errors.New("pgtest: the server did not start, its log ends:\n" + s.Log())
		case <-expired.C:
			return fmt.Errorf("pgtest: the server is not ready after %v, its log ends:\n%s", patience, s.Log())
		case <-look.C:
		}
	}
	return nil
}

// status is the eighth line of the file, if the first is our postmaster's id.
func (s *Server) status() string {
	text, _ := os.ReadFile(s.pidFile()) // it is not there at first
	lines := strings.Split(string(text), "\n")
	if len(lines) < 8 || strings.TrimSpace(lines[0]) != strconv.Itoa(s.current.Pid) {
		return ""
	}
	return strings.TrimSpace(lines[7])
}

// alive says whether the last postmaster that was started has not ended.
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
