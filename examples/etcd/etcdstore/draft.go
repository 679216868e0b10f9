package etcdstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

const (
	maxWrites = 64      // in a transaction
	maxOps    = 80      // in a transaction; etcd permits 128, which include highest ids
	maxBytes  = 1 << 20 // of the records in a transaction; etcd permits 1.5 MB
)

// A draft is a transaction that is being prepared: a clone of the replica's catalogue, to
// which writes are applied, and the keys that change.
type draft struct {
	store      *Store
	generation string
	version    int64
	cat        *catalogue.Catalogue
	positions  map[string]position // of all collections, before the transaction

	records map[place][]byte // to store; nil deletes
	size    int
	reads   map[string]bool // collections that must not have changed
	lastIDs map[string]int  // of the collections that change

	staged []stagedRecord // of the current write
	full   bool           // no other write can be added
	again  bool           // the current write is performed in several transactions

	partial *write // the write of which the transaction has only a part, or nil
}

type stagedRecord struct {
	place
	record []byte
}

var (
	// errFull means that a write must be part of another transaction.
	errFull = errors.New("etcdstore: the transaction is full")

	errUnknownOutcome = errors.New("the write may or may not be stored")
	errNotStored      = errors.New("the write was not stored in time")
)

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
		records:    map[place][]byte{},
		reads:      map[string]bool{},
		lastIDs:    map[string]int{},
	}
	for key, m := range r.members {
		d.positions[key] = m.position
	}
	return d
}

// perform applies as many of the writes as fit into the transaction. It returns them, with
// their results, and those that are to be performed later.
func (d *draft) perform(pending []*write) (done, again []*write) {
	for i, w := range pending {
		if w.alone && len(done) > 0 {
			return done, append(again, pending[i:]...)
		}
		if !w.take() {
			continue
		}
		d.staged, d.again = nil, false
		w.result = protect(func() error { return w.do(w.ctx, d) })
		if w.result == nil {
			w.result = d.add()
		}
		switch {
		case errors.Is(w.result, errFull):
			w.release()
			return done, append(again, pending[i:]...)
		case errors.Is(w.result, httpapi.ErrPanic):
			d.full = true // the clone may be left in any state
		}
		if d.again && w.result == nil {
			d.partial = w
		} else {
			done = append(done, w)
		}
		if d.full || w.alone {
			return done, append(again, pending[i+1:]...)
		}
	}
	return done, again
}

// add adds the records of the current write to the transaction.
func (d *draft) add() error {
	size := 0
	for _, s := range d.staged {
		if _, twice := d.records[s.place]; twice {
			return errFull // a transaction cannot write a key twice
		}
		size += len(s.record)
	}
	if len(d.records) > 0 && (len(d.records)+len(d.staged) > maxOps || d.size+size > maxBytes) {
		return errFull
	}
	for _, s := range d.staged {
		d.records[s.place] = s.record
		d.lastIDs[s.collection] = max(d.lastIDs[s.collection], d.positions[s.collection].lastID)
		if s.record != nil {
			d.lastIDs[s.collection] = max(d.lastIDs[s.collection], s.id)
		}
	}
	d.size += size
	return nil
}

// stage adds a record to the current write.
func (d *draft) stage(key string, id int, record []byte) {
	d.staged = append(d.staged, stagedRecord{place{key, id}, record})
}

// read makes the transaction depend on a collection and on those that it refers to.
func (d *draft) read(c catalogue.AnyCollection) {
	about := c.Description()
	d.reads[about.Key] = true
	for _, f := range about.Fields {
		if f.Refers != "" {
			d.reads[f.Refers] = true
		}
	}
}

// commit stores the transaction, unless it is empty, and waits until the replica has it.
// stored is false if one of the collections that it depends on has changed. After an
// error, the transaction may or may not be stored.
func (d *draft) commit(ctx context.Context) (stored bool, err error) {
	if len(d.records) == 0 {
		return true, nil
	}
	s := d.store
	version := s.keys.version()
	conditions := []clientv3.Cmp{clientv3.Compare(clientv3.Value(version), "=", d.generation)}
	for key := range d.reads {
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(s.keys.ids(d.generation, key)), "=", d.positions[key].revision))
	}
	ops := []clientv3.Op{clientv3.OpPut(version, d.generation)}
	for _, key := range slices.Sorted(maps.Keys(d.lastIDs)) {
		ops = append(ops, clientv3.OpPut(s.keys.ids(d.generation, key), strconv.Itoa(d.lastIDs[key])))
	}
	for p, record := range d.records {
		key := s.keys.record(d.generation, p.collection, p.id)
		if record == nil {
			ops = append(ops, clientv3.OpDelete(key))
		} else {
			ops = append(ops, clientv3.OpPut(key, string(record)))
		}
	}
	got, err := s.client.Txn(ctx).If(conditions...).Then(ops...).Commit()
	if err != nil || !got.Succeeded {
		return false, err
	}
	// A write that is acknowledged is visible to all reads of this Store.
	return true, s.progress.wait(ctx, got.Header.Revision)
}

