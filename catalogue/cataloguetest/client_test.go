package cataloguetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ways are the two that a client can be joined to a handler.
func ways() map[string]func(http.Handler, string, *log.Logger) (string, *http.Client, func(), error) {
	return map[string]func(http.Handler, string, *log.Logger) (string, *http.Client, func(), error){
		"in process": serveInProcess,
		"loopback":   serveLoopback,
	}
}

// seen is what a client saw of an exchange, in words. Both ways have to give the
// same.
type seen []string

func (s *seen) note(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// answer notes an answer with its body.
func (s *seen) answer(a *http.Response, err error) {
	if err != nil {
		s.note("no answer: %s", kind(err))
		return
	}
	defer a.Body.Close()
	s.note("%s %s, length %d, %v", a.Proto, a.Status, a.ContentLength, a.TransferEncoding)
	header := a.Header.Clone()
	if header.Get("Date") != "" {
		header.Set("Date", "some")
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range header {
			if !yield(name) {
				return
			}
		}
	}) {
		s.note("%s: %q", name, header[name])
	}
	body, err := io.ReadAll(a.Body)
	s.note("%d bytes: %.40q, then %s", len(body), body, kind(err))
	for name, values := range a.Trailer {
		s.note("trailer %s: %q", name, values)
	}
}

// kind says what an error is by what a program can ask of it. The texts of cut
// connections are those of a pipe or of a socket.
func kind(err error) string {
	var link *url.Error
	wrapped := ""
	if errors.As(err, &link) {
		wrapped = fmt.Sprintf("%s, timeout %t: ", link.Op, link.Timeout())
	}
	for _, known := range []error{nil, context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF, http.ErrContentLength,
		http.ErrBodyNotAllowed, http.ErrHandlerTimeout, errBad} {
		if err == known || known != nil && errors.Is(err, known) {
			return wrapped + fmt.Sprint(known)
		}
	}
	return wrapped + "another error"
}

var errBad = errors.New("a body that fails")

// scene is a conversation: a handler, and what a client does. Both can note what
// they see; what the handler saw comes in the order it happened.
type scene struct {
	name    string
	handler func(s *seen, w http.ResponseWriter, r *http.Request)
	client  func(s *seen, c *http.Client, base string)
}

func get(path string) func(*seen, *http.Client, string) {
	return func(s *seen, c *http.Client, base string) { s.answer(c.Get(base + path)) }
}

// body gives a reader to each request anew.
type body func() io.Reader

func short() io.Reader { return strings.NewReader("hello") }

func long(n int) body { return func() io.Reader { return strings.NewReader(strings.Repeat("b", n)) } }

func send(method, path string, body body, header ...string) func(*seen, *http.Client, string) {
	return func(s *seen, c *http.Client, base string) {
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
		s.answer(c.Do(r))
	}
}

// broken gives some bytes and fails.
type broken struct{ rest string }

func (b *broken) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	if n == 0 {
		return 0, errBad
	}
	return n, nil
}

// closing tells when it is closed.
type closing struct {
	io.Reader
	closed chan struct{}
	once   sync.Once
}

