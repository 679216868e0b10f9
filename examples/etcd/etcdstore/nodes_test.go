package etcdstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/internal/recorded"
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

// typedFilms returns the definitions for a Store.
func typedFilms() []etcdstore.Definition {
	return []etcdstore.Definition{etcdstore.Of(recorded.Directors()), etcdstore.Of(recorded.Genres()), etcdstore.Of(recorded.Films())}
}

// newFilms returns an empty catalogue of films in memory.
func newFilms() (*catalogue.Catalogue, error) {
	return catalogue.New(recorded.Directors(), recorded.Genres(), recorded.Films())
}

// openFilms returns definitions with the same descriptions whose records are open.
func openFilms() (list []etcdstore.Definition, err error) {
	cat, err := newFilms()
	if err != nil {
		return nil, err
	}
	for key, c := range cat.All() {
		about := c.Description()
		list = append(list, etcdstore.Of(catalogue.Define[schema.Record](key, catalogue.Options{Description: &about, Now: recorded.Now})))
	}
	return list, nil
}

// send sends a request with a body in JSON, or none, and returns the response.
func send(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// expect sends a request whose response is to have a status, and returns the id of the
// record in the response, if any.
func expect(t *testing.T, h http.Handler, status int, method, target, body string) (id int) {
	t.Helper()
	w := send(h, method, target, body)
	if w.Code != status {
		t.Errorf("%s %s %s: %d %s, want %d", method, target, body, w.Code, w.Body, status)
		return 0
	}
	if w.Body.Len() == 0 {
		return 0
	}
	return idIn(t, w.Body.Bytes())
}

// idIn returns the id of a record, or 0 if it has none.
func idIn(t *testing.T, record []byte) int {
	t.Helper()
	var r struct{ ID int }
	if err := json.Unmarshal(record, &r); err != nil {
		t.Errorf("%.200q: %v", record, err)
	}
	return r.ID
}
