package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gobacklist/backlist/examples/internal/freeport"
)

// A cluster is three nodes on loopback.
type cluster struct {
	nodes []*node
	log   string // path of the file with the output of the nodes
}

// startCluster starts three nodes with the given flags. They end with the test.
func startCluster(tb testing.TB, program string, flags ...string) *cluster {
	tb.Helper()
	const n = 3
	dir := tb.TempDir()
	addrs, err := freeport.Addresses(3 * n)
	if err != nil {
		tb.Fatal(err)
	}
	peers := ""
	for i, addr := range addrs[:n] {
		peers += fmt.Sprintf(",n%d=http://%s", i+1, addr)
	}
	c := &cluster{log: filepath.Join(dir, "log")}
	log, err := os.Create(c.log)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { log.Close() })
	for i := range n {
		node := &node{program: program, log: log}
		node.name, node.client, node.base = fmt.Sprintf("n%d", i+1), "http://"+addrs[n+i], "http://"+addrs[2*n+i]
		node.args = append([]string{
			"-name=" + node.name, "-dir=" + filepath.Join(dir, node.name), "-cluster=" + peers[1:],
			"-peer=http://" + addrs[i], "-client=" + node.client, "-addr=" + addrs[2*n+i],
			"-open", "-until-eof",
		}, flags...)
		if err := node.start(); err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = node.kill() })
		c.nodes = append(c.nodes, node)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the end of the nodes' output:\n%s", tail(c.log, 4000))
		}
	})
	for _, node := range c.nodes {
		if err := node.waitServing(time.Minute); err != nil {
			tb.Fatal(err)
		}
	}
	return c
}

// waitServing waits until the node serves a page.
func (n *node) waitServing(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, "GET", n.base+"/api/notes/?limit=1", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == 200 {
				return nil
			}
			err = errors.New(resp.Status)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%s does not serve after %v: %w", n.name, limit, err)
		}
	}
}

// leader returns the node that is etcd's leader. All nodes must be running.
func (c *cluster) leader(ctx context.Context) (*node, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		for _, n := range c.nodes {
			if leads, err := n.leads(ctx); err != nil {
				return nil, err
			} else if leads {
				return n, nil
			}
		}
		select {
		case <-time.After(50 * time.Millisecond): // an election
		case <-ctx.Done():
			return nil, errors.New("no node is the leader")
		}
	}
}

// leads reports whether the node says that it is the leader.
func (n *node) leads(ctx context.Context) (bool, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{n.client}, Logger: zap.NewNop()})
	if err != nil {
		return false, err
	}
	defer client.Close()
	status, err := client.Status(ctx, n.client)
	if err != nil {
		return false, fmt.Errorf("%s: %w", n.name, err)
	}
	return status.Leader == status.Header.MemberId, nil
}

// tail returns the end of a file.
func tail(path string, n int64) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, size-n), io.SeekStart)
	}
	text, _ := io.ReadAll(f)
	return string(text)
}

// A node is a process of the program.
type node struct {
	name    string
	program string
	args    []string
	base    string // URL of the server
	client  string // URL for etcd's clients
	log     io.Writer

	process  *exec.Cmd
	lifeline io.Closer // the node ends when it is closed, also by the end of this process
}

func (n *node) start() (err error) {
	n.process = exec.Command(n.program, n.args...)
	n.process.Stdout, n.process.Stderr = n.log, n.log
	if n.lifeline, err = n.process.StdinPipe(); err != nil {
		return err
	}
	if err := n.process.Start(); err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	return nil
}

// kill kills the process and waits for its end. It must be running.
func (n *node) kill() error {
	if err := n.process.Process.Kill(); err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	n.process.Wait() // the error says that it was killed
	if status, ok := n.process.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		return fmt.Errorf("%s ended before it was killed: %v", n.name, n.process.ProcessState)
	}
	return nil
}

// stop makes the process stop until signal continues it.
func (n *node) stop() error { return n.signal(syscall.SIGSTOP) }

// resume makes a stopped process continue.
func (n *node) resume() error { return n.signal(syscall.SIGCONT) }

func (n *node) signal(s os.Signal) error {
	if err := n.process.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %v: %w", n.name, s, err)
	}
	return nil
}

// An edit is a change of a source file of the program.
type edit struct {
	file     string // relative to the directory of the program
	old, new string // old must occur exactly once
}

// withNotes makes the program serve a collection in which all actions are possible.
// testdata/definitions.go defines it.
var withNotes = edit{
	file: "main.go",
	old:  "Client:       client,\n",
	new:  "Client:       client,\n\t\tDefinitions:  definitions(),\n",
}

// TestMain removes the program at the end.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	unedited = sync.OnceValues(func() (string, error) { return build(dir) })
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// unedited builds the program with the notes once, and returns its path.
var unedited func() (program string, err error)

// build builds the program with the notes and with edits of other files, and returns its
// path in dir.
func build(dir string, edits ...edit) (program string, err error) {
	overlay, err := overlayOf(dir, append(edits, withNotes)...)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "etcd")
	command := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	command.Dir = ".."
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// overlayOf writes the edited files to dir, and a file that makes the go command use them.
func overlayOf(dir string, edits ...edit) (path string, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	replace := map[string]string{
		filepath.Join(root, "definitions.go"): filepath.Join(root, "crash", "testdata", "definitions.go"),
	}
	for i, e := range edits {
		original := filepath.Join(root, e.file)
		text, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			return "", fmt.Errorf("%s contains the old text %d times, want once; adapt the edit:\n%s", e.file, n, e.old)
		}
		edited := filepath.Join(dir, fmt.Sprintf("edit%d.go", i))
		if err := os.WriteFile(edited, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o666); err != nil {
			return "", err
		}
		replace[original] = edited
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o666)
}
