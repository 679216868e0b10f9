// Package progress shows the progress of long work on a terminal. It shows nothing of work that
// takes less than a second.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	quiet = time.Second            // before the first line
	pause = 200 * time.Millisecond // between two lines
)

// A Board is a writer whose meters can be read too. It is safe for concurrent use if its Writer is.
type Board struct {
	io.Writer
	last atomic.Pointer[Meter]
}

// Line returns the line of the last Meter that was started,
// or "" if there is none. If the total is known, it says how long the work will take.
func (b *Board) Line() string {
	m := b.last.Load()
	if m == nil {
		return ""
	}
	took, line := time.Since(m.begin), m.what+": "+m.state()
	if done := m.done.Load(); done > 0 && m.total > done {
		left := time.Duration(float64(took) * float64(m.total-done) / float64(done))
		return fmt.Sprintf("%s%.0f s, about %.0f s left", line, took.Seconds(), left.Seconds())
	}
	return fmt.Sprintf("%s%.0f s", line, took.Seconds())
}

// A Meter shows the progress of one piece of work in a line that it replaces. Its methods are
// safe for concurrent use.
type Meter struct {
	w     io.Writer
	begin time.Time
	what  string
	total int64
	done  atomic.Int64
	stop  func()
}

// Start returns a Meter for work with a total number of steps, such as records. If the total is
// not positive, it is unknown, and the steps are bytes, if there are any. what names the work in
// the line, as in "loading films.json". The line is written to w if w is a terminal or a [Board] on one.
// Stop must be called.
func Start(w io.Writer, what string, total int64) *Meter {
	board, ok := w.(*Board)
	if ok {
		w = board.Writer
	}
	if !isTerminal(w) {
		w = nil
	}
	m := start(w, what, total)
	if ok {
		board.last.Store(m)
	}
	return m
}

// Loading returns a Meter for loading a file. Its line has the size of the file.
func Loading(w io.Writer, file string) *Meter {
	what := "loading " + file
	if about, err := os.Stat(file); err == nil {
		what = fmt.Sprintf("%s (%.1f MB)", what, float64(about.Size())/1e6)
	}
	return Start(w, what, 0)
}

// start is Start without the check of w, which may be nil.
func start(w io.Writer, what string, total int64) *Meter {
	m := &Meter{w: w, begin: time.Now(), what: what, total: total, stop: func() {}}
	if w == nil {
		return m
	}
	ended, shown := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(shown)
		m.show(ended)
	}()
	m.stop = sync.OnceFunc(func() {
		close(ended)
		<-shown
	})
	return m
}

// isTerminal reports whether w is a terminal or another character device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	about, err := f.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}

// Add adds n steps to those that are done.
func (m *Meter) Add(n int) { m.done.Add(int64(n)) }

// Write adds the length of p, for use with [io.MultiWriter] and [io.TeeReader]. It returns no
// error.
func (m *Meter) Write(p []byte) (int, error) {
	m.Add(len(p))
	return len(p), nil
}

// Stop ends the line, which stays on the terminal. Further calls have no effect.
func (m *Meter) Stop() { m.stop() }

// show writes the line until ended is closed.
func (m *Meter) show(ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-time.After(quiet):
	}
	for {
		fmt.Fprintf(m.w, "\r\x1b[K%s: %s%.0f s", m.what, m.state(), time.Since(m.begin).Seconds())
		select {
		case <-ended:
			fmt.Fprintf(m.w, "\r\x1b[K%s: %.1f s\n", m.what, time.Since(m.begin).Seconds())
			return
		case <-time.After(pause):
		}
	}
}

// state returns how much is done, followed by a comma: a share of the total, or a number of
// bytes. It returns "" if that is not known.
func (m *Meter) state() string {
	switch done := m.done.Load(); {
	case m.total > 0:
		return fmt.Sprintf("%d %%, ", done*100/m.total)
	case done > 0:
		return fmt.Sprintf("%.1f MB, ", float64(done)/1e6)
	}
	return ""
}
