package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// storePrefix is the prefix of the stores in tests with a cluster of their own.
const storePrefix = "house/"

type storeGenre struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

type storeFilm struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Genres []int  `json:"genres" backlist:"refers=genres"`
}

// storeDefinitions are two collections, one of which refers to the other.
func storeDefinitions() []etcdstore.Definition {
	return []etcdstore.Definition{
		etcdstore.Of(catalogue.Define[storeGenre]("genres", catalogue.Options{})),
		etcdstore.Of(catalogue.Define[storeFilm]("films", catalogue.Options{})),
	}
}

// storeMember starts a cluster of one member, which elects itself soon.
func storeMember(t *testing.T) *testCluster {
	return startCluster(t, 1, func(c *embed.Config) { c.TickMs, c.ElectionMs = 20, 200 })
}

// storeDial returns a client of one address.
func storeDial(t *testing.T, addrs ...string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: addrs, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, Logger: zap.NewNop()})
	storeMust(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// A storeNode is a Store that is served.
type storeNode struct {
	*etcdstore.Store
	t      *testing.T
	server *httptest.Server

	following storeErrors // of etcdstore.Options.OnError
	requests  storeErrors // of httpapi.Options.OnError
}

// openStore opens a store of the two collections and serves it until the test ends.
func openStore(t *testing.T, client *clientv3.Client, configure ...func(*etcdstore.Options)) *storeNode {
	t.Helper()
	n := &storeNode{t: t}
	opts := etcdstore.Options{
		Client:      client,
		Prefix:      storePrefix,
		Definitions: storeDefinitions(),
		Timeout:     10 * time.Second,
		OnError:     n.following.add,
	}
	for _, f := range configure {
		f(&opts)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var err error
	n.Store, err = etcdstore.Open(ctx, opts)
	storeMust(t, err)
	t.Cleanup(n.Close)
	handler, err := n.NewHandler(httpapi.Options{
		Authorizer: httpapi.AllowAll,
		MaxBody:    8 << 20,
		ETags:      true,
		OnError:    func(_ *http.Request, err error) { n.requests.add(err) },
	})
	storeMust(t, err)
	n.server = httptest.NewServer(n.ReadOnce(handler))
	t.Cleanup(n.server.Close)
	return n
}

// A collection has all interfaces of package httpapi.
type collection interface {
	httpapi.Collection
	httpapi.Creator
	httpapi.Updater
	httpapi.Deleter
	httpapi.Getter
	httpapi.Revisioner
	httpapi.ReferenceChecker
}

func storeCollection(store *etcdstore.Store, key string) collection {
	all := store.Collections()
	i := slices.IndexFunc(all, func(c httpapi.Collection) bool { return c.Description().Key == key })
	return all[i].(collection)
}

func storeTimeout(d time.Duration) func(*etcdstore.Options) {
	return func(opts *etcdstore.Options) { opts.Timeout = d }
}

// A storeReply is the part of a response that tests compare.
type storeReply struct {
	Status     int
	RetryAfter string
	Body       string
}

// do sends a request. It may be called by any goroutine.
func (n *storeNode) do(method, path, body string) (reply storeReply) {
	r, err := http.NewRequest(method, n.server.URL+"/api/"+path, strings.NewReader(body))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		var response *http.Response
		if response, err = http.DefaultClient.Do(r); err == nil {
			defer response.Body.Close()
			var text []byte
			text, err = io.ReadAll(response.Body)
			reply = storeReply{response.StatusCode, response.Header.Get("Retry-After"), strings.ReplaceAll(string(text), n.server.URL, "")}
		}
	}
	if err != nil {
		n.t.Errorf("%s %s: %v", method, path, err)
	}
	return reply
}

// want sends a request and compares the status.
func (n *storeNode) want(reason, method, path, body string, status int) storeReply {
	n.t.Helper()
	reply := n.do(method, path, body)
	if reply.Status != status {
		n.t.Errorf("%s: %s %s: %d %.300s, want %d; errors: %v", reason, method, path, reply.Status, reply.Body, status, n.requests.all())
	}
	return reply
}

// await sends requests until a response has the status, for at most 20 seconds.
func (n *storeNode) await(reason, method, path, body string, status int) storeReply {
	n.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		reply := n.do(method, path, body)
		if reply.Status == status || time.Now().After(deadline) {
			if reply.Status != status {
				n.t.Errorf("%s: %s %s: %d %.300s, want %d; errors: %v", reason, method, path, reply.Status, reply.Body, status, n.requests.all())
			}
			return reply
		}
	}
}

