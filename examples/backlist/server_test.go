package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"sync"
	"testing"
)

// An instance is a run of the program in this process.
type instance struct {
	base, addr string // http://127.0.0.1:34567, 127.0.0.1:34567
	control    string // http://127.0.0.1:34568, if there is one
	sentence   string // about writes
	stop       context.CancelFunc
	done       chan struct{} // closed when code and stderr are set
	code       int
	stderr     output
}

// output is what the program has written so far. It is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) Len() int { return len(o.String()) }

// start runs the program on a free port until the test ends.
func start(t *testing.T, args ...string) *instance {
	t.Helper()
	s, lines := launch(t, args...)
	s.base, s.addr = announced(t, lines)
	if slices.Contains(args, "-control") {
		s.control = matchLine(t, lines, `^control (http://127\.0\.0\.1:[1-9][0-9]*)/\n$`)[1]
	}
	s.sentence = matchLine(t, lines, `^Stories and series at `+s.base+`/v1/ can be filtered and searched\. (.+)\n$`)[1]
	return s
}

// launch runs the program, and returns what it prints.
func launch(t *testing.T, args ...string) (s *instance, lines *bufio.Reader) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s = &instance{stop: stop, done: make(chan struct{})}
	out, stdout := io.Pipe()
	go func() {
		defer close(s.done)
		s.code = run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), stdout, &s.stderr)
		stdout.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-s.done
	})
	return s, bufio.NewReader(out)
}

// startFile serves a JSON file on a free port until the test ends.
func startFile(t *testing.T, file string, args ...string) *instance {
	t.Helper()
	s, lines := launch(t, append([]string{file}, args...)...)
	s.base, s.addr = announced(t, lines)
	go io.Copy(io.Discard, lines)
	return s
}

// announced reads the line with the address of the program.
func announced(t *testing.T, stdout *bufio.Reader) (base, addr string) {
	t.Helper()
	match := matchLine(t, stdout, `^serving (http://(127\.0\.0\.1:[1-9][0-9]*))/api/\n$`)
	return match[1], match[2]
}

// matchLine reads a line and returns the match of a regular expression.
func matchLine(t *testing.T, r *bufio.Reader, pattern string) []string {
	t.Helper()
	line, err := r.ReadString('\n')
	match := regexp.MustCompile(pattern).FindStringSubmatch(line)
	if err != nil || match == nil {
		t.Fatalf("line = %q, %v", line, err)
	}
	return match
}

// few returns flags for few records, which are generated quickly, before other flags.
func few(args ...string) []string {
	return append([]string{"-events", "3", "-labels", "1", "-authors", "3", "-social-links", "1", "-books", "10", "-others", "3"}, args...)
}
