package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestPrism sends requests through prism, which compares them and their responses with the
// document, and responds with application/problem+json if they violate it. All requests
// are valid according to the document.
func TestPrism(t *testing.T) {
	t.Parallel()
	s := serve(t)
	url := startPrism(t, s.document(t, t.TempDir(), openapi.Options{}), s.url)
	statuses, violations, sent := map[int]int{}, 0, prismRequests(s)
	for _, r := range sent {
		status, kind, body := r.send(t, url)
		statuses[status]++
		if kind == "application/problem+json" {
			violations++
			t.Errorf("%s %s %.200s: %d %s", r.method, r.target, r.body, status, body)
		}
	}
	t.Logf("%d requests, %d violations, by status %v", len(sent), violations, statuses)
	if len(sent) < 700 {
		t.Errorf("%d requests, want at least 700", len(sent))
	}
	for _, status := range []int{200, 201, 204, 304, 400, 401, 403, 404, 409} {
		if statuses[status] < 5 {
			t.Errorf("%d responses with status %d, want at least 5", statuses[status], status)
		}
	}
	for _, invalid := range []request{
		{method: "GET", target: "/api/events/?limit=none"},
		{method: "GET", target: "/api/unknown/"},
		{method: "POST", target: "/api/events/", body: `{"name":"no slug"}`},
	} {
		if status, kind, _ := invalid.send(t, url); kind != "application/problem+json" {
			t.Errorf("prism does not report %s %s: %d %s", invalid.method, invalid.target, status, kind)
		}
	}
}

// startPrism starts prism as a proxy of a service and returns its URL.
func startPrism(t *testing.T, document, service string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // for a free port
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c := exec.Command(tool(t, "prism"), "proxy", "--errors", "--verboseLevel", "error", "--port", fmt.Sprint(address.Port), document, service)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		if err := c.Process.Kill(); err == nil {
			<-ended
		}
	})
	for range 600 {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("prism: %v\n%s", err, &log)
		case <-time.After(200 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", address.String()); err == nil {
			conn.Close()
			return "http://" + address.String()
		}
	}
	t.Fatal("prism does not listen after two minutes")
	return ""
}

// send sends a request to a server.
func (r request) send(t *testing.T, server string) (status int, kind, body string) {
	t.Helper()
	out, err := http.NewRequest(r.method, server+r.target, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if r.body != "" {
		out.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		out.Header[name] = values
	}
	in, err := http.DefaultClient.Do(out)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Body.Close()
	text, err := io.ReadAll(in.Body)
	if err != nil {
		t.Fatal(err)
	}
	return in.StatusCode, in.Header.Get("Content-Type"), string(text)
}
