package etcdstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestRevisionWhileApplying checks that a revision of etcd becomes that of a collection at
// the instant at which its records are visible. Readers of all nodes see too few of these
// instants, so this test applies events itself.
func TestRevisionWhileApplying(t *testing.T) {
	var r *replica
	var seen []uint64
	see := func() { seen = append(seen, r.members["books"].revision()) }

	definition := Of(catalogue.Define[schema.Record]("books", catalogue.Options{}))
	apply := definition.apply
	definition.apply = func(cat *catalogue.Catalogue, by string, changes []change) error {
		see()
		defer see()
		return apply(cat, by, changes)
	}
	r, err := newReplica("p/", "0", []Definition{definition})
	if err != nil {
		t.Fatal(err)
	}
	see()
	for _, write := range []struct {
		reason   string
		revision int64
		record   string
	}{
		{"a new record", 20, `{"id":1,"name":"A"}`},
		{"a change", 30, `{"id":1,"name":"B"}`},
		{"a deletion", 40, ""},
	} {
		if err := r.apply(eventsOf(write.revision, write.record)); err != nil {
			t.Fatalf("%s: %v", write.reason, err)
		}
		see()
	}
	want := []uint64{0, 0, 20, 20, 20, 30, 30, 30, 40, 40}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("revisions before, and then for each write before and after it is visible and at the end (-want +got):\n%s", diff)
	}
}

// eventsOf returns the events of a write of the book with id 1, or of its deletion.
func eventsOf(revision int64, record string) []*clientv3.Event {
	event := func(key, value string) *clientv3.Event {
		return &clientv3.Event{Type: clientv3.EventTypePut, Kv: &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value), ModRevision: revision}}
	}
	keys := layout("p/")
	book := event(keys.record("0", "books", numbered(1)), record)
	if record == "" {
		book.Type = clientv3.EventTypeDelete
	}
	return []*clientv3.Event{event(keys.version(), "0"), event(keys.ids("0", "books"), "1"), book}
}

// SetPageSize sets the number of keys in a request of s while it reads all records again.
func SetPageSize(s *Store, n int64) { s.pageSize = n }
