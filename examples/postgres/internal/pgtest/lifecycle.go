package pgtest

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrNotRunning is returned by what needs a running server and found it ended: by
// Kill, by Shutdown, or by itself.
var ErrNotRunning = errors.New("pgtest: the server is not running")

// ErrRunning is returned by Start of a server that runs.
var ErrRunning = errors.New("pgtest: the server is running")

// A Mode is how a server is shut down.
type Mode int

const (
	// Fast ends all connections and saves everything; a primary first sends its
	// replicas all it has written.
	Fast Mode = iota
	// Immediate ends all processes at once and saves nothing: the next start recovers
	// from the log, as after a crash.
	Immediate
)

// Start starts a server again that has ended, on the same data and the same socket,
// and returns when it accepts connections: after a crash, when it has recovered. A
// replica then streams as soon as its primary answers, and replays even if it was
// paused. What was stopped for good by Stop does not start: ErrNotRunning.
func (s *Server) Start() error {
	if s.guard == nil {
		return fmt.Errorf("%w: it was stopped for good", ErrNotRunning)
	}
	if s.alive() {
		return ErrRunning
	}
	if err := s.launch(); err != nil {
		return err
	}
	return s.awaitStatus("ready")
}

// Kill ends all processes of the server as a crash of it would, in the middle of what
// they do, and returns when all are gone. What was committed is there after Start.
func (s *Server) Kill() error {
	if !s.alive() {
		return ErrNotRunning
	}
	// The children go first, under the eyes of a postmaster that is stopped: it can
	// start no more, nor see them die, and their ids stay theirs until it ends.
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

// Shutdown ends the server in an orderly way and returns when it has ended. A frozen
// one is thawed first. It is an error if it has not ended after a minute, as when a
// replica of it is frozen that Fast waits for; the server is then still shutting down.
func (s *Server) Shutdown(mode Mode) error {
	sig := sigFast
	switch mode {
	case Fast:
	case Immediate:
		sig = sigImmediate
	default:
		return fmt.Errorf("pgtest: there is no mode %d of shutdown", mode)
	}
	if err := s.Thaw(); err != nil {
		return err
	}
	if err := s.current.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	expired := time.NewTimer(patience)
	defer expired.Stop()
	select {
	case <-s.current.ended:
		s.clean = true
		return nil
	case <-expired.C:
		return fmt.Errorf("pgtest: the server has not shut down after %v", patience)
	}
}

// Freeze stops all processes of the server where they are, until Thaw: connections
// stay open, and new ones are taken by the kernel, but nothing is answered, as by a
// machine that hangs.
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

// Thaw lets a frozen server go on where it was. One that is not frozen is left as it is.
func (s *Server) Thaw() error {
	if !s.alive() {
		return ErrNotRunning
	}
	f, err := familyOf(s.current.Pid)
	if err != nil {
		return err
	}
	err = signal(f.children, sigContinue)
	if thawed := s.current.Signal(sigContinue); !errors.Is(thawed, os.ErrProcessDone) {
		err = errors.Join(err, thawed)
	}
	return err
}
