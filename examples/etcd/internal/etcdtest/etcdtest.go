// Package etcdtest starts embedded clusters for tests.
package etcdtest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// A Cluster is a cluster of members in this process, on loopback.
type Cluster struct {
	Members []*embed.Etcd
	Clients []*clientv3.Client // each knows one member only
	configs []*embed.Config
	stopped []bool
}

// Start starts a cluster of n members, which ends with the test. configure, if not nil,
// changes the configuration of a member. Members do not sync their files, because no test
// ends the machine.
func Start(tb testing.TB, n int, configure func(*embed.Config)) *Cluster {
	tb.Helper()
	cluster, err := New(tb.TempDir(), n, configure)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(cluster.Close)
	return cluster
}

// New is like Start, but the cluster does not end with a test. Its files are in dir.
func New(dir string, n int, configure func(*embed.Config)) (c *Cluster, err error) {
	configs, err := newConfigs(dir, n)
	if err != nil {
		return nil, err
	}
	c = &Cluster{configs: configs, stopped: make([]bool, n)}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	for _, config := range configs {
		if configure != nil {
			configure(config)
		}
		member, err := embed.StartEtcd(config)
		if err != nil {
			return nil, err
		}
		c.Members = append(c.Members, member)
	}
	for _, member := range c.Members {
		if err := await(member); err != nil {
			return nil, err
		}
		client, err := dial(member)
		if err != nil {
			return nil, err
		}
		c.Clients = append(c.Clients, client)
	}
	return c, nil
}

// newConfigs returns the configurations of the members of a cluster.
func newConfigs(dir string, n int) (configs []*embed.Config, err error) {
	urls, err := freeURLs(2 * n)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range n {
		c := embed.NewConfig()
		c.Name = fmt.Sprintf("n%d", i+1)
		c.Dir = filepath.Join(dir, c.Name)
		c.LogLevel, c.UnsafeNoFsync = "fatal", true
		c.ListenPeerUrls, c.ListenClientUrls = urls[2*i:2*i+1], urls[2*i+1:2*i+2]
		c.AdvertisePeerUrls, c.AdvertiseClientUrls = c.ListenPeerUrls, c.ListenClientUrls
		names = append(names, c.Name+"="+urls[2*i].String())
		configs = append(configs, c)
	}
	for _, c := range configs {
		c.InitialCluster = strings.Join(names, ",")
	}
	return configs, nil
}

// Close ends the clients and the members.
func (c *Cluster) Close() {
	for _, client := range c.Clients {
		client.Close()
	}
	for i := range c.Members {
		c.Stop(i)
	}
}

// await waits until a member has a leader.
func await(member *embed.Etcd) error {
	select {
	case <-member.Server.ReadyNotify():
		return nil
	case err := <-member.Err():
		return err
	case <-time.After(time.Minute):
		return errors.New("the cluster has no leader after a minute")
	}
}

// Stop stops a member, if it runs. Without a quorum, and with watches, it takes up to 7
// seconds.
func (c *Cluster) Stop(i int) {
	if !c.stopped[i] {
		c.stopped[i] = true
		c.Members[i].Close()
	}
}

// Restart starts stopped members with their files and ports, and waits until they have a
// leader.
func (c *Cluster) Restart(tb testing.TB, members ...int) {
	tb.Helper()
	for _, i := range members {
		member, err := embed.StartEtcd(c.configs[i])
		if err != nil {
			tb.Fatal(err)
		}
		c.Members[i], c.stopped[i] = member, false
	}
	for _, i := range members {
		if err := await(c.Members[i]); err != nil {
			tb.Fatal(err)
		}
	}
}

// Dial returns a client of one member.
func Dial(tb testing.TB, member *embed.Etcd) *clientv3.Client {
	tb.Helper()
	client, err := dial(member)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { client.Close() })
	return client
}

func dial(member *embed.Etcd) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints: []string{member.Config().ListenClientUrls[0].String()},
		Logger:    zap.NewNop(),
	})
}

// freeURLs returns URLs on loopback that are not in use.
func freeURLs(n int) (urls []url.URL, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		urls = append(urls, url.URL{Scheme: "http", Host: l.Addr().String()})
	}
	return urls, nil
}
