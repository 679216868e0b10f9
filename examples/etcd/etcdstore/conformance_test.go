package etcdstore_test

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/httpapitest"
	"github.com/gobacklist/backlist/resources"
)

// TestConformance tests described and open collections of the service and those of a
// program. One node reads, another one creates, updates and deletes, and the third one
// loads and inserts records. For events and films, each node in turn reads, and then one
// node does everything. For the others, which have less to check, and with -short, one node reads.
func TestConformance(t *testing.T) {
	for _, row := range []struct {
		key, body string
		related   string // records of other collections
		own       []etcdstore.Definition
		roles     [][3]int // of members: which ones read, write and load
		reason    string
	}{
		{"events", `{"name":"Reading","slug":"reading","startDate":"2026-05-01T18:00:00+02:00","endDate":"2026-05-01T20:00:00+02:00"}`, "",
			nil, allRoles(), "a type with posts"},
		{"social-links", `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`, `"authors":[{"id":1}],`,
			nil, [][3]int{{0, 2, 1}}, "a type with a reference"},
		{"labels", "", "", nil, [][3]int{{1, 0, 2}}, "a type without posts"},
		{"books", "", "", nil, [][3]int{{2, 1, 0}}, "open records"},
		{"films", newFilm, relatedToFilm, typedFilms(), allRoles(), "all kinds of fields, references and filters"},
		{"films", fullFilm, relatedToFilm, typedFilms(), [][3]int{{0, 2, 1}}, "a value in each field"},
		{"genres", `{"name":"comedy","position":2}`, "", typedFilms(), [][3]int{{1, 0, 2}}, "records to which lists refer"},
	} {
		if testing.Short() {
			row.roles = row.roles[:1]
		}
		for _, members := range row.roles {
			t.Run(fmt.Sprintf("%s, %s/nodes %v", row.key, row.reason, members), func(t *testing.T) {
				h := &testedHouse{key: row.key, related: row.related, definitions: row.own, members: members}
				h.verify(t, row.body)
			})
		}
	}
}

func allRoles() [][3]int { return [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 0, 0}} }

const (
	newFilm       = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released"}`
	fullFilm      = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":2,"genres":[1],"rating":2.5,"status":"released","premiereAt":"2024-05-10T18:00:00Z","released":"2024-05-10","published":true,"synopsis":"S"}`
	relatedToFilm = `"directors":[{"id":1,"name":"Anna Rossi","slug":"anna"},{"id":2,"name":"Tom","slug":"tom"}],"genres":[{"id":1,"name":"drama","position":0}],`
)

// A testedHouse makes collections for package httpapitest.
type testedHouse struct {
	key, related string
	definitions  []etcdstore.Definition
	members      [3]int // of the stores that read, write and load

	stores [3]*etcdstore.Store // of the last collection, or nil
	prefix string
}

func (h *testedHouse) verify(t *testing.T, body string) {
	defer h.close(t)
	httpapitest.TestCollection(t, httpapitest.Implementation{
		Description: h.description(t),
		New: func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
			return h.new(ctx, t, records)
		},
		Insert: func(ctx context.Context, _ httpapi.Collection, record []byte) error {
			return h.insert(ctx, t, record)
		},
		Body: body,
	})
}

// description returns the description of the collection without asking a Store.
func (h *testedHouse) description(t *testing.T) schema.Description {
	t.Helper()
	cat, err := newFilms()
	if h.definitions == nil {
		cat, err = resources.New()
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := cat.Collection(h.key)
	if err != nil {
		t.Fatal(err)
	}
	return c.Description()
}

// new opens the stores of a new house and returns a collection with the records.
func (h *testedHouse) new(ctx context.Context, t *testing.T, records [][]byte) (httpapi.Collection, error) {
	h.close(t)
	h.prefix = newPrefix()
	for i, member := range h.members {
		if i > 0 && member == h.members[0] {
			h.stores[i] = h.stores[0]
			continue
		}
		var err error
		if h.stores[i], err = openAt(t, member, h.prefix, h.definitions); err != nil {
			return nil, err
		}
	}
	file := fmt.Sprintf(`{%s%q:[%s]}`, h.related, h.key, bytes.Join(records, []byte(",")))
	if err := h.stores[2].Load(ctx, strings.NewReader(file)); err != nil {
		return nil, err
	}
	reading := storeCollection(h.stores[0], h.key)
	if _, err := reading.Revision(ctx); err != nil { // waits for the records, which Description does not
		return nil, err
	}
	if h.stores[1] == h.stores[0] {
		return reading, nil
	}
	return &split{reading, storeCollection(h.stores[1], h.key)}, nil
}

// insert writes a record with an id as a Store does.
func (h *testedHouse) insert(ctx context.Context, t *testing.T, record []byte) error {
	r, err := schema.ParseRecord(record)
	if err != nil {
		return err
	}
	client := shared.get(t).Clients[h.members[2]]
	for {
		version, err := client.Get(ctx, h.prefix+"version")
		if err != nil {
			return err
		}
		generation := string(version.Kvs[0].Value)
		ids := h.prefix + generation + "/ids/" + h.key
		last, err := client.Get(ctx, ids)
		if err != nil {
			return err
		}
		highest, err := strconv.Atoi(string(last.Kvs[0].Value))
		if err != nil {
			return err
		}
		stored, err := client.Txn(ctx).
			If(clientv3.Compare(clientv3.ModRevision(ids), "=", last.Kvs[0].ModRevision)).
			Then(
				clientv3.OpPut(h.prefix+"version", generation),
				clientv3.OpPut(fmt.Sprintf("%s%s/records/%s/%019d", h.prefix, generation, h.key, r.ID), string(record)),
				clientv3.OpPut(ids, strconv.Itoa(max(highest, r.ID))),
			).Commit()
		if err != nil || stored.Succeeded {
			return err
		}
	}
}

// close compares the records of the stores and closes them.
func (h *testedHouse) close(t *testing.T) {
	if h.stores[2] != nil { // all stores were opened
		reading := save(t, h.stores[0])
		for _, store := range h.stores[1:] {
			if diff := cmp.Diff(reading, save(t, store)); diff != "" {
				t.Errorf("records of two nodes differ:\n%.3000s", diff)
			}
		}
	}
	for i, store := range h.stores {
		if store != nil {
			store.Close()
		}
		h.stores[i] = nil
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