// storeErrors collects errors.
type storeErrors struct {
	mu   sync.Mutex
	errs []error
}

func (e *storeErrors) add(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errs = append(e.errs, err)
}

// all returns the errors since the last call.
func (e *storeErrors) all() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	errs := e.errs
	e.errs = nil
	return errs
}

// await waits until there was an error that is the target.
func (e *storeErrors) await(t *testing.T, reason string, target error) {
	t.Helper()
	var seen []error
	for range 500 {
		seen = append(seen, e.all()...)
		if slices.ContainsFunc(seen, func(err error) bool { return errors.Is(err, target) }) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: OnError was called with %v, want %v", reason, seen, target)
}

// storeKeys returns all keys below the prefix, and their values.
func storeKeys(t *testing.T, client *clientv3.Client) map[string]string {
	t.Helper()
	got, err := client.Get(t.Context(), storePrefix, clientv3.WithPrefix())
	storeMust(t, err)
	all := map[string]string{}
	for _, kv := range got.Kvs {
		all[string(kv.Key)] = string(kv.Value)
	}
	return all
}

// A storeHook is a KV that calls functions before requests.
type storeHook struct {
	clientv3.KV
	get func(ctx context.Context, key string) error // an error is the result
	txn func(ctx context.Context) error             // of Commit; an error is its result
}

func (h *storeHook) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if h.get != nil {
		if err := h.get(ctx, key); err != nil {
			return nil, err
		}
	}
	return h.KV.Get(ctx, key, opts...)
}

func (h *storeHook) Txn(ctx context.Context) clientv3.Txn {
	return &storeHookedTxn{h.KV.Txn(ctx), func() error {
		if h.txn == nil {
			return nil
		}
		return h.txn(ctx)
	}}
}

type storeHookedTxn struct {
	clientv3.Txn
	before func() error
}

func (x *storeHookedTxn) If(cmps ...clientv3.Cmp) clientv3.Txn {
	x.Txn = x.Txn.If(cmps...)
	return x
}

func (x *storeHookedTxn) Then(ops ...clientv3.Op) clientv3.Txn {
	x.Txn = x.Txn.Then(ops...)
	return x
}

func (x *storeHookedTxn) Else(ops ...clientv3.Op) clientv3.Txn {
	x.Txn = x.Txn.Else(ops...)
	return x
}

func (x *storeHookedTxn) Commit() (*clientv3.TxnResponse, error) {
	if err := x.before(); err != nil {
		return nil, err
	}
	return x.Txn.Commit()
}

func storeSame[T any](t *testing.T, reason string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", reason, diff)
	}
}

func storeMust(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// storeWrites calls all methods that write, and returns their errors.
func storeWrites(ctx context.Context, n *storeNode) map[string]error {
	genres := storeCollection(n.Store, "genres")
	_, create := genres.Create(ctx, []byte(`{"name":"created"}`), schema.Record{})
	_, update := genres.Update(ctx, "1", catalogue.Edit{Body: []byte(`{"name":"updated"}`), Partial: true})
	return map[string]error{
		"Create": create,
		"Update": update,
		"Delete": genres.Delete(ctx, "1", schema.Filter{}, nil),
		"Load":   n.Load(ctx, strings.NewReader(`{"genres":[]}`)),
	}
}

// storeReads calls all methods that read, and returns their errors.
func storeReads(ctx context.Context, n *storeNode) map[string]error {
	genres := storeCollection(n.Store, "genres")
	_, list := genres.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 1}})
	_, get := genres.Get(ctx, "1", schema.Filter{})
	_, revision := genres.Revision(ctx)
	return map[string]error{
		"List":     list,
		"Get":      get,
		"Revision": revision,
		"Save":     n.Save(ctx, io.Discard),
	}
}

// Keys of a house into which nothing was loaded.
const (
	storeVersion = storePrefix + "version"
	storeIDs     = storePrefix + "0/ids/"
	storeRecords = storePrefix + "0/records/"
)

