package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// parseThree checks the flags of -three, and collects those that it passes to the nodes.
func (c *config) parseThree(flags *flag.FlagSet) (err error) {
	own := []string{"three", "addr", "load", "dir"}
	nodes := []string{"open", "token", "prefix", "serializable", "timeout", "quota"}
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
	temporary := c.dir == ""
	if temporary {
		if c.dir, err = os.MkdirTemp("", "backlist-etcd-"); err != nil {
			return err
		}
		defer os.RemoveAll(c.dir)
	}
	nodes, err := c.nodes(temporary)
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
func (c *config) nodes(temporary bool) (nodes [3][]string, err error) {
	host, text, err := net.SplitHostPort(c.addr)
	if err != nil {
		return nodes, fmt.Errorf("-addr: %w", err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nodes, fmt.Errorf("-addr: %w", err)
	}
	addrs, err := freeAddrs(3 * len(nodes)) // of HTTP, of members and of etcd's clients
	if err != nil {
		return nodes, err
	}
	if port > 0 {
		for i := range addrs {
			addrs[i] = net.JoinHostPort(host, strconv.Itoa(port+i%3+i/3*10))
		}
	} else if !temporary {
		return nodes, fmt.Errorf("-addr: port 0 cannot be combined with -dir, because a member keeps its ports")
	}
	cluster := fmt.Sprintf("n1=http://%s,n2=http://%s,n3=http://%s", addrs[3], addrs[4], addrs[5])
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		nodes[i] = append([]string{
			"-name=" + name,
			"-addr=" + addrs[i],
			"-dir=" + filepath.Join(c.dir, name),
			"-peer=http://" + addrs[3+i],
			"-client=http://" + addrs[6+i],
			"-cluster=" + cluster,
			"-until-eof",
		}, c.passed...)
	}
	return nodes, nil
}

// freeAddrs returns addresses on loopback that are not in use.
func freeAddrs(n int) (list []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		list = append(list, l.Addr().String())
	}
	return list, nil
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