func (c *closing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func scenes() []scene {
	text := func(text string) func(*seen, http.ResponseWriter, *http.Request) {
		return func(_ *seen, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	echo := func(s *seen, w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		s.note("handler: %s %s %s, length %d, %v, body %.40q of %d, then %s", r.Method, r.RequestURI, r.Proto, r.ContentLength, r.TransferEncoding, body, len(body), kind(err))
		w.Write(body)
	}
	return []scene{
		{"what a request looks like", func(s *seen, w http.ResponseWriter, r *http.Request) {
			s.note("handler: %s %s %s %s %q %v %t %t", r.Method, r.RequestURI, r.URL, r.Proto, r.Header, r.Body == http.NoBody, r.TLS == nil, strings.HasPrefix(r.RemoteAddr, "127.0.0.1:"))
			s.note("host as in the URL: %t, close %t", r.Host != "" && r.URL.Host == "", r.Close)
		}, get("/a%2fb/?q=%20x&q=2#fragment")},
		{"a type is sniffed, a length found, an implicit 200", text("<html>"), get("/")},
		{"an answer of nothing", text(""), get("/")},
		{"a long answer is chunked", text(strings.Repeat("a", 100_000)), get("/")},
		{"a type that is set to nothing is not sniffed", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			w.Header()["Date"] = nil
			io.WriteString(w, "{}")
		}, get("/")},
		{"names of headers are canonical, odd ones of a map are not", func(s *seen, w http.ResponseWriter, r *http.Request) {
			s.note("handler: %q %q", r.Header.Values("X-One"), r.Header.Values("X-Two"))
			w.Header().Set("x-lower", " blanks around ")
			w.Header()["x-raw"] = []string{"1", "2"}
			w.Header().Set("X-Lines", "a\r\nSet-Cookie: b")
		}, send("GET", "/", nil, "x-one", "1", "X-Two", " 2 ", "X-Two", "3")},
		{"a header that cannot be sent", text(""), send("GET", "/", nil, "bad name", "1")},
		{"a value that cannot be sent", text(""), send("GET", "/", nil, "X-Value", "a\nb")},
		{"a method that cannot be sent", text(""), send("GE T", "/", nil)},
		{"headers count as they are when they are written", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Before", "1")
			w.WriteHeader(http.StatusTeapot)
			w.Header().Set("X-After", "1")
			w.Header().Set("X-Before", "2")
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, "tea")
		}, get("/")},
		{"HEAD has a length and no body", func(s *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			n, err := io.WriteString(w, "hello")
			s.note("handler: wrote %d, %s", n, kind(err))
		}, send("HEAD", "/", nil)},
		{"204 has no body", func(s *seen, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			n, err := io.WriteString(w, "hello")
			s.note("handler: wrote %d, %s", n, kind(err))
		}, get("/")},
		{"304 has no body and keeps its headers", func(s *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Etag", `"1"`)
			w.WriteHeader(http.StatusNotModified)
			_, err := io.WriteString(w, "hello")
			s.note("handler: %s", kind(err))
		}, get("/")},
		{"more bytes than the length are refused", func(s *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "3")
			n, err := io.WriteString(w, "four")
			s.note("handler: wrote %d, %s", n, kind(err))
			n, err = io.WriteString(w, "for")
			s.note("handler: wrote %d, %s", n, kind(err))
		}, get("/")},
		{"fewer bytes than the length are an unexpected end", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "four")
		}, get("/")},
		{"a length that is no number", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "many")
			io.WriteString(w, "four")
		}, get("/")},
		{"a status that is none", func(s *seen, w http.ResponseWriter, _ *http.Request) {
			defer func() { s.note("handler: %v", recover()) }()
			w.WriteHeader(99)
		}, get("/")},
		{"aborted before the header", func(*seen, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, get("/")},
		{"aborted in the body", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, get("/")},
		{"another panic", func(*seen, http.ResponseWriter, *http.Request) { panic("on purpose") }, get("/")},
		{"a body is sent with its length", echo, send("POST", "/", short)},
		{"a body of unknown length is chunked", echo, send("POST", "/", func() io.Reader { return bufio.NewReader(short()) })},
		{"a body of nothing", echo, send("POST", "/", func() io.Reader { return http.NoBody })},
		{"a body of GET", echo, send("GET", "/", short)},
		{"a long body", echo, send("PUT", "/", long(3_000_000))},
		{"a body that fails", func(_ *seen, _ http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body) // it may be that the request does not get so far
		}, send("POST", "/", func() io.Reader { return &broken{"half"} })},
		{"a body shorter than its length", echo, func(s *seen, c *http.Client, base string) {
			r, _ := http.NewRequest("POST", base, io.NopCloser(strings.NewReader("short")))
			r.ContentLength = 10
			_, err := c.Do(r)
			s.note("an error: %t", err != nil)
		}},
		{"a body longer than its length", echo, func(s *seen, c *http.Client, base string) {
			r, _ := http.NewRequest("POST", base, io.NopCloser(strings.NewReader("much longer")))
			r.ContentLength = 4
			_, err := c.Do(r)
			s.note("an error: %t", err != nil)
		}},
		{"a body that nobody reads is closed", text("no"), func(s *seen, c *http.Client, base string) {
			body := &closing{Reader: strings.NewReader(strings.Repeat("x", 1000)), closed: make(chan struct{})}
			s.answer(c.Post(base, "text/plain", body))
			<-body.closed
		}},
		{"a body beyond a handler's bound", func(s *seen, w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
			var long *http.MaxBytesError
			s.note("handler: too long %t", errors.As(err, &long))
			http.Error(w, "too long", http.StatusRequestEntityTooLarge)
		}, send("POST", "/", long(1000))},
		{"Expect: 100-continue, and the body is wanted", echo, send("POST", "/", short, "Expect", "100-continue")},
		{"Expect: something else", echo, send("POST", "/", short, "Expect", "miracles")},
		{"early hints", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</style.css>")
			w.WriteHeader(http.StatusEarlyHints)
			io.WriteString(w, "late")
		}, func(s *seen, c *http.Client, base string) {
			trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
				s.note("%d %q", code, h)
				return nil
			}}
			r, _ := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), "GET", base, nil)
			s.answer(c.Do(r))
		}},
		{"trailers", func(_ *seen, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, "body")
			w.Header().Set("X-Sum", "4")
		}, get("/")},
		{"redirects", func(s *seen, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
				return
			}
			echo(s, w, r)
		}, send("POST", "/", short)},
		{"a redirect to another host leads nowhere", func(_ *seen, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/", http.StatusFound)
		}, get("/")},
		{"cookies", func(s *seen, w http.ResponseWriter, r *http.Request) {
			s.note("handler: %v", r.Cookies())
			http.SetCookie(w, &http.Cookie{Name: "crumb", Value: "1"})
		}, func(s *seen, c *http.Client, base string) {
			c.Jar, _ = cookiejar.New(nil)
			s.answer(c.Get(base))
			s.answer(c.Get(base))
		}},
		{"user and password", func(s *seen, _ http.ResponseWriter, r *http.Request) {
			user, password, ok := r.BasicAuth()
			s.note("handler: %s %s %t", user, password, ok)
		}, func(s *seen, c *http.Client, base string) {
			s.answer(c.Get(strings.Replace(base, "://", "://me:secret@", 1)))
		}},
		{"a host of the request's own", func(s *seen, _ http.ResponseWriter, r *http.Request) { s.note("handler: %s", r.Host) },
			func(s *seen, c *http.Client, base string) {
				r, _ := http.NewRequest("GET", base, nil)
				r.Host = "other.example"
				s.answer(c.Do(r))
			}},
		{"a request that is given up before it is sent", text("no"), func(s *seen, c *http.Client, base string) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			r, _ := http.NewRequestWithContext(ctx, "GET", base, nil)
			s.answer(c.Do(r))
		}},
		{"a connection is used again after a body was read", func(s *seen, _ http.ResponseWriter, r *http.Request) { s.note("handler: %s", r.URL) },
			func(s *seen, c *http.Client, base string) {
				for i := range 3 {
					trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { s.note("used before: %t", i.Reused) }}
					r, _ := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), "GET", fmt.Sprint(base, "/", i), nil)
					s.answer(c.Do(r))
				}
				c.CloseIdleConnections()
				s.answer(c.Get(base + "/last"))
			}},
	}
}