func storeRecordKey(collection string, id int) string {
	return fmt.Sprintf("%s%s/%019d", storeRecords, collection, id)
}

// TestInvalidData writes keys that no Store writes. Stores answer no linearizable read until
// they are repaired.
func TestInvalidData(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	first := storeRecordKey("genres", 1)
	const noir = `{"id":1,"name":"Noir"}`
	put, remove := clientv3.OpPut, clientv3.OpDelete
	for _, row := range []struct {
		reason string
		damage []clientv3.Op
		repair []clientv3.Op
		text   string // of the error, if it is not the same for all
	}{
		{"invalid JSON",
			[]clientv3.Op{put(first, `{"id":1,`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "genres: id 1"},
		{"two records in a key",
			[]clientv3.Op{put(first, noir+`,{"id":3,"name":"X"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "genres"},
		{"no record",
			[]clientv3.Op{put(first, ""), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "genres"},
		{"member of another type",
			[]clientv3.Op{put(first, `{"id":1,"name":7}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "name"},
		{"repeated unique value",
			[]clientv3.Op{put(first, `{"id":1,"name":"Western"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "name"},
		{"record under the key of another id",
			[]clientv3.Op{put(first, `{"id":7,"name":"Noir"}`), put(storeIDs+"genres", "7")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "id 7"},
		{"record without an id",
			[]clientv3.Op{put(first, `{"name":"Noir"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "id"},
		{"record of an unknown collection",
			[]clientv3.Op{put(storeRecordKey("movies", 1), noir), put(storeIDs+"movies", "1")},
			[]clientv3.Op{remove(storeRecordKey("movies", 1)), remove(storeIDs + "movies")}, `"movies"`},
		{"record of an unknown collection alone",
			[]clientv3.Op{put(storeRecordKey("movies", 1), noir)},
			[]clientv3.Op{remove(storeRecordKey("movies", 1))}, "movies"},
		{"record without the highest id",
			[]clientv3.Op{put(first, `{"id":1,"name":"Musical"}`)},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "highest id"},
		{"record above the highest id",
			[]clientv3.Op{put(storeRecordKey("genres", 3), `{"id":3,"name":"Musical"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{remove(storeRecordKey("genres", 3)), put(storeIDs+"genres", "2")}, "highest id"},
		{"highest id that is no number",
			[]clientv3.Op{put(storeIDs+"genres", "two")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, `"two"`},
		{"negative highest id",
			[]clientv3.Op{put(storeIDs+"genres", "-2")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, `"-2"`},
		{"no highest id",
			[]clientv3.Op{remove(storeIDs + "genres")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, "highest id"},
		{"unknown key below the generation",
			[]clientv3.Op{put(storePrefix+"0/other", "x")},
			[]clientv3.Op{remove(storePrefix + "0/other")}, "0/other"},
		{"record key without a number",
			[]clientv3.Op{put(storeRecords+"genres/one", noir)},
			[]clientv3.Op{remove(storeRecords + "genres/one")}, "genres/one"},
		{"record key with another number of digits",
			[]clientv3.Op{put(storeRecords+"genres/1", noir), put(storeIDs+"genres", "2")},
			[]clientv3.Op{remove(storeRecords + "genres/1"), put(storeIDs+"genres", "2")}, "genres/1"},
		{"record key with id 0",
			[]clientv3.Op{put(storeRecordKey("genres", 0), noir)},
			[]clientv3.Op{remove(storeRecordKey("genres", 0))}, "000"},
		{"no version",
			[]clientv3.Op{remove(storeVersion)},
			[]clientv3.Op{put(storeVersion, "0")}, "version"},
		{"version of a generation without keys",
			[]clientv3.Op{put(storeVersion, "7")},
			[]clientv3.Op{put(storeVersion, "0")}, `"7"`},
		{"empty version",
			[]clientv3.Op{put(storeVersion, "")},
			[]clientv3.Op{put(storeVersion, "0")}, `""`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Parallel()
			client := storeNamespace(client, row.reason+"/")
			node := openStore(t, client, storeTimeout(500*time.Millisecond))
			serializable := openStore(t, client, func(opts *etcdstore.Options) { opts.Serializable = true })
			node.want("first", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
			node.want("second", "POST", "genres/", `{"name":"Western"}`, http.StatusCreated)
			page := node.want("page", "GET", "genres/", "", http.StatusOK)
			storeSame(t, "serializable page", page, serializable.awaitPage("genres/", page))

			storeTxn(t, client, row.damage)
			for _, n := range []*storeNode{node, serializable} {
				n.following.await(t, "following", etcdstore.ErrInvalidData)
			}
			node.want("page", "GET", "genres/", "", http.StatusServiceUnavailable)
			node.want("other page", "GET", "films/", "", http.StatusServiceUnavailable)
			node.requests.await(t, "page", etcdstore.ErrInvalidData)
			node.want("write", "POST", "genres/", `{"name":"Musical"}`, http.StatusServiceUnavailable)
			node.requests.await(t, "write", etcdstore.ErrInvalidData)
			storeSame(t, "serializable page of invalid data", page, serializable.do("GET", "genres/", ""))
			_, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: storePrefix, Definitions: storeDefinitions()})
			if !errors.Is(err, etcdstore.ErrInvalidData) || !strings.Contains(err.Error(), row.text) {
				t.Errorf("Open = %v, want %v with %q", err, etcdstore.ErrInvalidData, row.text)
			}

			storeTxn(t, client, row.repair)
			storeSame(t, "repaired page", page, node.await("repaired", "GET", "genres/", "", http.StatusOK))
			storeSame(t, "repaired highest id", `{"id":3,"name":"Musical"}`,
				node.await("repaired", "POST", "genres/", `{"name":"Musical"}`, http.StatusCreated).Body)
			page = node.want("page", "GET", "genres/", "", http.StatusOK)
			storeSame(t, "serializable page after the repair", page, serializable.awaitPage("genres/", page))
			storeSame(t, "page of a store opened later", page, openStore(t, client).want("page", "GET", "genres/", "", http.StatusOK))
		})
	}
}

// TestOtherKeys writes keys that are not of the house.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	node.want("first", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	for _, key := range []string{"house", "house0", "other/version", storePrefix + "7/ids/genres", storePrefix + "7/other", storePrefix + "notes"} {
		_, err := client.Put(t.Context(), key, "x")
		storeMust(t, err)
		storeSame(t, key, `{"id":1,"name":"Noir"}`, node.want(key, "GET", "genres/1/", "", http.StatusOK).Body)
		storeSame(t, key, `{"id":1,"name":"Noir"}`, openStore(t, client).want(key, "GET", "genres/1/", "", http.StatusOK).Body)
	}
	if errs := node.following.all(); len(errs) > 0 {
		t.Errorf("OnError was called with %v", errs)
	}
}

// TestDeletedVersionOfLoaded deletes the version after a Load. An empty house would be
// wrong.
func TestDeletedVersionOfLoaded(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client, storeTimeout(500*time.Millisecond))
	storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile("A", 3))))
	page := node.want("page", "GET", "genres/", "", http.StatusOK)
	version := storeKeys(t, client)[storeVersion]
	storeTxn(t, client, []clientv3.Op{clientv3.OpDelete(storeVersion)})
	node.following.await(t, "following", etcdstore.ErrInvalidData)
	node.want("page without a version", "GET", "genres/", "", http.StatusServiceUnavailable)
	node.requests.await(t, "page without a version", httpapi.ErrUnavailable)
	storeTxn(t, client, []clientv3.Op{clientv3.OpPut(storeVersion, version)})
	storeSame(t, "repaired", page, node.await("repaired", "GET", "genres/", "", http.StatusOK))
}

// storeNamespace returns a client whose keys have a prefix.
func storeNamespace(client *clientv3.Client, prefix string) *clientv3.Client {
	with := clientv3.NewCtxClient(client.Ctx())
	with.KV, with.Watcher = namespace.NewKV(client.KV, prefix), namespace.NewWatcher(client.Watcher, prefix)
	return with
}

// storeTxn writes keys at one revision.
func storeTxn(t *testing.T, client *clientv3.Client, ops []clientv3.Op) {
	t.Helper()
	_, err := client.Txn(t.Context()).Then(ops...).Commit()
	storeMust(t, err)
}
