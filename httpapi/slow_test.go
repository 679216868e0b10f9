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

// pipeListener is a listener without a network, for servers in a synctest bubble.
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

// serveInBubble runs a client of a server with the timeouts of Example_server in a
// synctest bubble. The test fails if a goroutine is left.
func serveInBubble(t *testing.T, h func(*testing.T) http.Handler, client func(*testing.T, net.Conn)) {
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
		synctest.Wait() // before Shutdown, after which no request is served
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour) // lets sleeping goroutines end
		if lines.text.Len() > 0 {
			t.Errorf("the server logged: %s", &lines.text)
		}
	})
}

// status returns the status of the next response, or 0 if there is none.
func status(conn net.Conn) int {
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	return answer.StatusCode
}

// writeSlowly sends one byte each second until the connection is closed.
func writeSlowly(conn net.Conn, text string) {
	for _, c := range []byte(text) {
		if _, err := conn.Write([]byte{c}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// The server's timeouts abort requests of slow clients. Nothing is stored unless the whole
// body is received.
func TestSlowClients(t *testing.T) {
	body := postHead("Content-Length: 96")
	chunks := postHead("Transfer-Encoding: chunked")
	tests := []struct {
		reason string
		client func(t *testing.T, conn net.Conn)
		events int // stored
	}{
		{"slow header", func(t *testing.T, conn net.Conn) {
			go writeSlowly(conn, body+postableEvent)
			if got := status(conn); got != 0 && got != 400 { // from net/http, since the header was not in time
				t.Errorf("%d, want 400 or no response", got)
			}
		}, 0},
		{"slow body", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body)
			go writeSlowly(conn, postableEvent)
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"body stops", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:50])
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"chunk stops", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, chunks+"60\r\n"+postableEvent)
			if got := status(conn); got != 400 {
				t.Errorf("%d, want 400", got)
			}
		}, 0},
		{"body just in time", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:86])
			go writeSlowly(conn, postableEvent[86:])
			if got := status(conn); got != 201 {
				t.Errorf("%d, want 201", got)
			}
		}, 1},
		{"closed before the body", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body)
		}, 0},
		{"closed within the body", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent[:50])
		}, 0},
		{"closed during the response", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent)
			_, _ = conn.Read(make([]byte, 20))
		}, 1},
		{"response not read", func(t *testing.T, conn net.Conn) {
			_, _ = io.WriteString(conn, body+postableEvent)
			time.Sleep(time.Minute)
		}, 1},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			house, h := newWritable(t, Options{})
			serveInBubble(t, func(*testing.T) http.Handler { return h }, test.client)
			if got := house.Events().Count(); got != test.events {
				t.Errorf("%d events, want %d", got, test.events)
			}
		})
	}
}

// blockingCollection is a collection whose Page blocks until the context ends.
type blockingCollection struct{ *sliceCollection }

func (blockingCollection) Page(ctx context.Context, _ pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	<-ctx.Done()
	return 0, nil, ctx.Err()
}

// The context of a Page ends when the client closes the connection.
func TestClientCloses(t *testing.T) {
	var reported []error
	h := func(t *testing.T) http.Handler {
		opts := Options{OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
		return newTestHandler(t, opts, map[string]Collection{"books": blockingCollection{newCollection(1)}})
	}
	serveInBubble(t, h, func(t *testing.T, conn net.Conn) {
		_, _ = io.WriteString(conn, head("GET /api/books/ HTTP/1.1"))
	})
	if len(reported) != 1 || !errors.Is(reported[0], context.Canceled) {
		t.Errorf("OnError was called with %v, want context.Canceled", reported)
	}
}

// A body that ends early is rejected, and nothing is stored. A body that arrives in parts
// is accepted.
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
		prefix := func() io.Reader { return strings.NewReader(postableEvent[:n]) }
		for reason, body := range map[string]io.Reader{
			"ends":              prefix(),
			"unexpectedly ends": io.MultiReader(prefix(), iotest.ErrReader(io.ErrUnexpectedEOF)),
			"fails":             io.MultiReader(prefix(), iotest.ErrReader(errors.New("password is 1234"))),
			"fails with data":   iotest.DataErrReader(io.MultiReader(prefix(), iotest.ErrReader(io.ErrClosedPipe))),
			"times out":         iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(postableEvent[:n+1]))),
		} {
			if got := post(body); got.Status != 400 || strings.Contains(got.Body, "1234") {
				t.Errorf("%s after byte %d: %d %s, want 400", reason, n, got.Status, got.Body)
			}
		}
	}
	if n := house.Events().Count(); n != 0 {
		t.Errorf("%d events stored, want none", n)
	}
	for reason, body := range map[string]io.Reader{
		"one byte at a time": iotest.OneByteReader(strings.NewReader(postableEvent)),
		"half at a time":     iotest.HalfReader(strings.NewReader(postableEvent)),
		"EOF with data":      iotest.DataErrReader(strings.NewReader(postableEvent)),
	} {
		if got := post(body); got.Status != 201 {
			t.Errorf("%s: %d %s, want 201", reason, got.Status, got.Body)
		}
	}
	if n := house.Events().Count(); n != 3 {
		t.Errorf("%d events stored, want 3", n)
	}
}

// The body of the request panics, for instance because middleware replaced it.
func TestPanickingBody(t *testing.T) {
	house, h := newWritable(t, Options{})
	r := call{method: "POST", target: "/api/events/", header: http.Header{"Authorization": {"Bearer s"}}}.request()
	r.Body, r.ContentLength = panickingBody{}, 10
	if got := serve(h, r); got.Status != 500 || got.Body != internalError || house.Events().Count() != 0 {
		t.Errorf("%d %s and %d events, want 500 and none", got.Status, got.Body, house.Events().Count())
	}
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic("oops") }
func (panickingBody) Close() error             { return nil }
