package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/internal/freeport"
)

// TestMain runs the program itself in the nodes that -three starts.
func TestMain(m *testing.M) {
	if os.Getenv("BACKLIST_ETCD_TEST_NODE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// output is a writer of several goroutines.
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

// find waits until there are n matches of a pattern, and returns the first group of each.
func (o *output) find(t *testing.T, pattern string, n int) (groups []string) {
	t.Helper()
	for range 1200 {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(o.String(), -1)
		if len(found) >= n {
			for _, match := range found {
				groups = append(groups, match[1])
			}
			return groups
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %d matches of %q in the output:\n%s", n, pattern, o)
	return nil
}

const servingAt = `serving (http://\S*/api/)`

// process is a running program.
type process struct {
	stdout, stderr *output
	cancel         context.CancelFunc
	ended          chan error
}

// busy is a -timeout that a busy machine with a slow disk meets.
const busy = "1m"

// start runs the program until end is called, or the test ends.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{&output{}, &output{}, cancel, make(chan error, 1)}
	go func() {
		err := run(ctx, args, strings.NewReader(""), p.stdout, p.stderr)
		if err != nil {
			io.WriteString(p.stdout, "ended: "+err.Error()) // for the message of find
		}
		p.ended <- err
		close(p.ended)
	}()
	t.Cleanup(func() { cancel(); <-p.ended })
	return p
}

// address waits until the program serves, and returns the URL.
func (p *process) address(t *testing.T) string {
	t.Helper()
	return p.stdout.find(t, servingAt, 1)[0]
}

// end ends the program and checks that it reports no error.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.cancel()
	if err := <-p.ended; err != nil {
		t.Errorf("run = %v", err)
	}
}

// answer is the part of a response that tests compare.
type answer struct {
	Status int
	ETag   string
	Body   string
}

// ask sends a request and leaves the connection open.
func ask(t *testing.T, method, base, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	must(t, err)
	r.Host = "house.example" // links, and therefore tags, depend on it
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response.StatusCode, response.Header.Get("ETag"), string(text)}
}

// checkEvent creates an event through one node and reads it through others. During an
// election it may not be known whether an event is stored; checkEvent then creates another.
func checkEvent(t *testing.T, name, writer string, readers ...string) {
	t.Helper()
	var created answer
	for attempt := range 10 {
		slug := fmt.Sprintf("%s-%d", name, attempt)
		created = ask(t, "POST", writer, "events/", `{"name":"`+name+`","slug":"`+slug+`","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-02T18:00:00Z"}`)
		if created.Status != http.StatusServiceUnavailable {
			break
		}
	}
	if created.Status != http.StatusCreated || !strings.Contains(created.Body, name) {
		t.Fatalf("POST: %+v", created)
	}
	want := ask(t, "GET", writer, "events/?ordering=-id", "")
	if want.ETag == "" || !strings.Contains(want.Body, created.Body) {
		t.Errorf("GET: %+v, want a tag and the record %s", want, created.Body)
	}
	for _, reader := range readers {
		if got := ask(t, "GET", reader, "events/?ordering=-id", ""); got != want {
			t.Errorf("page of another node: %+v, want %+v", got, want)
		}
	}
}

// checkPages checks that browsers get pages.
func checkPages(t *testing.T, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	must(t, err)
	r.Header.Set("Accept", "text/html")
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	if path := response.Request.URL.Path; path != "/api/" || !strings.Contains(string(text), "Catalogue in etcd</bdi></h1>") {
		t.Errorf("the page of / is %s: %s", path, text)
	}
}

// freePorts returns the first of 24 ports at which nothing listens.
func freePorts(t *testing.T) (first int) {
	t.Helper()
	for first = 20080; first < 30000; first += 24 {
		taken := false
		for port := range 24 {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+port))
			if err != nil {
				taken = true
				break
			}
			l.Close()
		}
		if !taken {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}

// freeURLs returns URLs on loopback that are not in use.
func freeURLs(t *testing.T, n int) (urls []string) {
	t.Helper()
	free, err := freeport.Addresses(n)
	must(t, err)
	for _, address := range free {
		urls = append(urls, "http://"+address)
	}
	return urls
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestThree starts three nodes, kills one, and ends them.
func TestThree(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("BACKLIST_ETCD_TEST_NODE", "1")
	three := start(t, "-three", "-addr", fmt.Sprintf("127.0.0.1:%d", freePorts(t)), "-open", "-timeout", busy)
	nodes := three.stdout.find(t, servingAt, 3)
	processes := three.stdout.find(t, `is process (\d+)`, 3)
	for i := range nodes {
		checkEvent(t, "L"+strconv.Itoa(i), nodes[i], nodes...)
	}
	killed, err := strconv.Atoi(processes[1])
	must(t, err)
	must(t, syscall.Kill(killed, syscall.SIGKILL))
	processes = three.stdout.find(t, `is process (\d+)`, 4)
	three.stdout.find(t, servingAt, 4)
	for i := range nodes {
		checkEvent(t, "K"+strconv.Itoa(i), nodes[i], nodes...)
	}
	three.end(t)
	for _, text := range processes {
		pid, err := strconv.Atoi(text)
		must(t, err)
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("process %d after the end: %v, want %v", pid, err, syscall.ESRCH)
		}
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string(nil), names); diff != "" {
		t.Errorf("files after the end: -want +got\n%s", diff)
	}
}

func TestInvalidArguments(t *testing.T) {
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"unexpected argument", []string{"books"}, `unexpected argument "books"`},
		{"unknown flag", []string{"-x"}, "unknown flag -x: want one of "},
		{"two authorizers", []string{"-open", "-token", "t"}, "-open and -token"},
		{"client in a cluster", []string{"-endpoints", "http://x", "-cluster", "n1=http://x"}, "-endpoints cannot be combined"},
		{"no time", []string{"-timeout", "0s"}, "-timeout is not positive"},
		{"prefix", []string{"-prefix", "house"}, `-prefix "house" does not end with a slash`},
		{"three with a name", []string{"-three", "-name", "n1"}, "-name cannot be combined with -three"},
		{"three clients", []string{"-three", "-endpoints", "http://x"}, "-endpoints cannot be combined with -three"},
		{"three without a port", []string{"-three", "-addr", "127.0.0.1"}, "-addr"},
		{"three with port 0", []string{"-three", "-addr", "127.0.0.1:0"}, "needs the number of a port"},
		{"invalid peer URL", []string{"-peer", ":"}, "-peer"},
	} {
		t.Chdir(t.TempDir())
		err := run(t.Context(), row.args, strings.NewReader(""), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: run(%q) = %v, want an error with %q", row.reason, row.args, err, row.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run(-h) = %v, want %v", err, flag.ErrHelp)
	}
}
