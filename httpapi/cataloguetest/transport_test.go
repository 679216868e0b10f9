package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/google/go-cmp/cmp"
)

// A connect connects a client to a handler.
type connect func(h http.Handler, secure bool, errorLog *log.Logger) (url string, client *http.Client, end func())

func transports() map[string]connect {
	return map[string]connect{"in process": fake.Serve, "loopback": serveLoopback}
}

// serveLoopback serves a handler over a socket. Its client connects to no other address.
func serveLoopback(h http.Handler, _ bool, errorLog *log.Logger) (url string, client *http.Client, end func()) {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = errorLog
	server.Start()
	client = server.Client()
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if own := server.Listener.Addr().String(); addr != own {
			return nil, fmt.Errorf("%s does not connect to other addresses: %s", own, addr)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
	return server.URL, client, func() {
		server.CloseClientConnections() // Close waits for responses that are not read
		server.Close()
	}
}

// serve connects a client to a handler, until the test ends or end is called.
func (c connect) serve(t *testing.T, secure bool, h http.HandlerFunc) (url string, client *http.Client, end func()) {
	t.Helper()
	url, client, end = c(h, secure, log.New(io.Discard, "", 0))
	end = sync.OnceFunc(end)
	t.Cleanup(end)
	return url, client, end
}

// A transcript lists what a client and a handler see of their exchanges.
type transcript []string

func (s *transcript) note(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// response records a response with its body.
func (s *transcript) response(a *http.Response, err error) {
	if err != nil {
		s.note("no response: %s", errorKind(err))
		return
	}
	defer a.Body.Close()
	s.note("%s %s, length %d, %v", a.Proto, a.Status, a.ContentLength, a.TransferEncoding)
	header := a.Header.Clone()
	if header.Get("Date") != "" {
		header.Set("Date", "some")
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		s.note("%s: %q", name, header[name])
	}
	body, err := io.ReadAll(a.Body)
	s.note("%d bytes: %.40q, then %s", len(body), body, errorKind(err))
	for name, values := range a.Trailer {
		s.note("trailer %s: %q", name, values)
	}
}

// errorKind describes an error by the properties that a program can test. The texts of
// errors of cut connections differ between pipes and sockets.
func errorKind(err error) string {
	var link *url.Error
	wrapped := ""
	if errors.As(err, &link) {
		wrapped = fmt.Sprintf("%s, timeout %t: ", link.Op, link.Timeout())
	}
	for _, known := range []error{nil, context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF, errBody} {
		if err == known || known != nil && errors.Is(err, known) {
			return wrapped + fmt.Sprint(known)
		}
	}
	return wrapped + "another error"
}

var errBody = errors.New("body fails")

// A conversation is a handler and a client that exchange messages. Both record what they
// see.
type conversation struct {
	name    string
	handler func(s *transcript, w http.ResponseWriter, r *http.Request)
	client  func(s *transcript, c *http.Client, base string)
}

func getting(path string) func(*transcript, *http.Client, string) {
	return func(s *transcript, c *http.Client, base string) { s.response(c.Get(base + path)) }
}

// A body returns a new reader for each request.
type body func() io.Reader

func sending(method, path string, body body, header ...string) func(*transcript, *http.Client, string) {
	return func(s *transcript, c *http.Client, base string) {
		var reader io.Reader
		if body != nil {
			reader = body()
		}
		r, err := http.NewRequest(method, base+path, reader)
		if err != nil {
			s.note("no request: %v", err)
			return
		}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header[header[i]] = append(r.Header[header[i]], header[i+1])
		}
		s.response(c.Do(r))
	}
}

// A failingReader returns some bytes and then an error.
type failingReader struct{ rest string }

func (b *failingReader) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	if n == 0 {
		return 0, errBody
	}
	return n, nil
}

// A closeNotifier closes a channel when it is closed.
type closeNotifier struct {
	io.Reader
	closed chan struct{}
	once   sync.Once
}

