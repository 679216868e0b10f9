package etcdstore

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

const (
	maxOps   = 80      // in a transaction; etcd permits 128, which include highest ids
	maxBytes = 1 << 20 // of the records in a transaction; etcd permits 1.5 MB
)

// A draft prepares a transaction: a clone of the replica's catalogue, to which a write is applied,
// and the keys that change. The transaction fails if the collection, or one it refers to, has changed.
type draft struct {
	store      *Store
	generation string
	version    int64
	cat        *catalogue.Catalogue
	positions  map[string]position // of all collections, before the transaction

	changes []recordChange
	lastIDs map[string]int  // the highest ids ever used in the collections that change
	reads   map[string]bool // collections that must not have changed
}

// recordChange is a change of a record of a collection.
type recordChange struct {
	collection string
	change
}

// newDraft returns an empty transaction on the current state of the replica.
func (s *Store) newDraft() *draft {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.replica.Load()
	d := &draft{
		store:      s,
		generation: r.generation,
		version:    r.version,
		cat:        r.cat.Clone(),
		positions:  map[string]position{},
		lastIDs:    map[string]int{},
		reads:      map[string]bool{},
	}
	for key, m := range r.members {
		d.positions[key] = m.position
	}
	return d
}

// stage adds a write to the transaction. A deletion depends on the collections with references to
// it: another process may have added one. So does a change of a collection to whose texts fields
// refer, because it may be one of the text.
func (d *draft) stage(batch []catalogue.Commit) error {
	for _, commit := range batch {
		d.lastIDs[commit.Collection] = commit.LastID
		for id, record := range commit.Changes {
			name := url.PathEscape(id.Key)
			if id.ID != 0 {
				name = numbered(id.ID)
			}
			d.add(commit.Collection, name, record)
		}
	}
	return nil
}

func (d *draft) add(collection, name string, record []byte) {
	d.changes = append(d.changes, recordChange{collection, change{name, record}})
	d.dependOnReferring(collection, record == nil)
}

func (d *draft) dependOnReferring(key string, deleted bool) {
	for other, c := range d.cat.All() {
		if slices.ContainsFunc(c.Description().Fields, func(f schema.Field) bool { return f.Refers == key && (deleted || f.By != "") }) {
			d.reads[other] = true
		}
	}
}

// collection returns a collection of the clone. The transaction stores what is written to it,
// and depends on it and on the collections that it refers to.
func (d *draft) collection(key string) (catalogue.AnyCollection, error) {
	c, err := d.cat.Collection(key)
	if err != nil {
		return c, err
	}
	d.reads[key] = true
	for _, f := range c.Description().Fields {
		if f.Refers != "" {
			d.reads[f.Refers] = true
		}
	}
	return c, d.cat.Journal(d.stage)
}

// commit stores the transaction and waits until the replica has it. stored is false if one of
// the collections that it depends on has changed. After an error, the transaction may or may
// not be stored.
func (d *draft) commit(ctx context.Context) (stored bool, err error) {
	keys := d.store.keys
	conditions := []clientv3.Cmp{clientv3.Compare(clientv3.Value(keys.version()), "=", d.generation)}
	for key := range d.reads {
		ids := keys.ids(d.generation, key)
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(ids), "=", d.positions[key].revision))
	}
	ops := []clientv3.Op{clientv3.OpPut(keys.version(), d.generation)}
	changed := map[string]bool{}
	for _, ch := range d.changes {
		changed[ch.collection] = true
		key := keys.record(d.generation, ch.collection, ch.name)
		if ch.record == nil {
			ops = append(ops, clientv3.OpDelete(key))
		} else {
			ops = append(ops, clientv3.OpPut(key, string(ch.record)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		ops = append(ops, clientv3.OpPut(keys.ids(d.generation, key), strconv.Itoa(d.lastIDs[key])))
	}
	got, err := d.store.client.Txn(ctx).If(conditions...).Then(ops...).Commit()
	if err != nil || !got.Succeeded {
		return false, err
	}
	// A write that is acknowledged is visible to all reads of this Store.
	return true, d.store.progress.wait(ctx, got.Header.Revision)
}

// fit reports whether the changes fit into one transaction. If those of a deletion do not, it
// keeps only some of the changes to records that are not deleted. The error wraps
// [httpapi.ErrConflict] if too many records are deleted, or if the changes are those of a new
// text, because a part of these would be wrong.
func (d *draft) fit() (complete bool, err error) {
	size := func(ch recordChange) int { return len(ch.record) }
	if fitting(d.changes, size) == len(d.changes) {
		return true, nil
	}
	n := len(d.changes)
	d.changes = slices.DeleteFunc(d.changes, func(ch recordChange) bool { return ch.record == nil })
	if deleted := n - len(d.changes); deleted == 0 || deleted > maxOps {
		return false, fmt.Errorf("%w: %d records change, more than a transaction of etcd permits", httpapi.ErrConflict, n)
	}
	d.changes = d.changes[:fitting(d.changes, size)]
	return false, nil
}

// fitting returns how many of a list one transaction can store, at least one if there are any.
func fitting[T any](list []T, size func(T) int) (n int) {
	for bytes := 0; n < min(maxOps, len(list)); n++ {
		if bytes += size(list[n]); bytes > maxBytes && n > 0 {
			break
		}
	}
	return n
}
