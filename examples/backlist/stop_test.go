package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// asProgram is the environment variable that makes the test binary run main.
const asProgram = "BACKLIST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// pendingPost is a POST whose headers the server has read and whose body has not
// been sent yet.
type pendingPost struct {
	t      *testing.T
	conn   net.Conn
	answer *bufio.Reader
}

func begin(t *testing.T, addr string) *pendingPost {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute)) // ends the test if the server hangs
	fmt.Fprintf(conn, "POST /api/events/ HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", addr, len(event))
	r := &pendingPost{t, conn, bufio.NewReader(conn)}
	if got := r.status(); got != http.StatusContinue {
		t.Fatalf("status %d, want 100", got)
	}
	return r
}

func (r *pendingPost) status() int {
	r.t.Helper()
	answer, err := http.ReadResponse(r.answer, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode
}

// end sends the body and returns the status of the answer.
func (r *pendingPost) end() int {
	r.t.Helper()
	if _, err := io.WriteString(r.conn, event); err != nil {
		r.t.Fatal(err)
	}
	return r.status()
}

// waitClosed blocks until the address refuses connections.
func waitClosed(addr string) {
	for {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
}

func TestSecondSignalEndsImmediately(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	p, addr, _ := process(t)
	begin(t, addr) // never ended
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	for {
		p.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err == nil {
				t.Error("exit code = 0 although a request was interrupted")
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// The first interrupt ends a program that still generates its records.
func TestInterruptWhileGenerating(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	if signal.Ignored(os.Interrupt) {
		t.Skip("the program would ignore the signal, as a job in the background does")
	}
	p := command(t, "-events", "9000000")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	time.Sleep(100 * time.Millisecond)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil || err.Error() != "signal: interrupt" {
		t.Errorf("the program ends with %v", err)
	}
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := exec.Command(self, append([]string{"-addr", "127.0.0.1:0", "-open"}, args...)...)
	p.Env = append(os.Environ(), asProgram+"=1")
	return p
}

// process starts the program in a separate process.
func process(t *testing.T, args ...string) (p *exec.Cmd, addr string, stderr *bytes.Buffer) {
	t.Helper()
	p = command(t, args...)
	stderr = new(bytes.Buffer)
	p.Stderr = stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	_, addr = announced(t, bufio.NewReader(stdout))
	return p, addr, stderr
}