func (c *closeNotifier) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// conversations returns exchanges that depend on the connection. What net/http does with
// headers and bodies on both sides of it is the same in process and over a socket.
func conversations() []conversation {
	text := func(text string) func(*transcript, http.ResponseWriter, *http.Request) {
		return func(_ *transcript, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	return []conversation{
		{"request as received", func(s *transcript, w http.ResponseWriter, r *http.Request) {
			s.note("handler: %s %s %s %s %q %v %t %t", r.Method, r.RequestURI, r.URL, r.Proto, r.Header, r.Body == http.NoBody, r.TLS == nil, strings.HasPrefix(r.RemoteAddr, "127.0.0.1:"))
			s.note("host as in the URL: %t, close %t", r.Host != "" && r.URL.Host == "", r.Close)
		}, getting("/a%2fb/?q=%20x&q=2#fragment")},
		{"long response is chunked", text(strings.Repeat("a", 100_000)), getting("/")},
		{"abort before the header", func(*transcript, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, getting("/")},
		{"abort in the body", func(_ *transcript, w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, getting("/")},
		{"request body that fails", func(_ *transcript, _ http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body) // the request may not get this far
		}, sending("POST", "/", func() io.Reader { return &failingReader{"half"} })},
	}
}

// TestTransportsAgree checks that clients and handlers see the same in process as over a
// socket.
func TestTransportsAgree(t *testing.T) {
	for _, c := range conversations() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := map[string]transcript{}
			for name, transport := range transports() {
				all[name] = converse(t, c, transport)
			}
			if diff := cmp.Diff(all["loopback"], all["in process"]); diff != "" {
				t.Errorf("(-loopback +in process):\n%s", diff)
			}
		})
	}
}

func converse(t *testing.T, c conversation, transport connect) transcript {
	t.Helper()
	var mu sync.Mutex
	var handlers, clients transcript
	url, client, end := transport.serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		var s transcript
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			handlers = append(handlers, s...)
		}()
		c.handler(&s, w, r)
	})
	c.client(&clients, client, url)
	end()
	for i := range clients {
		clients[i] = strings.ReplaceAll(clients[i], url, "BASE")
	}
	return append(clients, handlers...)
}

func TestOtherAddresses(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			url, client, _ := connect(fake.Serve).serve(t, scheme == "https", func(_ http.ResponseWriter, r *http.Request) {
				if (r.TLS != nil) != (scheme == "https") {
					t.Errorf("TLS: %v", r.TLS)
				}
			})
			a, err := client.Get(url)
			if err != nil || a.StatusCode != http.StatusOK || (a.TLS != nil) != (scheme == "https") {
				t.Fatalf("own address: %+v, %v", a, err)
			}
			other := map[string]string{"http": "https", "https": "http"}[scheme] + "://" + fake.Domain
			for reason, link := range map[string]string{
				"other host":              scheme + "://elsewhere.test/",
				"other port":              scheme + "://" + fake.Domain + ":8080/",
				"other scheme":            other,
				"other scheme, same port": other + map[string]string{"http": ":80", "https": ":443"}[scheme],
			} {
				if _, err := client.Get(link); err == nil || !strings.Contains(err.Error(), "does not connect to other addresses") {
					t.Errorf("%s, %s: %v", reason, link, err)
				}
			}
		})
	}
}

func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := New(t)
		start := time.Now()
		resp, err := server.Client.Get(server.URL + "/api/events/?limit=1000")
		must(t, err)
		body, err := io.ReadAll(resp.Body)
		if resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK || len(body) < 1000 {
			t.Errorf("status %d, %d bytes, %v", resp.StatusCode, len(body), err)
		}
		if date, err := http.ParseTime(resp.Header.Get("Date")); err != nil || !date.Equal(start) {
			t.Errorf("Date = %v, want %v", date, start)
		}
		time.Sleep(time.Hour) // with an idle connection
		if took := time.Since(start); took != time.Hour {
			t.Errorf("took %v, want 1h", took)
		}
	})
}

// TestSynctestAbandonedPage checks that a page that the client abandons and fetches again
// counts once.
func TestSynctestAbandonedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := New(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/events/?limit=300", nil)
		must(t, err)
		resp, err := server.Client.Do(r)
		must(t, err)
		cancel()
		synctest.Wait() // until the client has noticed, it continues to read
		if _, err := io.Copy(io.Discard, resp.Body); err != context.Canceled {
			t.Errorf("reading the abandoned page: %v, want %v", err, context.Canceled)
		}
		resp.Body.Close()
		resp, err = server.Client.Get(server.URL + "/api/events/?limit=300")
		must(t, err)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		synctest.Wait() // until the first handler has noticed
		if log := server.Exchanges(); !log[0].Aborted || log[1].Aborted {
			t.Errorf("Aborted = %t, %t, want true, false", log[0].Aborted, log[1].Aborted)
		}
	})
}
