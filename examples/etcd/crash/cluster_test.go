package crash_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
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
	addrs := freeAddrs(tb, 3*n)
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

// freeAddrs returns addresses on loopback that are not in use. Their ports are below those
// that systems choose for clients: one of the many connections of the test would otherwise
// take the port of a node while it is down.
func freeAddrs(tb testing.TB, n int) (list []string) {
	tb.Helper()
	for attempts := 0; len(list) < n; attempts++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			if attempts > 1000 {
				tb.Fatal(err)
			}
			continue
		}
		defer l.Close()
		list = append(list, l.Addr().String())
	}
	return list
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
