package etcdstore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/gobacklist/backlist/examples/internal/freeport"
)

// A testCluster is a cluster of members in this process, on loopback.
type testCluster struct {
	Members []*embed.Etcd      // nil for those that are stopped
	Clients []*clientv3.Client // each knows one member only
	configs []*embed.Config
}

// startCluster starts a cluster of n members, which ends with the test. configure, if not nil,
// changes the configuration of a member.
func startCluster(tb testing.TB, n int, configure func(*embed.Config)) *testCluster {
	tb.Helper()
	cluster, err := newCluster(tb.TempDir(), n, configure)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(cluster.Close)
	return cluster
}

// newCluster is like startCluster, but the cluster does not end with a test. Its files are in
// dir. Members do not sync them, because no test ends the machine.
func newCluster(dir string, n int, configure func(*embed.Config)) (*testCluster, error) {
	c := &testCluster{Members: make([]*embed.Etcd, n)}
	members := ""
	for i := range n {
		urls, err := freeURLs(2)
		if err != nil {
			return nil, err
		}
		config := embed.NewConfig()
		config.Name = fmt.Sprintf("n%d", i+1)
		config.Dir = filepath.Join(dir, config.Name)
		config.LogLevel, config.UnsafeNoFsync = "fatal", true
		config.ListenPeerUrls, config.AdvertisePeerUrls = urls[:1], urls[:1]
		config.ListenClientUrls, config.AdvertiseClientUrls = urls[1:], urls[1:]
		members += "," + config.Name + "=" + urls[0].String()
		c.configs = append(c.configs, config)
	}
	var all []int
	for i, config := range c.configs {
		config.InitialCluster = members[1:]
		if configure != nil {
			configure(config)
		}
		all = append(all, i)
	}
	err := c.start(all)
	for i := 0; err == nil && i < n; i++ {
		var client *clientv3.Client
		if client, err = c.dial(i); err == nil {
			c.Clients = append(c.Clients, client)
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// start starts members and waits until they have a leader.
func (c *testCluster) start(members []int) (err error) {
	for _, i := range members {
		if c.Members[i], err = embed.StartEtcd(c.configs[i]); err != nil {
			return err
		}
	}
	for _, i := range members {
		select {
		case <-c.Members[i].Server.ReadyNotify():
		case err := <-c.Members[i].Err():
			return err
		case <-time.After(time.Minute):
			return errors.New("the cluster has no leader after a minute")
		}
	}
	return nil
}

func (c *testCluster) dial(i int) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{c.configs[i].ListenClientUrls[0].String()}, Logger: zap.NewNop()})
}

// Close ends the clients and the members.
func (c *testCluster) Close() {
	for _, client := range c.Clients {
		client.Close()
	}
	for i := range c.Members {
		c.Stop(i)
	}
}

// Stop stops a member, if it runs. Without a quorum, and with watches, it takes up to 7
// seconds.
func (c *testCluster) Stop(i int) {
	if c.Members[i] != nil {
		c.Members[i].Close()
		c.Members[i] = nil
	}
}

// Restart starts stopped members with their files and ports, and waits until they have a
// leader.
func (c *testCluster) Restart(tb testing.TB, members ...int) {
	tb.Helper()
	if err := c.start(members); err != nil {
		tb.Fatal(err)
	}
}

// freeURLs returns URLs on loopback that are not in use.
func freeURLs(n int) (urls []url.URL, err error) {
	free, err := freeport.Addresses(n)
	for _, host := range free {
		urls = append(urls, url.URL{Scheme: "http", Host: host})
	}
	return urls, err
}

// A memberProxy forwards TCP connections to a member until it is cut.
type memberProxy struct {
	Addr  string
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

// newProxy returns a proxy of a member for its clients, which ends with the test.
func newProxy(tb testing.TB, member *embed.Etcd) *memberProxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &memberProxy{Addr: l.Addr().String()}
	tb.Cleanup(func() { l.Close(); p.Cut() })
	go func() {
		for client, err := l.Accept(); err == nil; client, err = l.Accept() {
			p.forward(client, member.Config().ListenClientUrls[0].Host)
		}
	}()
	return p
}

func (p *memberProxy) forward(client net.Conn, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		client.Close()
		return
	}
	member, err := net.Dial("tcp", address)
	if err != nil {
		client.Close()
		return
	}
	p.conns = append(p.conns, client, member)
	for _, way := range [][2]net.Conn{{client, member}, {member, client}} {
		go func() {
			io.Copy(way[0], way[1])
			way[0].Close()
		}()
	}
}

// Cut closes all connections, and new ones until Mend is called.
func (p *memberProxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for _, conn := range p.conns {
		conn.Close()
	}
}

// Mend ends a Cut.
func (p *memberProxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}
