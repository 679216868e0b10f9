package etcdstore_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the cluster of the tests that stop none of its members. Each test has its own
// prefix.
var shared lazyCluster

// A lazyCluster is a cluster of three members that starts when it is first used.
type lazyCluster struct {
	once    sync.Once
	dir     string
	cluster *testCluster
	err     error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// get starts the cluster if necessary and returns it.
func (l *lazyCluster) get(tb testing.TB) *testCluster {
	tb.Helper()
	l.once.Do(func() {
		if l.dir, l.err = os.MkdirTemp("", "etcdstore"); l.err == nil {
			l.cluster, l.err = newCluster(l.dir, 3, nil)
		}
	})
	if l.err != nil {
		tb.Fatal(l.err)
	}
	return l.cluster
}

// stop stops the cluster if it has started.
func (l *lazyCluster) stop() error {
	if l.cluster != nil {
		l.cluster.Close()
	}
	if l.dir == "" {
		return nil
	}
	return os.RemoveAll(l.dir)
}
