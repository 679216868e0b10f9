package etcdstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
)

// firstGeneration is the generation of a catalogue into which nothing was loaded.
const firstGeneration = "0"

// read reads all records at one revision into a new replica, which becomes that of the
// Store, and returns the next revision.
func (s *Store) read(ctx context.Context) (next int64, err error) {
	for {
		generation, version, at, err := s.generation(ctx)
		if err != nil {
			return 0, err
		}
		r, err := s.readGeneration(ctx, generation, at)
		if errors.Is(err, rpctypes.ErrCompacted) {
			continue // reading took longer than the history is kept
		}
		if err != nil {
			return 0, err
		}
		r.version = version
		s.mu.Lock()
		s.replica.Store(r)
		s.mu.Unlock()
		s.progress.reach(at)
		return at + 1, nil
	}
}

// generation returns the current generation, the revision of the last write, and that of
// etcd. It creates the first generation.
func (s *Store) generation(ctx context.Context) (name string, version, at int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	key := s.keys.version()
	missing := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	anyKey := clientv3.OpGet(string(s.keys), clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(1))
	for {
		// A transaction that can write would fail while etcd has no space.
		got, err := s.client.Txn(ctx).If(missing).Then(anyKey).Else(clientv3.OpGet(key)).Commit()
		if err != nil {
			return "", 0, 0, err
		}
		if s.tagKey == "" { // before any other goroutine exists
			s.tagKey = strconv.FormatUint(got.Header.ClusterId, 36) + "/" + string(s.keys)
		}
		kvs := got.Responses[0].GetResponseRange().Kvs
		switch {
		case !got.Succeeded:
			return string(kvs[0].Value), kvs[0].ModRevision, got.Header.Revision, nil
		case len(kvs) > 0: // any generation may be the current one
			return "", 0, 0, fmt.Errorf("%w: there are keys, such as %q, but not %q", ErrInvalidData, kvs[0].Key, key)
		}
		if _, err := s.client.Txn(ctx).If(missing).Then(clientv3.OpPut(key, firstGeneration)).Commit(); err != nil {
			return "", 0, 0, err
		}
	}
}

// readGeneration returns a replica of a generation at a revision.
func (s *Store) readGeneration(ctx context.Context, generation string, at int64) (*replica, error) {
	r, err := newReplica(s.keys, generation, s.opts.Definitions)
	if err != nil {
		return nil, err
	}
	empty := true
	positions, records := map[string]position{}, map[string][]change{}
	err = s.each(ctx, generation, at, func(kv *mvccpb.KeyValue) error {
		empty = false
		p, _, err := r.place(string(kv.Key))
		switch {
		case err != nil:
			return err
		case p.name == "": // these come first
			lastID, err := parseID(kv.Value)
			positions[p.collection] = position{lastID, kv.ModRevision}
			return err
		case kv.ModRevision > positions[p.collection].revision:
			// It would change a page without changing its revision.
			return fmt.Errorf("%w: %s was written without the highest id of %s", ErrInvalidData, kv.Key, p.collection)
		}
		records[p.collection] = append(records[p.collection], change{p.name, append([]byte{}, kv.Value...)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if empty && generation != firstGeneration {
		return nil, fmt.Errorf("%w: generation %q has no keys", ErrInvalidData, generation)
	}
	if err := r.cat.Load(emptyFile(positions), catalogue.LoadOptions{}); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrInvalidData, err)
	}
	for key, p := range positions {
		m, err := r.member(key)
		if err == nil {
			err = m.change(r.cat, records[key], p)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// emptyFile returns a file for Catalogue.Load with the highest ids and no records.
func emptyFile(positions map[string]position) io.Reader {
	file, lastIDs := map[string]any{}, []any{}
	for key, p := range positions {
		file[key] = []any{}
		if p.lastID > 0 {
			lastIDs = append(lastIDs, map[string]any{"collection": key, "id": p.lastID})
		}
	}
	file["$lastIds"] = lastIDs
	text, _ := json.Marshal(file) // has no invalid values
	return bytes.NewReader(text)
}

// each calls f with all keys of a generation at a revision, in order.
func (s *Store) each(ctx context.Context, generation string, at int64, f func(*mvccpb.KeyValue) error) error {
	start := s.keys.generation(generation)
	end := clientv3.GetPrefixRangeEnd(start)
	for {
		limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		got, err := s.client.Get(limited, start, clientv3.WithRange(end), clientv3.WithRev(at), clientv3.WithLimit(s.pageSize))
		cancel()
		if err != nil {
			return err
		}
		for _, kv := range got.Kvs {
			if err := f(kv); err != nil {
				return err
			}
		}
		if !got.More {
			return nil
		}
		start = string(got.Kvs[len(got.Kvs)-1].Key) + "\x00"
	}
}
