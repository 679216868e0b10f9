package etcdstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

// nodes are three stores with the same records, each at another member of the shared
// cluster, and their handlers.
type nodes struct {
	prefix      string
	definitions []etcdstore.Definition
	stores      []*etcdstore.Store
	handlers    []http.Handler // see Store.ReadOnce
}

// newNodes opens three stores of an empty house.
func newNodes(t *testing.T, definitions []etcdstore.Definition, opts httpapi.Options) *nodes {
	t.Helper()
	n := &nodes{prefix: newPrefix(), definitions: definitions}
	for i := range 3 {
		store := n.open(t, i)
		h, err := store.NewHandler(opts)
		if err != nil {
			t.Fatal(err)
		}
		n.stores = append(n.stores, store)
		n.handlers = append(n.handlers, store.ReadOnce(h))
	}
	return n
}

// newPrefix returns a prefix that no other test has.
func newPrefix() string { return rand.Text() + "/" }

// open opens another store of the house, at a member of the cluster.
func (n *nodes) open(t *testing.T, member int) *etcdstore.Store {
	t.Helper()
	store, err := openAt(t, member, n.prefix, n.definitions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// openAt opens a store at a member of the cluster. The caller closes it.
func openAt(t *testing.T, member int, prefix string, definitions []etcdstore.Definition) (*etcdstore.Store, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return etcdstore.Open(ctx, etcdstore.Options{
		Client:      shared.get(t).Clients[member],
		Prefix:      prefix,
		Definitions: definitions,
		Timeout:     time.Minute, // for slow machines
		OnError:     func(err error) { t.Logf("node %d: %v", member+1, err) },
	})
}

// load loads records through one node.
func (n *nodes) load(t *testing.T, node int, text string) {
	t.Helper()
	if err := n.stores[node].Load(t.Context(), strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
}

func (n *nodes) loadFile(t *testing.T, node int, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n.load(t, node, string(text))
}

// compare compares the records of all nodes with those of a store that is opened now, and
// returns them.
func (n *nodes) compare(t *testing.T) (saved string) {
	t.Helper()
	fresh := n.open(t, 0)
	saved = save(t, fresh)
	fresh.Close()
	for i, store := range n.stores {
		if diff := cmp.Diff(saved, save(t, store)); diff != "" {
			t.Errorf("records of a new store and of node %d (-new +node):\n%.3000s", i+1, diff)
		}
	}
	return saved
}

func save(t *testing.T, store *etcdstore.Store) string {
	t.Helper()
	var b bytes.Buffer
	if err := store.Save(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
