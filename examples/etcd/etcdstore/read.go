package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
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
	got, err := s.client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, firstGeneration)).
		Else(clientv3.OpGet(key)).
		Commit()
	if err != nil {
		return "", 0, 0, err
	}
	if s.tagKey == "" { // before any other goroutine exists
		s.tagKey = strconv.FormatUint(got.Header.ClusterId, 36) + "/" + string(s.keys)
	}
	if got.Succeeded {
		return firstGeneration, got.Header.Revision, got.Header.Revision, nil
	}
	kv := got.Responses[0].GetResponseRange().Kvs[0]
	return string(kv.Value), kv.ModRevision, got.Header.Revision, nil
}

// readGeneration returns a replica of a generation at a revision.
func (s *Store) readGeneration(ctx context.Context, generation string, at int64) (*replica, error) {
	r, err := newReplica(s.keys, generation, s.opts.Definitions)
	if err != nil {
		return nil, err
	}
	in, out := io.Pipe()
	s.running.Go(func() { out.CloseWithError(s.copyRecords(ctx, r, at, out)) })
	if err := r.house.Load(in); err != nil {
		in.CloseWithError(err)
		if isRemote(err) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrInvalidData, err)
	}
	for _, m := range r.members {
		m.tags.Store(&tags{m.local(), m.position.revision, m.position.revision})
	}
	return r, nil
}

// isRemote reports whether an error is of etcd or a context and not of the records.
func isRemote(err error) bool {
	var remote *remoteError
	return errors.As(err, &remote)
}

// remoteError is an error of etcd while records are read.
type remoteError struct{ error }

func (e *remoteError) Unwrap() error { return e.error }

// copyRecords writes all records of a generation in the form that Catalogue.Load reads,
// and sets the positions of the replica's collections.
func (s *Store) copyRecords(ctx context.Context, r *replica, at int64, w io.Writer) error {
	var lastIDs []byte
	empty := map[string]bool{} // collections all of whose records were deleted
	separator, current := "{", ""
	err := s.each(ctx, r.generation, at, func(kv *mvccpb.KeyValue) error {
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
			if lastID > 0 {
				lastIDs = fmt.Appendf(lastIDs, `,{"collection":%q,"id":%d}`, p.collection, lastID)
				empty[p.collection] = true
			}
			return err
		}
		if p.collection != current {
			if current != "" {
				separator = "],"
			}
			separator += strconv.Quote(p.collection) + ":["
			current = p.collection
			delete(empty, current)
		}
		_, err = fmt.Fprintf(w, "%s%s", separator, kv.Value)
		separator = ","
		return err
	})
	if err != nil {
		return err
	}
	if current != "" {
		separator = "],"
	}
	for key := range empty { // Load ignores the highest id of a collection without an array
		if _, err := fmt.Fprintf(w, "%s%q:[", separator, key); err != nil {
			return err
		}
		separator = "],"
	}
	if len(lastIDs) == 0 {
		lastIDs = []byte(",")
	}
	_, err = fmt.Fprintf(w, `%s"$lastIds":[%s]}`, separator, lastIDs[1:])
	return err
}

// each calls f with all keys of a generation at a revision, in order.
func (s *Store) each(ctx context.Context, generation string, at int64, f func(*mvccpb.KeyValue) error) error {
	const page = 5000
	start := s.keys.generation(generation)
	end := clientv3.GetPrefixRangeEnd(start)
	for {
		limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		got, err := s.client.Get(limited, start, clientv3.WithRange(end), clientv3.WithRev(at), clientv3.WithLimit(page))
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
