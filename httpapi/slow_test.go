package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// pipeListener is a listener without a network, for servers in a bubble, where time
// passes when all wait for it.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

X
// bubble, which ends when no goroutine is left in it, or fails the test.
func inBubble(t *testing.T, h func(*testing.T) http.Handler, client func(*testing.T, net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		var lines logBuffer
		listener := newPipeListener()
		server := &http.Server{
			Handler:           h(t),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       15 * time.Second,
			WriteTimeout:      30 * time.Second,
		}
		server.ErrorLog = newLog(&lines)
		go server.Serve(listener)
		conn := listener.dial()
		client(t, conn)
		conn.Close()
		synctest.Wait() // a server that shuts down starts on no request
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour) // no time at all, but who sleeps may wake up and end
		if lines.text.Len() > 0 {
			t.Errorf("the server logBuffer: %s", &lines.text)
		}
	})
}

// status is that of the answer that comes next, 0 if none does.
func status(conn net.Conn) int {
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	return answer.StatusCode
}

// writeSlowly sends a text a byte a second until it is through or nobody listens.
func writeSlowly(conn net.Conn, text string) {
	for _, c := range []byte(text) {
		if _, err := conn.Write([]byte{c}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// TestSlowClients: whatever a client is slow in, the server's timeouts end it,
// nothing is stored and no goroutine is left.
func TestSlowClients(t *testing.T) {
	body := postHead("Content-Length: 96")
	chunks := postHead("Transfer-Encoding: chunked")
	tests := []struct {
		reason string
		client func(t *testing.T, conn net.Conn)
		events int // stored
	}{
		{"slow from the first byte on", func(t *testing.T, conn net.Conn) {
			go writeSlowly(conn, body+postableEvent)
			if got := status(conn); got != 0 && got != 400 { // net/http's: not even the head was in time
				t.Errorf("%d", got)
			}
		}, 0},
		{"a body slower than its head", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body)
			go writeSlowly(conn, postableEvent)
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"a body that stops", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:50])
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"a chunk that stops", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, chunks+"60\r\n"+postableEvent)
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"a body just in time", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:86])
			go writeSlowly(conn, postableEvent[86:])
			if got := status(conn); got != 201 {
				t.Errorf("%d, want 201", got)
			}
		}, 1},
		{"gone before the body", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body)
		}, 0},
		{"gone in the middle of it", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:50])
		}, 0},
		{"gone in the middle of the answer", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent)
			_, _ = conn.Read(make([]byte, 20))
		}, 1},
		{"never reads the answer", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent)
			time.Sleep(time.Minute)
		}, 1},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			house, h := newWritable(t, Options{})
			inBubble(t, func(*testing.T) http.Handler { return h }, test.client)
			if got := house.Events().Count(); got != test.events {
				t.Errorf("%d events, want %d", got, test.events)
			}
		})
	}
}

// blockingCollection is a collection whose pages take until the client is gone.
type blockingCollection struct{ *sliceCollection }

func (blockingCollection) Page(ctx context.Context, _ pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	<-ctx.Done()
	return 0, nil, ctx.Err()
}

// Who goes away while its page is made ends the making.
func TestClientGone(t *testing.T) {
	var reported []error
	h := func(t *testing.T) http.Handler {
		opts := Options{OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
		return newTestHandler(t, opts, map[string]Collection{"books": blockingCollection{newCollection(1)}})
	}
	inBubble(t, h, func(t *testing.T, conn net.Conn) {
		_, _ = io.WriteString(conn, head("GET /api/books/ HTTP/1.1"))
	})
	if len(reported) != 1 || !errors.Is(reported[0], context.Canceled) {
		t.Errorf("OnError was called with %v", reported)
	}
}

// Wherever a body breaks, it is refused and nothing is stored; however slowly it
// comes, it is taken.
func TestBodyReaders(t *testing.T) {
	house, h := newWritable(t, Options{})
	post := func(body io.Reader) answer {
		r := call{method: "POST", target: "/api/events/", header: http.Header{
			"Authorization": {"Bearer s"}, "Content-Type": {"application/json"},
		}}.request()
		r.Body, r.ContentLength = io.NopCloser(body), -1
		return serve(h, r)
	}
	for n := range postableEvent {
		front := func() io.Reader { return strings.NewReader(postableEvent[:n]) }
		for reason, body := range map[string]io.Reader{
			"ends":              front(),
			"unexpectedly ends": io.MultiReader(front(), iotest.ErrReader(io.ErrUnexpectedEOF)),
			"fails":             io.MultiReader(front(), iotest.ErrReader(errors.New("password is 1234"))),
			"fails with data":   iotest.DataErrReader(io.MultiReader(front(), iotest.ErrReader(io.ErrClosedPipe))),
			"times out":         iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(postableEvent[:n+1]))),
		} {
			if got := post(body); got.Status != 400 || strings.Contains(got.Body, "1234") {
				t.Errorf("%s behind byte %d: %d %s", reason, n, got.Status, got.Body)
			}
		}
	}
	if n := house.Events().Count(); n != 0 {
		t.Errorf("%d events are stored", n)
	}
	for reason, body := range map[string]io.Reader{
		"by the byte":       iotest.OneByteReader(strings.NewReader(postableEvent)),
		"by the half":       iotest.HalfReader(strings.NewReader(postableEvent)),
		"end with the data": iotest.DataErrReader(strings.NewReader(postableEvent)),
	} {
		if got := post(body); got.Status != 201 {
			t.Errorf("%s: %d %s", reason, got.Status, got.Body)
		}
	}
	if n := house.Events().Count(); n != 3 {
		t.Errorf("%d events are stored, want 3", n)
	}
}

// A body that panics, as a broken middleware's may, changes nothing either.
func TestPanickingBody(t *testing.T) {
	house, h := newWritable(t, Options{})
	r := call{method: "POST", target: "/api/events/", header: http.Header{"Authorization": {"Bearer s"}}}.request()
	r.Body, r.ContentLength = panickingBody{}, 10
	if got := serve(h, r); got.Status != 500 || got.Body != internalError || house.Events().Count() != 0 {
		t.Errorf("%d %s, %d events", got.Status, got.Body, house.Events().Count())
	}
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic("oops") }
func (panickingBody) Close() error             { return nil }
