// Package etcdtest starts embedded clusters for tests.
package etcdtest

import (
	"fmt"
	"net"
	"net/url"
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
	var configs []*embed.Config
	var names []string
	urls := freeURLs(tb, 2*n)
	for i := range n {
		c := embed.NewConfig()
		c.Name, c.Dir = fmt.Sprintf("n%d", i+1), tb.TempDir()
		c.LogLevel, c.UnsafeNoFsync = "fatal", true
		c.ListenPeerUrls, c.ListenClientUrls = urls[2*i:2*i+1], urls[2*i+1:2*i+2]
		c.AdvertisePeerUrls, c.AdvertiseClientUrls = c.ListenPeerUrls, c.ListenClientUrls
		names = append(names, c.Name+"="+urls[2*i].String())
		configs = append(configs, c)
	}
	cluster := &Cluster{configs: configs, stopped: make([]bool, n)}
	for _, c := range configs {
		c.InitialCluster = strings.Join(names, ",")
		if configure != nil {
			configure(c)
		}
		member, err := embed.StartEtcd(c)
		if err != nil {
			tb.Fatal(err)
		}
		cluster.Members = append(cluster.Members, member)
		i := len(cluster.Members) - 1
		tb.Cleanup(func() { cluster.Stop(i) })
	}
	for _, member := range cluster.Members {
		await(tb, member)
		cluster.Clients = append(cluster.Clients, Dial(tb, member))
	}
	return cluster
}

// await waits until a member has a leader.
func await(tb testing.TB, member *embed.Etcd) {
	tb.Helper()
	select {
	case <-member.Server.ReadyNotify():
	case err := <-member.Err():
		tb.Fatal(err)
	case <-time.After(time.Minute):
		tb.Fatal("the cluster has no leader after a minute")
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
		await(tb, c.Members[i])
	}
}

// Dial returns a client of one member.
func Dial(tb testing.TB, member *embed.Etcd) *clientv3.Client {
	tb.Helper()
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{member.Config().ListenClientUrls[0].String()},
		Logger:    zap.NewNop(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { client.Close() })
	return client
}

// freeURLs returns URLs on loopback that are not in use.
func freeURLs(tb testing.TB, n int) (urls []url.URL) {
	tb.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		urls = append(urls, url.URL{Scheme: "http", Host: l.Addr().String()})
	}
	return urls
}
