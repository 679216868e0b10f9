package etcdstore_test

import (
	"context"
	"errors"
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
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/etcd/internal/etcdtest"
	"github.com/gobacklist/backlist/httpapi"
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
func storeMember(t *testing.T) *etcdtest.Cluster {
	return etcdtest.Start(t, 1, func(c *embed.Config) { c.TickMs, c.ElectionMs = 20, 200 })
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
}

// storeCollection returns the collection of a store with a key.
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
	get func(ctx context.Context, key string)
	txn func(ctx context.Context) error // of Commit; an error is its result
}

func (h *storeHook) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if h.get != nil {
		h.get(ctx, key)
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