// TestBothWaysAreOne has the same conversations both ways. What is expected in
// process is what is seen over a socket.
func TestBothWaysAreOne(t *testing.T) {
	for _, scene := range scenes() {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			all := map[string]seen{}
			for way, serve := range ways() {
				all[way] = play(t, scene, serve)
			}
			if diff := cmp.Diff(all["loopback"], all["in process"]); diff != "" {
				t.Errorf("(-loopback +in process):\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, scene scene, serve func(http.Handler, string, *log.Logger) (string, *http.Client, func(), error)) seen {
	t.Helper()
	var mu sync.Mutex
	var handlers, clients seen
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var s seen
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			handlers = append(handlers, s...)
		}()
		scene.handler(&s, w, r)
	})
	url, client, end, err := serve(handler, "http", log.New(io.Discard, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	scene.client(&clients, client, url)
	end()
	for i := range clients {
		clients[i] = strings.ReplaceAll(clients[i], url, "BASE")
	}
	return append(clients, handlers...)
}

// TestStreaming follows what cannot be written as a list: who waits for whom.
func TestStreaming(t *testing.T) {
	for way, serve := range ways() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			t.Run("the first bytes come before the handler ends", func(t *testing.T) {
				goOn := make(chan struct{})
				url, client, end, _ := serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					io.WriteString(w, "first")
					w.(http.Flusher).Flush()
					<-goOn
					io.WriteString(w, ", then")
				}), "http", log.New(io.Discard, "", 0))
				defer end()
				a, err := client.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				defer a.Body.Close()
				first := make([]byte, 5)
				if _, err := io.ReadFull(a.Body, first); err != nil || string(first) != "first" {
					t.Fatalf("%q, %v", first, err)
				}
				close(goOn)
				if rest, err := io.ReadAll(a.Body); err != nil || string(rest) != ", then" {
					t.Errorf("%q, %v", rest, err)
				}
			})
			t.Run("a client that stops reading ends the handler", func(t *testing.T) {
				ended := make(chan error, 2)
				url, client, end, _ := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for {
						if _, err := w.Write(make([]byte, 64<<10)); err != nil {
							ended <- err
							break
						}
					}
					<-r.Context().Done()
					ended <- r.Context().Err()
				}), "http", log.New(io.Discard, "", 0))
				defer end()
				a, err := client.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				a.Body.Close()
				if err := <-ended; err == nil {
					t.Error("all was written")
				}
				if err := <-ended; err != context.Canceled {
					t.Errorf("the handler's context: %v", err)
				}
			})
			t.Run("a request that is given up ends the handler", func(t *testing.T) {
				asked, ended := make(chan struct{}), make(chan error, 1)
				url, client, end, _ := serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					close(asked)
					<-r.Context().Done()
					ended <- r.Context().Err()
				}), "http", log.New(io.Discard, "", 0))
				defer end()
				ctx, cancel := context.WithCancel(t.Context())
				r, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
				go func() { <-asked; cancel() }()
				if _, err := client.Do(r); kind(err) != "Get, timeout false: context canceled" {
					t.Errorf("the client's error: %v", err)
				}
				if err := <-ended; err != context.Canceled {
					t.Errorf("the handler's context: %v", err)
				}
			})
			t.Run("a client that is out of patience ends the handler", func(t *testing.T) {
				ended := make(chan struct{})
				url, client, end, _ := serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					<-r.Context().Done()
					close(ended)
				}), "http", log.New(io.Discard, "", 0))
				defer end()
				client.Timeout = 20 * time.Millisecond
				if _, err := client.Get(url); kind(err) != "Get, timeout true: context deadline exceeded" {
					t.Errorf("the client's error: %v", err)
				}
				<-ended
			})
			t.Run("the end of the house ends all", func(t *testing.T) {
				asked := make(chan struct{})
				running := true
				url, client, end, _ := serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					close(asked)
					<-r.Context().Done()
					running = false
				}), "http", log.New(io.Discard, "", 0))
				failed := make(chan error, 1)
				go func() {
					_, err := client.Get(url)
					failed <- err
				}()
				<-asked
				end()
				if err := <-failed; err == nil || running {
					t.Errorf("the client's error: %v; handler running %t", err, running)
				}
				if _, err := client.Get(url); err == nil {
					t.Error("it still answers")
				}
			})
		})
	}
}

