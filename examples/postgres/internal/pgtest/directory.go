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
	// patience is how long anything may take that takes milliseconds or a second.
	patience = time.Minute
	// pause is the time between two looks at something that tells nobody when it changes.
	pause = 10 * time.Millisecond
	// port is but a part of the socket's name: the directory tells servers apart.
	port = "5432"
	// socketPath is the longest of all systems' shortest, that of macOS and the BSDs.
	socketPath = 103
)

// prepare makes the directory and its guard; the data is not there yet. Where it
// fails, nothing remains.
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
		return fmt.Errorf("pgtest: no socket can be in %s: the path of the temporary directory is too long or has a comma", s.dir)
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

// initdb makes the data. What it writes need not be on disk before the server starts:
// nobody has stored anything yet.
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

// locales are what to try, best first: one whose order of text is not that of bytes.
// ICU needs PostgreSQL 15, built with it; a system may have no locale but C.
func locales() [][]string {
	choices := [][]string{{"--locale-provider=icu", "--icu-locale=en-US", "--locale=C"}}
	installed, _ := exec.Command("locale", "-a").Output() // without it, C is left
	names := strings.Fields(string(installed))
	if i := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "en_") && strings.HasSuffix(strings.ReplaceAll(strings.ToLower(name), "-", ""), ".utf8")
	}); i >= 0 {
		choices = append(choices, []string{"--locale=" + names[i]})
	}
	return append(choices, []string{"--locale=C"})
}

// run runs one of PostgreSQL's programs, as the user of the server, to its end.
func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	s.dress(cmd)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: %s: %w\n%s", program, err, out)
	}
	return nil
}

// dress gives a command the server's user, a directory that user may be in, and an
// environment in which nothing speaks to PostgreSQL but we.
func (s *Server) dress(cmd *exec.Cmd) {
	cmd.Dir = s.dir
	cmd.SysProcAttr = apart(s.as)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PG") || strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") || strings.HasPrefix(v, "TZ=")
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C")
}
