package etcdstore_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/httpapitest"
	"github.com/gobacklist/backlist/resources"
)

// TestConformance compares the collections of the service and those of a program with catalogues in
// memory. One node reads, another one creates, updates and deletes, and the third one loads
// records. For films, each node in turn reads, and then one node does everything.
func TestConformance(t *testing.T) {
	for _, row := range []struct {
		service string
		new     func() (*catalogue.Catalogue, error)
		data    string
		own     []etcdstore.Definition
		roles   [][3]int // of members: which ones read, write and load
	}{
		{"house", func() (*catalogue.Catalogue, error) { return resources.New() }, dataset + "dataset.json", nil, [][3]int{{0, 2, 1}}},
		{"films", newFilms, dataset + "own/dataset.json", typedFilms(), [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 0, 0}}},
	} {
		if testing.Short() {
			row.roles = row.roles[:1]
		}
		for _, members := range row.roles {
			t.Run(fmt.Sprintf("%s/nodes %v", row.service, members), func(t *testing.T) {
				cat, err := row.new()
				if err == nil {
					err = cat.LoadFile(row.data, catalogue.LoadOptions{})
				}
				if err != nil {
					t.Fatal(err)
				}
				n := &rolesOf{T: t, definitions: row.own, members: members}
				defer n.close()
				httpapitest.Compare(t, cat, n.open, httpapitest.Options{Requests: 400, Saved: n.saved})
			})
		}
	}
}

const newFilm = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released"}`

// rolesOf are the stores of a test that read, write and load.
type rolesOf struct {
	*testing.T
	definitions []etcdstore.Definition
	members     [3]int
	stores      [3]*etcdstore.Store // or nil
}

// open opens stores of new records and returns the collections of the one that reads.
func (n *rolesOf) open(ctx context.Context, file []byte) (list []httpapi.Collection, err error) {
	n.close()
	prefix := newPrefix()
	for i, member := range n.members {
		if i > 0 && member == n.members[0] {
			n.stores[i] = n.stores[0]
		} else if n.stores[i], err = openAt(n.T, member, prefix, n.definitions); err != nil {
			return nil, err
		}
	}
	if err := n.stores[2].Load(ctx, bytes.NewReader(file)); err != nil {
		return nil, err
	}
	for i, reading := range n.stores[0].Collections() {
		list = append(list, &split{reading.(collection), n.stores[1].Collections()[i].(collection)})
	}
	_, err = list[0].(*split).Revision(ctx) // waits for the records
	return list, err
}

// saved returns what all three nodes have.
func (n *rolesOf) saved(context.Context) ([]byte, error) {
	reading := save(n.T, n.stores[0])
	for _, store := range n.stores[1:] {
		if diff := cmp.Diff(reading, save(n.T, store)); diff != "" {
			return nil, fmt.Errorf("records of two nodes differ:\n%.3000s", diff)
		}
	}
	return []byte(reading), nil
}

func (n *rolesOf) close() {
	for i, store := range n.stores {
		if store != nil {
			store.Close()
		}
		n.stores[i] = nil
	}
}

// A split is a collection that is read through one store and written through another.
type split struct {
	collection
	writing collection
}

func (s *split) Create(ctx context.Context, body []byte, assigned schema.Record) ([]byte, error) {
	return s.writing.Create(ctx, body, assigned)
}

func (s *split) Update(ctx context.Context, segment string, u catalogue.Edit) ([]byte, error) {
	return s.writing.Update(ctx, segment, u)
}

func (s *split) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return s.writing.Delete(ctx, segment, filter, precondition)
}

const dataset = "../../../httpapi/testdata/" // of the service, and of films in own

// TestVectors replays recorded requests in order and compares the responses, byte for
// byte. The records are loaded through node 2. Each write is sent to one node, the next
// write to the next one, and all other requests are sent to all nodes.
func TestVectors(t *testing.T) {
	open, err := openFilms()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason      string
		definitions []etcdstore.Definition
		dir         string
		n           int
	}{
		{"the collections of the service", nil, dataset, 1159},
		{"collections of a program's own types", typedFilms(), dataset + "own/", 1217},
		{"collections of a program with open records", open, dataset + "own/", 1217},
	} {
		t.Run(row.reason, func(t *testing.T) {
			n := newNodes(t, row.definitions, httpapi.Options{Authorizer: httpapi.AllowAll})
			n.loadFile(t, 1, row.dir+"dataset.json")
			if got := n.replay(t, row.dir+"vectors.jsonl"); got != row.n {
				t.Errorf("replayed %d of %d requests", got, row.n)
			}
			n.compare(t)
		})
	}
}

// replay sends the requests of a file and returns their number.
func (n *nodes) replay(t *testing.T, name string) (lines int) {
	t.Helper()
	all, err := recorded.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	for _, r := range all {
		handlers := n.handlers
		if isWrite(r.Request.Method) {
			handlers = n.handlers[writes%3 : writes%3+1]
			writes++
		}
		for i, handler := range handlers {
			if diff := cmp.Diff(r.Want, r.Send(handler)); diff != "" {
				t.Errorf("line %d: %s %s, handler %d of %d (-want +got):\n%s", r.Line, r.Request.Method, r.Request.Target, i+1, len(handlers), diff)
			}
		}
	}
	return len(all)
}

// isWrite reports whether requests with a method can change records.
func isWrite(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE"
}
