package pgtest

import (
	"errors"
	"fmt"
	"os"
	"time"
)

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
