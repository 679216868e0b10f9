package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

// storeLarge returns the body of a genre whose name has the given length.
func storeLarge(name string, length int) string {
	return fmt.Sprintf(`{"name":"%s%s"}`, name, strings.Repeat("x", length-len(name)))
}

// TestTooLarge posts records that etcd, or its client, refuses.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	genres := storeCollection(node.Store, "genres")
	const want = `{"nonFieldErrors":["The record is too large to be stored."]}`
	for _, row := range []struct {
		reason string
		length int
		cause  error
	}{
		{"larger than a request to a member", 1_600_000, rpctypes.ErrRequestTooLarge},
		{"larger than a message of the client", 3_000_000, nil},
	} {
		before := storeKeys(t, client)
		reply := node.want(row.reason, "POST", "genres/", storeLarge("A", row.length), http.StatusBadRequest)
		storeSame(t, row.reason, want, reply.Body)
		_, err := genres.Create(t.Context(), []byte(storeLarge("A", row.length)), schema.Record{})
		if !errors.Is(err, etcdstore.ErrTooLarge) || row.cause != nil && !errors.Is(err, row.cause) {
			t.Errorf("%s: Create = %v, want %v with %v", row.reason, err, etcdstore.ErrTooLarge, row.cause)
		}
		if code := status.Code(errors.Unwrap(err)); row.cause == nil && !strings.Contains(err.Error(), codes.ResourceExhausted.String()) {
			t.Errorf("%s: Create = %v with code %v, want %v of the client", row.reason, err, code, codes.ResourceExhausted)
		}
		storeSame(t, row.reason+": keys", before, storeKeys(t, client))
	}
	storeSame(t, "the next record", `{"id":1,"name":"B"}`, node.want("next", "POST", "genres/", `{"name":"B"}`, http.StatusCreated).Body)
	node.want("large update", "PATCH", "genres/1/", storeLarge("A", 1_600_000), http.StatusBadRequest)
	storeSame(t, "the record", `{"id":1,"name":"B"}`, node.want("record", "GET", "genres/1/", "", http.StatusOK).Body)
	node.want("below the limit", "POST", "genres/", storeLarge("C", 1_400_000), http.StatusCreated)
}

