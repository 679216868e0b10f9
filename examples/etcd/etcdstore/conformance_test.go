package etcdstore_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
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
}

func (h *testedHouse) verify(t *testing.T, body string) {
	defer h.close(t)
	httpapitest.TestCollection(t, httpapitest.Implementation{
		Description: h.description(t),
		New: func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
			return h.new(ctx, t, records)
		},
		Insert: func(ctx context.Context, _ httpapi.Collection, record []byte) error {
			return h.stores[2].Insert(ctx, h.key, record)
		},
		Body: body,
	})
}

// description returns the description of the collection without asking a Store.
func (h *testedHouse) description(t *testing.T) schema.Description {
	t.Helper()
	house, err := newFilms()
	if h.definitions == nil {
		house, err = resources.New()
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := house.Collection(h.key)
	if err != nil {
		t.Fatal(err)
	}
	return c.Description()
}

// new opens the stores of a new house and returns a collection with the records.
func (h *testedHouse) new(ctx context.Context, t *testing.T, records [][]byte) (httpapi.Collection, error) {
	h.close(t)
	prefix := newPrefix()
	for i, member := range h.members {
		if i > 0 && member == h.members[0] {
			h.stores[i] = h.stores[0]
			continue
		}
		var err error
		if h.stores[i], err = openAt(t, member, prefix, h.definitions); err != nil {
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

func (s *split) Create(ctx context.Context, body []byte) ([]byte, error) {
	return s.writing.Create(ctx, body)
}

func (s *split) Update(ctx context.Context, segment string, params url.Values, body []byte, partial bool, condition func(record []byte) error) ([]byte, error) {
	return s.writing.Update(ctx, segment, params, body, partial, condition)
}

func (s *split) Delete(ctx context.Context, segment string, params url.Values, condition func(record []byte) error) error {
	return s.writing.Delete(ctx, segment, params, condition)
}