// TestForeignHosts: no request leaves the house, and the error says so.
func TestForeignHosts(t *testing.T) {
	for way, serve := range ways() {
		for _, scheme := range []string{"http", "https"} {
			t.Run(way+" "+scheme, func(t *testing.T) {
				url, client, end, err := serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					if (r.TLS != nil) != (scheme == "https") {
						t.Errorf("TLS: %v", r.TLS)
					}
				}), scheme, log.New(io.Discard, "", 0))
				if err != nil {
					t.Fatal(err)
				}
				defer end()
				a, err := client.Get(url)
				if err != nil || a.StatusCode != http.StatusOK || (a.TLS != nil) != (scheme == "https") {
					t.Fatalf("home: %+v, %v", a, err)
				}
				foreign := map[string]string{
					"another host": scheme + "://elsewhere.test/",
					"another port": scheme + "://" + domain + ":8080/",
					"example.com, which httptest takes for itself": scheme + "://example.com/",
				}
				if way == "in process" {
					foreign["another scheme"] = map[string]string{"http": "https", "https": "http"}[scheme] + "://" + domain
					foreign["another scheme at the same port"] = map[string]string{"http": "https", "https": "http"}[scheme] +
						"://" + domain + map[string]string{"http": ":80", "https": ":443"}[scheme]
				}
				for reason, link := range foreign {
					if _, err := client.Get(link); err == nil || !strings.Contains(err.Error(), "reaches nothing else") {
						t.Errorf("%s, %s: %v", reason, link, err)
					}
				}
			})
		}
	}
}
