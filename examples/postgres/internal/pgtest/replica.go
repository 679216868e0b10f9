package pgtest

import (
	"context"
	"errors"
	"fmt"
)

// Replica makes a streaming standby of the server, on which databases can be read, and
// returns it when it streams; it may be a moment behind. It is a server of its own, with
// its own directory and socket, which the caller stops; there can be three of
// one server. It catches up after being down unless its server has written more than
// 512 MB meanwhile. Not for a frozen server: it would wait a minute, then fail.
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
		return fmt.Errorf("%w; the replica's log ends:\n%s", err, s.Log())
	}
	return nil
}

// PauseReplay makes a replica lag: when it returns, and until ResumeReplay or a
// restart, nothing its primary writes can be read on it, though it is received. It
// needs PostgreSQL 14 or newer; on a server that is no replica it is an error.
func (s *Server) PauseReplay() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.exec(ctx, "SELECT pg_wal_replay_pause()"); err != nil {
		return err
	}
	// The call only asks for it: a record may be in the midst of being replayed.
	return s.until("SELECT pg_get_wal_replay_pause_state() = 'paused'")
}

// ResumeReplay lets a paused replica catch up; it does not wait until it has. On one
// that is not paused it does nothing; on a server that is no replica it is an error.
func (s *Server) ResumeReplay() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.exec(ctx, "SELECT pg_wal_replay_resume()")
}
