package etcdstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
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
	house      *catalogue.Catalogue
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
		house:      r.house.Clone(),
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
	d.reads[c.Key()] = true
	for _, f := range c.Description().Fields {
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
