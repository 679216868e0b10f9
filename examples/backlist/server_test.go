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

// server is a run of the program in this process.
type server struct {
	base, addr string // http://127.0.0.1:34567, 127.0.0.1:34567
	control    string // http://127.0.0.1:34568, if there is one
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
func start(t *testing.T, args ...string) *server {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &server{stop: stop, done: make(chan struct{})}
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
	lines := bufio.NewReader(out)
	s.base, s.addr = announced(t, lines)
	if slices.Contains(args, "-control") {
		line, err := lines.ReadString('\n')
		match := regexp.MustCompile(`^control (http://127\.0\.0\.1:[1-9][0-9]*)/\n$`).FindStringSubmatch(line)
		if err != nil || match == nil {
			t.Fatalf("second line = %q, %v", line, err)
		}
		s.control = match[1]
	}
	return s
}

// announced reads the line with the address of the program.
func announced(t *testing.T, stdout *bufio.Reader) (base, addr string) {
	t.Helper()
	line, err := stdout.ReadString('\n')
	match := regexp.MustCompile(`^serving (http://(127\.0\.0\.1:[1-9][0-9]*))/api/\n$`).FindStringSubmatch(line)
	if err != nil || match == nil {
		t.Fatalf("first line = %q, %v", line, err)
	}
	return match[1], match[2]
}

// few returns flags for few records, which are generated quickly, before other flags.
func few(args ...string) []string {
	return append([]string{"-events", "3", "-labels", "1", "-authors", "3", "-social-links", "1", "-books", "10", "-others", "3"}, args...)
}
