package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/etcd/internal/etcdtest"
	"github.com/gobacklist/backlist/httpapi"
)

// TestNoQuorum stops two of three members and starts them again.
func TestNoQuorum(t *testing.T) {
	t.Parallel()
	const timeout = 700 * time.Millisecond
	cluster := etcdtest.Start(t, 3, nil)
	node := openStore(t, cluster.Clients[0], storeTimeout(timeout))
	reader := openStore(t, cluster.Clients[0], storeTimeout(timeout), func(opts *etcdstore.Options) { opts.Serializable = true })
	first := node.want("first write", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	page := node.want("first page", "GET", "genres/", "", http.StatusOK)
	storeSame(t, "serializable page", page, reader.awaitPage("genres/", page))

	cluster.Stop(1)
	cluster.Stop(2)
	for _, row := range []struct{ reason, method, path, body string }{
		{"page", "GET", "genres/", ""},
		{"page with an ordering", "GET", "genres/?ordering=-name", ""},
		{"empty page", "GET", "films/", ""},
		{"record", "GET", "genres/1/", ""},
		{"no record", "GET", "genres/7/", ""},
		{"create", "POST", "genres/", `{"name":"Western"}`},
		{"invalid create", "POST", "genres/", `{"name":[]}`},
		{"update", "PATCH", "genres/1/", `{"name":"Western"}`},
		{"delete", "DELETE", "genres/1/", ""},
	} {
		node.requests.all()
		start := time.Now()
		reply := node.want(row.reason, row.method, row.path, row.body, http.StatusServiceUnavailable)
		if d := time.Since(start); d < timeout || d > timeout+2*time.Second {
			t.Errorf("%s: a response after %v, want one after %v", row.reason, d, timeout)
		}
		storeSame(t, row.reason+": Retry-After", "1", reply.RetryAfter)
		errs := node.requests.all()
		if len(errs) != 1 || !errors.Is(errs[0], httpapi.ErrUnavailable) || errs[0].Error() == httpapi.ErrUnavailable.Error() {
			t.Errorf("%s: OnError was called with %v, want one %v with a cause", row.reason, errs, httpapi.ErrUnavailable)
		}
		storeSame(t, row.reason+": serializable page", page, reader.do("GET", "genres/", ""))
	}

	cluster.Restart(t, 1, 2)
	storeSame(t, "page with a quorum", page, node.await("quorum", "GET", "genres/", "", http.StatusOK))
	storeSame(t, "record with a quorum", first.Body, node.want("quorum", "GET", "genres/1/", "", http.StatusOK).Body)
	second := node.await("write with a quorum", "POST", "genres/", `{"name":"Western"}`, http.StatusCreated)
	storeSame(t, "no id was used without a quorum", `{"id":2,"name":"Western"}`, second.Body)
	page = node.want("page after the write", "GET", "genres/", "", http.StatusOK)
	storeSame(t, "serializable page after the write", page, reader.awaitPage("genres/", page))
}

// TestOpenWithoutQuorum opens a store that is not reachable until later.
func TestOpenWithoutQuorum(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	openStore(t, cluster.Clients[0]).want("write", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	proxy := etcdtest.NewProxy(t, cluster.Members[0])
	proxy.Cut()

	var errs storeErrors
	opts := etcdstore.Options{
		Client: storeDial(t, proxy.Addr), Prefix: storePrefix, Definitions: storeDefinitions(),
		Timeout: 200 * time.Millisecond, OnError: errs.add,
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := etcdstore.Open(ctx, opts)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open without a member: %v, want %v", err, context.DeadlineExceeded)
	}
	if len(errs.all()) == 0 {
		t.Error("OnError was not called while Open waited")
	}
	time.AfterFunc(500*time.Millisecond, proxy.Mend)
	node := openStore(t, opts.Client)
	storeSame(t, "record", `{"id":1,"name":"Noir"}`, node.want("opened", "GET", "genres/1/", "", http.StatusOK).Body)
}

// TestWatchEnds cuts the connections to one member after the other. The watch is at one of
// them.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Start(t, 3, nil)
	proxies := []*etcdtest.Proxy{etcdtest.NewProxy(t, cluster.Members[0]), etcdtest.NewProxy(t, cluster.Members[1])}
	writer := openStore(t, cluster.Clients[2])
	node := openStore(t, storeDial(t, proxies[0].Addr, proxies[1].Addr))
	for i := range 6 {
		proxies[i%2].Cut()
		want := writer.want("write", "POST", "genres/", fmt.Sprintf(`{"name":"G%d"}`, i), http.StatusCreated)
		path := fmt.Sprintf("genres/%d/", i+1)
		storeSame(t, path, want.Body, node.await("read after a cut", "GET", path, "", http.StatusOK).Body)
		proxies[i%2].Mend()
	}
}

// awaitPage waits until a page is as wanted, and returns the last one.
func (n *storeNode) awaitPage(path string, want storeReply) (got storeReply) {
	for range 500 {
		if got = n.do("GET", path, ""); got == want {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return got
}
