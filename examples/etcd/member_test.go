package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestEndpoints runs two clients of a cluster, and ends a member.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	peers, urls := freeURLs(t, 3), freeURLs(t, 3)
	cluster := fmt.Sprintf("n1=%s,n2=%s,n3=%s", peers[0], peers[1], peers[2])
	var members [3]*process
	for i := range members {
		name := fmt.Sprintf("n%d", i+1)
		members[i] = start(t, "-name", name, "-dir", filepath.Join(dir, name), "-peer", peers[i], "-client", urls[i],
			"-cluster", cluster, "-addr", "127.0.0.1:0", "-open", "-timeout", busy)
	}
	first := start(t, "-endpoints", strings.Join(urls, ","), "-addr", "127.0.0.1:0", "-open", "-timeout", busy)
	second := start(t, "-endpoints", urls[2], "-addr", "127.0.0.1:0", "-timeout", busy)
	checkEvent(t, "A", first.address(t), second.address(t), members[0].address(t), members[1].address(t), members[2].address(t))
	if got := ask(t, "POST", second.address(t), "events/", "{}"); got.Status != http.StatusForbidden {
		t.Errorf("POST without -open: %+v, want 403", got)
	}
	checkPages(t, strings.TrimSuffix(second.address(t), "api/"))
	members[0].end(t)
	checkEvent(t, "B", members[1].address(t), second.address(t)) // two of three are a quorum
	first.end(t)
	second.end(t)
}
