package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