// TestDeleteFromManyLists deletes a genre that is in more lists than a transaction can
// write, while others read and write.
func TestDeleteFromManyLists(t *testing.T) {
	t.Parallel()
	const n = 500
	client := storeMember(t).Clients[0]
	node, other := openStore(t, client), openStore(t, client)
	films := make([]string, n)
	for i := range films {
		films[i] = fmt.Sprintf(`{"id":%d,"name":"F","genres":[2,1]}`, i+1)
	}
	storeMust(t, node.Load(t.Context(), strings.NewReader(`{"genres":[{"id":1,"name":"A"},{"id":2,"name":"B"}],"films":[`+strings.Join(films, ",")+`]}`)))
	var writer sync.WaitGroup
	ended := make(chan bool)
	writer.Go(func() {
		for i := 0; ; i++ {
			other.want("write meanwhile", "PATCH", "genres/2/", fmt.Sprintf(`{"name":"B%d"}`, i), http.StatusOK)
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	node.want("delete", "DELETE", "genres/1/", "", http.StatusNoContent)
	close(ended)
	writer.Wait()
	other.want("deleted", "GET", "genres/1/", "", http.StatusNotFound)
	want := strings.Join(films, ",")
	want = strings.ReplaceAll(want, "[2,1]", "[2]")
	if page := other.want("lists", "GET", "films/?limit=1000&ordering=id", "", http.StatusOK); !strings.Contains(page.Body, want) {
		t.Errorf("lists after the deletion: %.300s", page.Body)
	}
	for key, value := range storeKeys(t, client) {
		if strings.Contains(value, "[2,1]") || strings.HasSuffix(key, "/records/genres/0000000000000000001") {
			t.Errorf("key %s has %s", key, value)
		}
	}
}

// TestReferrers renames and deletes a record to which others refer, through two stores. What is
// more than a transaction permits is refused, and nothing changes.
func TestReferrers(t *testing.T) {
	t.Parallel()
	type user struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	type note struct {
		ID   int     `json:"id"`
		User string  `json:"user" backlist:"refers=users.name,ondelete=cascade"`
		Last *string `json:"last" backlist:"refers=users.name,ondelete=setnull"`
	}
	client := storeMember(t).Clients[0]
	configure := func(opts *etcdstore.Options) {
		opts.Definitions = []etcdstore.Definition{
			etcdstore.Of(catalogue.Define[user]("users", catalogue.Options{})), etcdstore.Of(catalogue.Define[note]("notes", catalogue.Options{})),
		}
	}
	node, other := openStore(t, client, configure), openStore(t, client, configure)
	many := make([]string, 81)
	for i := range many {
		many[i] = fmt.Sprintf(`{"id":%d,"user":"many","last":"ann"}`, 10+i)
	}
	const users, notes = `{"id":1,"name":"ann"},{"id":2,"name":"bo"},{"id":3,"name":"many"}`, `{"id":1,"user":"ann","last":"bo"},{"id":2,"user":"bo","last":"ann"}`
	storeMust(t, node.Load(t.Context(), strings.NewReader(`{"users":[`+users+`],"notes":[`+notes+`,`+strings.Join(many, ",")+`]}`)))
	for _, row := range []struct {
		reason, method, path, body string
		status                     int
		notes                      string // the first two
	}{
		{"too many renamed", "PATCH", "users/3/", `{"name":"x"}`, 409, notes},
		{"too many deleted", "DELETE", "users/3/", "", 409, notes},
		{"renamed", "PATCH", "users/2/", `{"name":"bob"}`, 200, `{"id":1,"user":"ann","last":"bob"},{"id":2,"user":"bob","last":"ann"}`},
		{"deleted, with one of the notes, and many that change", "DELETE", "users/1/", "", 204, `{"id":2,"user":"bob","last":null},{"id":10,"user":"many","last":null}`},
	} {
		node.want(row.reason, row.method, row.path, row.body, row.status)
		if page := other.want(row.reason, "GET", "notes/?limit=2", "", http.StatusOK); !strings.HasSuffix(page.Body, "["+row.notes+"]}") {
			t.Errorf("%s: %s, want %s", row.reason, page.Body, row.notes)
		}
	}
	other.want("a former name", "POST", "notes/", `{"user":"bo"}`, http.StatusBadRequest)
}

// TestNoSpace fills a member with a small quota.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t, 1, func(c *embed.Config) { c.QuotaBackendBytes = 8 << 20 })
	client := cluster.Clients[0]
	node := openStore(t, client)
	node.want("first", "POST", "genres/", `{"name":"first"}`, http.StatusCreated)
	full := storeReply{}
	for i := range 40 {
		if full = node.do("PATCH", "genres/1/", storeLarge(fmt.Sprint(i, "-"), 500_000)); full.Status != http.StatusOK {
			break
		}
	}
	storeSame(t, "full", storeReply{http.StatusServiceUnavailable, "1", `{"detail":"Service temporarily unavailable, try again later."}`}, full)
	node.requests.await(t, "update while full", rpctypes.ErrNoSpace)
	before := node.want("page while full", "GET", "genres/", "", http.StatusOK)
	keys := storeKeys(t, client)
	for _, row := range []struct{ reason, method, path, body string }{
		{"create", "POST", "genres/", `{"name":"second"}`},
		{"delete", "DELETE", "genres/1/", ""},
	} {
		node.want(row.reason, row.method, row.path, row.body, http.StatusServiceUnavailable)
		node.requests.await(t, row.reason, rpctypes.ErrNoSpace)
	}
	err := node.Load(t.Context(), strings.NewReader(storeFile("A", 3)))
	if !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Errorf("Load = %v, want %v", err, rpctypes.ErrNoSpace)
	}
	storeSame(t, "keys while full", keys, storeKeys(t, client))
	fresh := openStore(t, client)
	storeSame(t, "page of a store opened while full", before, fresh.want("page", "GET", "genres/", "", http.StatusOK))

	storeCompact(t, client)
	_, err = client.Defragment(t.Context(), client.Endpoints()[0])
	storeMust(t, err)
	_, err = client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	storeMust(t, err)
	storeSame(t, "space again", `{"id":2,"name":"second"}`, node.want("create", "POST", "genres/", `{"name":"second"}`, http.StatusCreated).Body)
	fresh.want("other store", "DELETE", "genres/1/", "", http.StatusNoContent)
}

// TestNoQuorum stops two of three members and starts them again.
func TestNoQuorum(t *testing.T) {
	t.Parallel()
	const timeout = 700 * time.Millisecond
	cluster := startCluster(t, 3, nil)
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
		if d := time.Since(start); d < timeout {
			t.Errorf("%s: a response after %v, before the timeout of %v", row.reason, d, timeout)
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

// TestOtherLeader lets the member refuse to confirm the last write, as it does during an
// election.
func TestOtherLeader(t *testing.T) {
	t.Parallel()
	const timeout = 700 * time.Millisecond
	client := storeDial(t, storeMember(t).Clients[0].Endpoints()...)
	hook := &storeHook{KV: client.KV}
	client.KV = hook
	node := openStore(t, client, storeTimeout(timeout))
	var refusals, attempts int
	refuse := func(n int, with error) {
		refusals, attempts = n, 0
		hook.get = func(context.Context, string) error {
			if attempts++; attempts <= refusals {
				return with
			}
			return nil
		}
	}
	refuse(2, rpctypes.ErrLeaderChanged)
	node.want("write during an election", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	refuse(2, rpctypes.ErrNoLeader)
	node.want("read during an election", "GET", "genres/1/", "", http.StatusOK)

	refuse(1<<40, rpctypes.ErrLeaderChanged)
	start := time.Now()
	node.want("election that does not end", "GET", "genres/1/", "", http.StatusServiceUnavailable)
	if d := time.Since(start); d < timeout {
		t.Errorf("a response after %v, before the timeout of %v", d, timeout)
	}
	node.requests.await(t, "election that does not end", rpctypes.ErrLeaderChanged)
	refuse(1, rpctypes.ErrPermissionDenied)
	node.want("no permission", "GET", "genres/1/", "", http.StatusServiceUnavailable)
	storeSame(t, "attempts without permission", 1, attempts)
}

// TestOpenWithoutQuorum opens a store that is not reachable until later.
func TestOpenWithoutQuorum(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	openStore(t, cluster.Clients[0]).want("write", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	proxy := newProxy(t, cluster.Members[0])
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
	cluster := startCluster(t, 3, nil)
	proxies := []*memberProxy{newProxy(t, cluster.Members[0]), newProxy(t, cluster.Members[1])}
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

// TestCompactionWhileAway cuts the connection of a store while others write and the
// history is compacted.
func TestCompactionWhileAway(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := cluster.Clients[0]
	writer := openStore(t, client)
	proxy := newProxy(t, cluster.Members[0])
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
	proxy := newProxy(t, cluster.Members[0])
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
	hook.get = func(_ context.Context, key string) error {
		if key <= storePrefix+"0/records/genres/" || key >= storePrefix+"0/records/genres0" {
			return nil
		}
		if reads++; reads > 3 {
			compact.Do(func() {
				writer.want("write while reading", "PUT", "genres/1/", `{"name":"Noir"}`, http.StatusOK)
				writer.want("write while reading", "PUT", "genres/9/", `{"name":"Western"}`, http.StatusOK)
				storeCompact(t, client)
			})
		}
		return nil
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