// create creates a record from the body of a request.
func (d *draft) create(ctx context.Context, key string, body []byte) ([]byte, error) {
	c, err := d.cat.Collection(key)
	if err != nil {
		return nil, err
	}
	d.read(c)
	record, err := c.Create(ctx, bytes.Clone(body)) // which may be modified
	if err != nil {
		return nil, err
	}
	r, err := schema.ParseRecord(record)
	if err != nil {
		return nil, err
	}
	d.stage(key, r.ID, record)
	return record, nil
}

// update changes a record as the body of a request specifies.
func (d *draft) update(ctx context.Context, key, segment string, params url.Values, body []byte, partial bool, condition func(record []byte) error) ([]byte, error) {
	c, err := d.cat.Collection(key)
	if err != nil {
		return nil, err
	}
	d.read(c)
	record, err := c.Update(ctx, segment, params, bytes.Clone(body), partial, condition)
	if err == nil {
		d.stage(key, schema.ParseID(segment), record)
	}
	return record, err
}

// insert adds a record with an id.
func (d *draft) insert(key string, record []byte) error {
	c, err := d.cat.Collection(key)
	if err != nil {
		return err
	}
	r, err := schema.ParseRecord(record)
	if err != nil {
		return err
	}
	if r.ID < 1 {
		return fmt.Errorf("%s: %w: %d", key, catalogue.ErrInvalidID, r.ID)
	}
	ctx, segment := context.Background(), strconv.Itoa(r.ID)
	if _, err := c.Get(ctx, segment, nil); err == nil {
		return fmt.Errorf("%s: id %d: %w", key, r.ID, httpapi.ErrConflict)
	}
	d.read(c)
	apply := d.store.replica.Load().members[key].apply
	if err := apply(d.cat, []change{{r.ID, record}}); err != nil {
		return err
	}
	stored, err := c.Get(ctx, segment, nil)
	if err == nil {
		d.stage(key, r.ID, stored)
	}
	return err
}

// delete deletes a record and removes its id from lists of references. If there are too
// many of these for a transaction, it only shortens some of them, and the write is to be
// performed again.
func (d *draft) delete(ctx context.Context, key, segment string, params url.Values, condition func(record []byte) error) error {
	c, err := d.cat.Collection(key)
	if err != nil {
		return err
	}
	d.read(c)
	referrers := d.referrers(key)
	before := make([]map[int][]byte, len(referrers))
	for i, other := range referrers {
		d.read(other)
		if before[i], err = all(ctx, other); err != nil {
			return err
		}
	}
	if err := c.Delete(ctx, segment, params, condition); err != nil {
		// After other errors, lists in the clone may have changed.
		d.full = len(referrers) > 0 && !errors.Is(err, catalogue.ErrNotFound) && !errors.Is(err, catalogue.ErrReferenced)
		return err
	}
	d.stage(key, schema.ParseID(segment), nil)
	for i, other := range referrers {
		after, err := all(ctx, other)
		if err != nil {
			d.full = true
			return err
		}
		for id, record := range after {
			if !bytes.Equal(record, before[i][id]) {
				d.stage(other.Description().Key, id, record)
			}
		}
	}
	d.shorten()
	return nil
}

// shorten leaves only some lists of a deletion that is too large for a transaction.
func (d *draft) shorten() {
	size := 0
	for i, s := range d.staged {
		if size += len(s.record); i >= maxOps || size > maxBytes {
			d.staged = slices.Clone(d.staged[1:max(i, 2)]) // without the deletion
			d.again, d.full = true, true
			return
		}
	}
}

// referrers returns the collections with lists of references to a collection.
func (d *draft) referrers(key string) (list []catalogue.AnyCollection) {
	for _, c := range d.cat.All() {
		if slices.ContainsFunc(c.Description().Fields, func(f schema.Field) bool { return f.Refers == key }) {
			list = append(list, c)
		}
	}
	return list
}

// all returns all records of a collection by id.
func all(ctx context.Context, c catalogue.AnyCollection) (map[int][]byte, error) {
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
