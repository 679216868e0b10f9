package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.uber.org/zap"
)

// connect returns a client of the cluster, and the function that stops it. If -endpoints
// is not set, connect starts a member first.
func (c *config) connect(ctx context.Context) (client *clientv3.Client, stop func(), err error) {
	if c.endpoints != "" {
		client, err = clientv3.New(clientv3.Config{
			Endpoints:            strings.Split(c.endpoints, ","),
			DialTimeout:          c.timeout,
			DialKeepAliveTime:    2 * time.Second, // to notice that a member does not answer
			DialKeepAliveTimeout: 2 * time.Second,
			Logger:               zap.NewNop(), // errors are returned
		})
		if err != nil {
			return nil, nil, err
		}
		return client, func() { client.Close() }, nil
	}
	e, err := c.startMember(ctx)
	if err != nil {
		return nil, nil, err
	}
	client = v3client.New(e.Server)
	return client, func() {
		client.Close()
		stopMember(e)
	}, nil
}

// patience is the time in which a member hands its leadership over and finishes requests.
const patience = time.Second

// stopMember stops a member. Otherwise it would wait 7 seconds for a new leader if all
// members end at the same time, and for the watches of etcd's clients, which go on through
// another member.
func stopMember(e *embed.Etcd) {
	closed := make(chan struct{})
	go func() {
		e.Close()
		close(closed)
	}()
	select {
	case <-closed:
		return
	case <-time.After(patience):
	}
	e.Server.HardStop()
	select {
	case <-closed:
	case <-time.After(patience):
	}
}

// startMember starts a member of the cluster and waits until the cluster has a leader.
func (c *config) startMember(ctx context.Context) (*embed.Etcd, error) {
	opts := embed.NewConfig()
	opts.Name, opts.Dir = c.name, c.dir
	opts.InitialCluster = c.cluster
	opts.QuotaBackendBytes = 8 << 30
	opts.AutoCompactionMode, opts.AutoCompactionRetention = embed.CompactorModeRevision, "10000"
	opts.LogLevel = "fatal" // errors of requests are returned; the others repeat while a member is away
	peer, err := url.Parse(c.peer)
	if err != nil {
		return nil, fmt.Errorf("-peer: %w", err)
	}
	client, err := url.Parse(c.client)
	if err != nil {
		return nil, fmt.Errorf("-client: %w", err)
	}
	opts.ListenPeerUrls, opts.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	opts.ListenClientUrls, opts.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	e, err := embed.StartEtcd(opts)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w; -peer and -client set the ports of the member", err)
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-e.Server.ReadyNotify():
		return e, nil
	case err = <-e.Err():
	case <-ctx.Done():
		err = ctx.Err()
	}
	stopMember(e)
	return nil, err
}

// parseThree checks the flags of -three, and collects those that it passes to the nodes.
func (c *config) parseThree(flags *flag.FlagSet) (err error) {
	own := []string{"three", "addr", "load", "dir"}
	nodes := []string{"open", "token", "prefix", "serializable", "timeout"}
	flags.Visit(func(f *flag.Flag) {
		switch {
		case slices.Contains(nodes, f.Name):
			c.passed = append(c.passed, "-"+f.Name+"="+f.Value.String())
		case !slices.Contains(own, f.Name):
			err = cmp.Or(err, fmt.Errorf("-%s cannot be combined with -three", f.Name))
		}
	})
	c.addr = cmp.Or(c.addr, "127.0.0.1:8081")
	return err
}

// runThree runs three nodes on loopback, as processes of this program, until ctx is done.
// A node that ends is started again. The nodes end with this process, even if it is
// killed.
func runThree(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "backlist-etcd-"); err != nil {
			return err
		}
		defer os.RemoveAll(c.dir)
	}
	nodes, err := c.nodes()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	for i, args := range nodes {
		running.Go(func() {
			if i == 0 && c.load != "" {
				keepRunning(ctx, program, append(slices.Clip(args), "-load="+c.load), args, stdout, stderr)
				return
			}
			keepRunning(ctx, program, args, args, stdout, stderr)
		})
	}
	running.Wait()
	return nil
}

// nodes returns the arguments of three nodes. Those at port p listen for other members at
// p+10 and for etcd's clients at p+20.
func (c *config) nodes() (nodes [3][]string, err error) {
	host, text, err := net.SplitHostPort(c.addr)
	if err != nil {
		return nodes, fmt.Errorf("-addr: %w", err)
	}
	first, err := strconv.Atoi(text)
	if err != nil || first == 0 {
		return nodes, fmt.Errorf("-addr: -three needs the number of a port, not %q", text)
	}
	address := func(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
	cluster := fmt.Sprintf("n1=http://%s,n2=http://%s,n3=http://%s", address(first+10), address(first+11), address(first+12))
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		nodes[i] = append([]string{
			"-name=" + name,
			"-addr=" + address(first+i),
			"-dir=" + filepath.Join(c.dir, name),
			"-peer=http://" + address(first+10+i),
			"-client=http://" + address(first+20+i),
			"-cluster=" + cluster,
			"-until-eof",
		}, c.passed...)
	}
	return nodes, nil
}

// keepRunning runs a node until ctx is done. first are its arguments when it starts for the
// first time.
func keepRunning(ctx context.Context, program string, first, again []string, stdout, stderr io.Writer) {
	for args := first; ctx.Err() == nil; args = again {
		err := runNode(ctx, program, args, stdout, stderr)
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintf(stderr, "etcd: node %s ended (%v) and is started again\n", args[0], err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// runNode runs a node until it ends or ctx is done.
func runNode(ctx context.Context, program string, args []string, stdout, stderr io.Writer) error {
	node := exec.Command(program, args...)
	node.Stdout, node.Stderr = stdout, stderr
	lifeline, err := node.StdinPipe()
	if err != nil {
		return err
	}
	if err := node.Start(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "node %s is process %d\n", args[0], node.Process.Pid)
	defer context.AfterFunc(ctx, func() { lifeline.Close() })()
	return node.Wait()
}
