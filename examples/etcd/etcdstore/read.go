package etcdstore

import (
	"bufio"
	"bytes"
	"cmp"
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
	"github.com/gobacklist/backlist/catalogue/schema"
)

// firstGeneration is the generation of a house into which nothing was loaded.
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, out := io.Pipe()
	s.running.Go(func() {
		buffer := bufio.NewWriterSize(out, 64<<10)
		err := s.copyRecords(ctx, r, at, buffer)
		out.CloseWithError(cmp.Or(err, buffer.Flush()))
	})
	if err := protect(func() error { return r.cat.Load(in, catalogue.LoadOptions{}) }); err != nil {
		in.CloseWithError(err)
		if isRemote(err) || errors.Is(err, ErrInvalidData) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s%v", ErrInvalidData, s.invalidKey(ctx, generation, at), err)
	}
	for key, m := range r.members {
		if m.Count() != m.keys {
			return nil, fmt.Errorf("%w: %d keys of %s have %d records", ErrInvalidData, m.keys, key, m.Count())
		}
		m.tags.Store(&tags{m.local(), m.position.revision, m.position.revision})
	}
	return r, nil
}

// invalidKey returns the first key whose value is not JSON, with a colon, or "" if there is
// none. The error of Load does not have the key.
func (s *Store) invalidKey(ctx context.Context, generation string, at int64) (key string) {
	_ = s.each(ctx, generation, at, func(kv *mvccpb.KeyValue) error {
		if json.Valid(kv.Value) {
			return nil
		}
		key = string(kv.Key) + ": "
		return io.EOF // ends each
	})
	return key
}

// isRemote reports whether an error is of etcd or a context and not of the records.
func isRemote(err error) bool {
	var remote *remoteError
	return errors.As(err, &remote)
}

// remoteError is an error of etcd while records are read.
type remoteError struct{ error }

func (e *remoteError) Unwrap() error { return e.error }

// copyRecords writes all records of a generation to a file for Catalogue.Load, and sets the
// positions of the replica's collections.
func (s *Store) copyRecords(ctx context.Context, r *replica, at int64, w io.Writer) error {
	file := recordsFile{w: w, lastIDs: map[string]int{}}
	empty := true
	err := s.each(ctx, r.generation, at, func(kv *mvccpb.KeyValue) error {
		empty = false
		p, _, err := s.keys.place(r.generation, string(kv.Key))
		if err != nil {
			return err
		}
		m, err := r.member(p.collection)
		if err != nil {
			return err
		}
		if p.id == 0 { // these come first
			lastID, err := parseID(kv.Value)
			m.position = position{lastID, kv.ModRevision}
			file.lastIDs[p.collection] = lastID
			return err
		}
		if err := m.check(p.id, kv); err != nil {
			return err
		}
		return file.add(p.collection, kv.Value)
	})
	if err != nil {
		return err
	}
	if empty && r.generation != firstGeneration {
		return fmt.Errorf("%w: generation %q has no keys", ErrInvalidData, r.generation)
	}
	return file.end()
}

// check returns an error if a record is not as a Store writes it. Writes of others, without
// the highest id, would change a page without changing its revision.
func (m *member) check(id int, kv *mvccpb.KeyValue) error {
	switch err := checkID(kv.Value, id); {
	case err != nil:
		return fmt.Errorf("%w: %s: %v", ErrInvalidData, kv.Key, err)
	case id > m.position.lastID:
		return fmt.Errorf("%w: %s is above the highest id %d of %s", ErrInvalidData, kv.Key, m.position.lastID, m.key)
	case kv.ModRevision > m.position.revision:
		return fmt.Errorf("%w: %s was written without the highest id of %s", ErrInvalidData, kv.Key, m.key)
	}
	m.keys++
	return nil
}

// checkID returns an error if the JSON is not a record with the id. It does not parse what
// begins like one: Load does, and the number of records is compared with that of keys.
func checkID(record []byte, id int) error {
	var buffer [40]byte
	if first := fmt.Appendf(buffer[:0], `{"id":%d,`, id); bytes.HasPrefix(record, first) {
		return nil
	}
	r, err := schema.ParseRecord(record)
	if err == nil && r.ID != id {
		err = fmt.Errorf("it has the record with id %d", r.ID)
	}
	return err
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
			return &remoteError{err}
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
