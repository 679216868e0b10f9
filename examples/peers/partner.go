package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A partner is the other of two processes that run this program, one with the
// current library and one with an earlier revision. Both perform the same
// measurements in the same order. The process with the current library leads: it
// decides which of the two works at any time.
//
// At each measurement the processes check that they are at the same line of the
// source. Then the follower answers requests until the leader is done:
//
//	leader:   meet pages.go:88 4   there are four rows
//	follower: ready
//	leader:   2 1000               row 2, 1,000 times
//	follower: 1.234e+06            nanoseconds, or other figures
//	leader:   done
type partner struct {
	in      *bufio.Reader
	out     io.Writer
	follows bool // whether this process is the follower
}

var errPartner = errors.New("the two revisions perform different measurements")

// figures performs a measurement the given number of times and returns its results.
type figures func(times int) []float64

func (w work) figures(times int) []float64 { return []float64{float64(w(times))} }

func (f figures) work(times int) time.Duration { return time.Duration(f(times)[0]) }

// together calls f with the figures of the earlier revision, one for each row, or
// nil if there is none. The follower does not call f. It answers the leader's
// requests with its local figures.
func (s setup) together(local []figures, f func(before []figures)) {
	p := s.partner
	if p == nil {
		f(nil)
		return
	}
	meet := fmt.Sprint("meet ", caller(), " ", len(local))
	if p.follows {
		p.expect(meet)
		p.send("ready")
		p.follow(local)
		return
	}
	p.send(meet)
	p.expect("ready")
	p.lead(len(local), f)
}

// caller returns the file and line of the first caller outside this file and
// measure.go.
func caller() string {
	pcs := make([]uintptr, 10)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		file := filepath.Base(frame.File)
		if file != "partner.go" && file != "measure.go" || !more {
			return fmt.Sprint(file, ":", frame.Line)
		}
	}
}

// wait blocks until both processes have called it.
func (s setup) wait() { s.together(nil, func([]figures) {}) }

func (p *partner) lead(rows int, f func(before []figures)) {
	before := make([]figures, rows)
	for i := range before {
		before[i] = func(times int) []float64 {
			p.send(fmt.Sprint(i, " ", times))
			return p.numbers(p.receive())
		}
	}
	f(before)
	p.send("done")
}

func (p *partner) follow(local []figures) {
	for {
		line := p.receive()
		if line == "done" {
			return
		}
		var row, times int
		_, err := fmt.Sscan(line, &row, &times)
		check(err)
		var answer []string
		for _, x := range local[row](times) {
			answer = append(answer, strconv.FormatFloat(x, 'g', -1, 64))
		}
		p.send(strings.Join(answer, " "))
	}
}

func (p *partner) send(line string) {
	_, err := fmt.Fprintln(p.out, line)
	check(err)
}

func (p *partner) expect(want string) {
	if got := p.receive(); got != want {
		panic(failed{fmt.Errorf("%w: want %q, got %q", errPartner, want, got)})
	}
}

func (p *partner) receive() string {
	line, err := p.in.ReadString('\n')
	if err != nil {
		panic(failed{fmt.Errorf("the other revision has ended: %w", err)})
	}
	return strings.TrimSuffix(line, "\n")
}

func (p *partner) numbers(line string) (all []float64) {
	for _, field := range strings.Fields(line) {
		x, err := strconv.ParseFloat(field, 64)
		check(err)
		all = append(all, x)
	}
	if len(all) == 0 {
		panic(failed{fmt.Errorf("%w: no figures", errPartner)})
	}
	return all
}
