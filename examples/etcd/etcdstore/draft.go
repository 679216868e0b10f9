package etcdstore

import (
	"bytes"
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

const (
	maxOps   = 80      // in a transaction; etcd permits 128, which include highest ids
	maxBytes = 1 << 20 // of the records in a transaction; etcd permits 1.5 MB
)

// A draft is a transaction that is being prepared: a clone of the replica's catalogue, to
// which a write is applied, and the keys that change.
type draft struct {
	store      *Store
	generation string
	version    int64
	cat        *catalogue.Catalogue
	positions  map[string]position // of all collections, before the transaction

	changes []placed
	reads   map[string]bool // collections that must not have changed
}

// placed is a change of a record of a collection.
type placed struct {
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
		reads:      map[string]bool{},
	}
	for key, m := range r.members {
		d.positions[key] = m.position
	}
	return d
}

// stage adds a record to the transaction; nil deletes it.
func (d *draft) stage(key string, id int, record []byte) {
	d.changes = append(d.changes, placed{key, change{id, record}})
}

// collection returns a collection of the clone, and makes the transaction depend on it and
// on those that it refers to.
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
	return c, nil
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
	lastIDs := map[string]int{}
	for _, ch := range d.changes {
		lastIDs[ch.collection] = max(lastIDs[ch.collection], d.positions[ch.collection].lastID)
		key := keys.record(d.generation, ch.collection, ch.id)
		if ch.record == nil {
			ops = append(ops, clientv3.OpDelete(key))
			continue
		}
		lastIDs[ch.collection] = max(lastIDs[ch.collection], ch.id)
		ops = append(ops, clientv3.OpPut(key, string(ch.record)))
	}
	for _, key := range slices.Sorted(maps.Keys(lastIDs)) {
		ops = append(ops, clientv3.OpPut(keys.ids(d.generation, key), strconv.Itoa(lastIDs[key])))
	}
	got, err := d.store.client.Txn(ctx).If(conditions...).Then(ops...).Commit()
	if err != nil || !got.Succeeded {
		return false, err
	}
	// A write that is acknowledged is visible to all reads of this Store.
	return true, d.store.progress.wait(ctx, got.Header.Revision)
}

// fit leaves only some lists of a deletion that is too large for a transaction, and then
// returns false.
func (d *draft) fit() (complete bool) {
	size := 0
	for i, ch := range d.changes {
		if size += len(ch.record); i >= maxOps || i > 0 && size > maxBytes {
			d.changes = d.changes[1:max(i, 2)] // without the deletion
			return false
		}
	}
	return true
}

// create creates a record from the body of a request.
func (d *draft) create(ctx context.Context, key string, body []byte) ([]byte, error) {
	c, err := d.collection(key)
	if err != nil {
		return nil, err
	}
	record, err := c.Create(ctx, bytes.Clone(body)) // which may be modified
	if err != nil {
		return nil, err
	}
	r, err := schema.ParseRecord(record)
	if err == nil {
		d.stage(key, r.ID, record)
	}
	return record, err
}

// update changes a record as the body of a request specifies.
func (d *draft) update(ctx context.Context, key, segment string, params url.Values, body []byte, partial bool,
	condition func(record []byte) error) ([]byte, error) {
	c, err := d.collection(key)
	if err != nil {
		return nil, err
	}
	record, err := c.Update(ctx, segment, params, bytes.Clone(body), partial, condition)
	if err == nil {
		d.stage(key, schema.ParseID(segment), record)
	}
	return record, err
}

// delete deletes a record and removes its id from lists of references.
func (d *draft) delete(ctx context.Context, key, segment string, params url.Values, condition func(record []byte) error) error {
	c, err := d.collection(key)
	if err != nil {
		return err
	}
	before := map[string]map[int][]byte{} // records of the collections that refer to this one
	for other, c := range d.cat.All() {
		if slices.ContainsFunc(c.Description().Fields, func(f schema.Field) bool { return f.Refers == key }) {
			if before[other], err = d.all(ctx, other); err != nil {
				return err
			}
		}
	}
	if err := c.Delete(ctx, segment, params, condition); err != nil {
		return err
	}
	d.stage(key, schema.ParseID(segment), nil)
	for other, records := range before {
		after, err := d.all(ctx, other)
		if err != nil {
			return err
		}
		for id, record := range after {
			if !bytes.Equal(record, records[id]) {
				d.stage(other, id, record)
			}
		}
	}
	return nil
}

// all returns all records of a collection by id. The transaction depends on them.
func (d *draft) all(ctx context.Context, key string) (map[int][]byte, error) {
	c, err := d.collection(key)
	if err != nil {
		return nil, err
	}
	list, err := c.List(ctx, catalogue.Query{Window: pagination.Window{Limit: -1}})
	if err != nil {
		return nil, err
	}
	byID := make(map[int][]byte, len(list.Records))
	for _, record := range list.Records {
		r, err := schema.ParseRecord(record)
		if err != nil {
			return nil, err
		}
		byID[r.ID] = record
	}
	return byID, nil
}
