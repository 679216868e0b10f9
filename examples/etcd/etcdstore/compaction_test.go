package etcdstore_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/etcd/internal/etcdtest"
)

// TestCompactionWhileAway cuts the connection of a store while others write and the
// history is compacted.
func TestCompactionWhileAway(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := cluster.Clients[0]
	writer := openStore(t, client)
	proxy := etcdtest.NewProxy(t, cluster.Members[0])
	away := storeDial(t, proxy.Addr)
	node := openStore(t, away, storeTimeout(300*time.Millisecond))
	serializable := openStore(t, away, func(opts *etcdstore.Options) { opts.Serializable = true })
	for i := range 5 {
		writer.want("write before", "POST", "genres/", fmt.Sprintf(`{"name":"G%d"}`, i), http.StatusCreated)
	}
	before := node.await("page before", "GET", "genres/", "", http.StatusOK)
	storeSame(t, "serializable page before", before, serializable.awaitPage("genres/", before))

	proxy.Cut()
	writer.want("delete", "DELETE", "genres/2/", "", http.StatusNoContent)
	writer.want("update", "PUT", "genres/3/", `{"name":"Noir"}`, http.StatusOK)
	after := writer.want("page after", "GET", "genres/", "", http.StatusOK)
	node.want("page while away", "GET", "genres/", "", http.StatusServiceUnavailable)
	storeSame(t, "serializable page while away", before, serializable.want("serializable", "GET", "genres/", "", http.StatusOK))
	storeCompact(t, client)
	node.following.all()

	proxy.Mend()
	storeSame(t, "first page", after, node.await("first page", "GET", "genres/", "", http.StatusOK))
	node.following.await(t, "watch of a compacted revision", rpctypes.ErrCompacted)
	storeSame(t, "serializable page", after, serializable.awaitPage("genres/", after))
	storeSame(t, "id after the compaction", `{"id":6,"name":"Western"}`,
		node.want("write after", "POST", "genres/", `{"name":"Western"}`, http.StatusCreated).Body)
}

// TestCompactionWhileReading compacts the history while a store reads all records, one at a
// time.
func TestCompactionWhileReading(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := cluster.Clients[0]
	writer := openStore(t, client)
	for i := range 9 {
		writer.want("write before", "POST", "genres/", fmt.Sprintf(`{"name":"G%d"}`, i), http.StatusCreated)
	}
	proxy := etcdtest.NewProxy(t, cluster.Members[0])
	away := storeDial(t, proxy.Addr)
	hook := &storeHook{KV: away.KV}
	away.KV = hook
	node := openStore(t, away)
	etcdstore.SetPageSize(node.Store, 1)

	// The store cannot follow, since the writes are compacted.
	proxy.Cut()
	writer.want("write while away", "DELETE", "genres/4/", "", http.StatusNoContent)
	writer.want("write while away", "POST", "genres/", `{"name":"G3"}`, http.StatusCreated)
	storeCompact(t, client)
	var compact sync.Once
	reads := 0
	hook.get = func(_ context.Context, key string) {
		if key <= storePrefix+"0/records/genres/" || key >= storePrefix+"0/records/genres0" {
			return
		}
		if reads++; reads > 3 {
			compact.Do(func() {
				writer.want("write while reading", "PUT", "genres/1/", `{"name":"Noir"}`, http.StatusOK)
				writer.want("write while reading", "PUT", "genres/9/", `{"name":"Western"}`, http.StatusOK)
				storeCompact(t, client)
			})
		}
	}
	proxy.Mend()
	got := node.await("first page", "GET", "genres/", "", http.StatusOK)
	storeSame(t, "first page", writer.want("page", "GET", "genres/", "", http.StatusOK), got)
	if reads < 9+3 {
		t.Errorf("%d requests for pages of records, want at least 3 before the compaction and 9 after it", reads)
	}
}

// storeCompact compacts the history up to the last revision.
func storeCompact(t *testing.T, client *clientv3.Client) {
	t.Helper()
	got, err := client.Get(t.Context(), storePrefix)
	storeMust(t, err)
	_, err = client.Compact(t.Context(), got.Header.Revision, clientv3.WithCompactPhysical())
	storeMust(t, err)
}
