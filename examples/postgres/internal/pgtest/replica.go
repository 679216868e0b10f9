package pgtest

import (
	"context"
	"errors"
	"fmt"
)

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
