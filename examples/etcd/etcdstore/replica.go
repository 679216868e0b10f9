package etcdstore

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// A replica has all records of a generation in a catalogue. Reads need no lock. apply, and
// reads of the positions of the collections, need Store.mu.
type replica struct {
	keys       layout
	generation string
	version    int64 // revision of the last write
	cat        *catalogue.Catalogue
	members    map[string]*member
}

// A member is a collection of a replica.
type member struct {
	Definition
	catalogue.AnyCollection
	key      string
	position position
	tags     atomic.Pointer[tags]
}

// A position is the state of a collection in etcd.
type position struct {
	lastID   int   // the highest id ever used
	revision int64 // of the last write, or 0
}

// tags maps the revisions of a collection of the catalogue to those of etcd, so that all
// replicas have the same revision for the same records. The revision of the catalogue
// changes at the instant at which a write becomes visible.
type tags struct {
	local       uint64 // of the catalogue, before the write that is being applied
	was, become int64  // of etcd
}

func newReplica(keys layout, generation string, list []Definition) (*replica, error) {
	cat, byKey, err := newCatalogue(list)
	if err != nil {
		return nil, err
	}
	r := &replica{keys: keys, generation: generation, cat: cat, members: map[string]*member{}}
	for key, c := range cat.All() {
		m := &member{Definition: byKey[key], AnyCollection: c, key: key}
		m.tags.Store(&tags{})
		r.members[key] = m
	}
	return r, nil
}

// member returns the collection with a key.
func (r *replica) member(key string) (*member, error) {
	m, ok := r.members[key]
	if !ok {
		return nil, fmt.Errorf("%w: records of an unknown collection %q", ErrInvalidData, key)
	}
	return m, nil
}

// local returns the revision of the collection of the catalogue.
func (m *member) local() uint64 {
	return m.AnyCollection.Revision()
}

// revision returns the revision of etcd that the visible records of the collection have.
func (m *member) revision() uint64 {
	for {
		t := m.tags.Load()
		now := m.local()
		if m.tags.Load() != t {
			continue // a write began or ended in between
		}
		if now == t.local {
			return uint64(t.was)
		}
		return uint64(t.become)
	}
}

// place returns what a key names. ok is false if the key is not one of the generation.
func (r *replica) place(key string) (p place, ok bool, err error) {
	p, ok, err = r.keys.place(r.generation, key)
	if m := r.members[p.collection]; m != nil && p.name != "" {
		if _, _, valid := parseName(p.name, m.by); !valid {
			err = fmt.Errorf("%w: unexpected key %q", ErrInvalidData, key)
		}
	}
	return p, ok, err
}

// apply applies the events of one revision. It returns errReread if the records must be
// read again.
func (r *replica) apply(events []*clientv3.Event) error {
	changes, lastIDs := map[string][]change{}, map[string]int{}
	for _, e := range events {
		if string(e.Kv.Key) == r.keys.version() {
			if e.Type == clientv3.EventTypeDelete || string(e.Kv.Value) != r.generation {
				return errReread
			}
			r.version = e.Kv.ModRevision
			continue
		}
		p, ok, err := r.place(string(e.Kv.Key))
		switch {
		case err != nil:
			return err
		case !ok: // of another generation
		case p.name != "":
			changes[p.collection] = append(changes[p.collection], change{p.name, recordOf(e)})
		case e.Type == clientv3.EventTypeDelete:
			return errReread
		default:
			if lastIDs[p.collection], err = parseID(e.Kv.Value); err != nil {
				return err
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lastIDs)) { // in one order in all processes
		m, err := r.member(key)
		if err != nil {
			return err
		}
		if err := m.change(r.cat, changes[key], position{lastIDs[key], events[0].Kv.ModRevision}); err != nil {
			return err
		}
		delete(changes, key)
	}
	for key := range changes {
		return fmt.Errorf("%w: records of %s changed, but not its highest id", ErrInvalidData, key)
	}
	return nil
}

// recordOf returns the JSON that an event writes, or nil if it deletes the record.
func recordOf(e *clientv3.Event) []byte {
	if e.Type == clientv3.EventTypeDelete {
		return nil
	}
	return append([]byte{}, e.Kv.Value...) // not nil, even if it is empty
}

// change applies the changes of one revision to the collection.
func (m *member) change(cat *catalogue.Catalogue, changes []change, p position) error {
	for _, ch := range changes {
		if id, _, _ := parseName(ch.name, m.by); ch.record != nil && id > p.lastID {
			return fmt.Errorf("%w: %s: id %d is above the highest id %d", ErrInvalidData, m.key, id, p.lastID)
		}
	}
	m.tags.Store(&tags{m.local(), m.position.revision, p.revision})
	err := protect(func() error { return m.apply(cat, m.by, changes) })
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrInvalidData, m.key, err)
	}
	m.position = p
	m.tags.Store(&tags{m.local(), p.revision, p.revision})
	return nil
}

func parseID(text []byte) (int, error) {
	id, err := strconv.Atoi(string(text))
	if err != nil || id < 0 {
		return 0, fmt.Errorf("%w: highest id %q", ErrInvalidData, text)
	}
	return id, nil
}

// protect calls f, which may call methods of the program's types, and returns its panic as
// an error: a panic would end the program, since no request runs in this goroutine.
func protect(f func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", httpapi.ErrPanic, reason)
		}
	}()
	return f()
}
