package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/etcd/internal/etcdtest"
)

// TestEndpoints runs two clients of a cluster.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Start(t, 3, nil)
	var urls []string
	for _, client := range cluster.Clients {
		urls = append(urls, client.Endpoints()...)
	}
	first := start(t, "-endpoints", strings.Join(urls, ","), "-addr", "127.0.0.1:0", "-open")
	second := start(t, "-endpoints", urls[2], "-addr", "127.0.0.1:0")
	checkEvent(t, "A", first.address(t), second.address(t))
	if got := ask(t, "POST", second.address(t), "events/", "{}"); got.Status != http.StatusForbidden {
		t.Errorf("POST without -open: %+v, want 403", got)
	}
	first.end(t)
	second.end(t)
}

// TestJoin deletes the files of a member, which joins again.
func TestJoin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	peers, clients := freeURLs(t, "http", 3), freeURLs(t, "http", 3)
	cluster := fmt.Sprintf("n1=%s,n2=%s,n3=%s", peers[0], peers[1], peers[2])
	member := func(i int, more ...string) *process {
		name := fmt.Sprintf("n%d", i+1)
		return start(t, append([]string{"-name", name, "-dir", filepath.Join(dir, name), "-peer", peers[i], "-client", clients[i],
			"-addr", "127.0.0.1:0", "-open"}, more...)...)
	}
	var members [3]*process
	for i := range members {
		members[i] = member(i, "-cluster", cluster)
	}
	checkEvent(t, "A", members[2].address(t), members[0].address(t))
	members[2].end(t)
	must(t, os.RemoveAll(filepath.Join(dir, "n3")))
	checkEvent(t, "B", members[0].address(t), members[1].address(t))

	join := clients[0] + "," + clients[1]
	members[2] = member(2, "-join", join)
	checkEvent(t, "C", members[2].address(t), members[0].address(t), members[1].address(t))
	members[2].end(t)
	members[2] = member(2, "-join", join) // now with its files
	checkEvent(t, "D", members[0].address(t), members[1].address(t), members[2].address(t))
	members[1].end(t)
	checkEvent(t, "E", members[0].address(t), members[2].address(t)) // two of three are a quorum
}

// TestPassword runs clients of a cluster with users.
func TestPassword(t *testing.T) {
	cluster := etcdtest.Start(t, 1, nil)
	client, url := cluster.Clients[0], cluster.Clients[0].Endpoints()[0]
	enableAuth(t, client)
	t.Setenv("BACKLIST_ETCD_PASSWORD", "secret")
	args := []string{"-endpoints", url, "-user", "house", "-addr", "127.0.0.1:0", "-open"}
	permitted := start(t, append(args, "-prefix", "house/")...)
	checkEvent(t, "A", permitted.address(t))
	permitted.end(t)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var stderr output
	err := run(ctx, append(args, "-prefix", "other/"), strings.NewReader(""), io.Discard, &stderr)
	if err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(stderr.String(), "permission denied") {
		t.Errorf("another prefix: run = %v, log %q, want permission denied", err, &stderr)
	}
	t.Setenv("BACKLIST_ETCD_PASSWORD", "wrong")
	err = run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "authentication failed") {
		t.Errorf("wrong password: run = %v, want an error", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err = run(ctx, []string{"-endpoints", url, "-prefix", "house/"}, strings.NewReader(""), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "user name is empty") {
		t.Errorf("no user: run = %v, want an error", err)
	}
}
