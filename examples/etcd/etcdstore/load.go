package etcdstore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// Load replaces collections like [catalogue.Catalogue.Load]. All stores see the new
// records at one instant, when they have read all records again. If other writes come in
// between, nothing changes and the error wraps [httpapi.ErrConflict]. The records before
// and after are in etcd at the same time. If the process ends during Load, the keys that
// it wrote remain; no Store reads them. O(n) for all records of the house.
func (s *Store) Load(ctx context.Context, r io.Reader) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	file, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("etcdstore: %w", err)
	}
	d := s.newDraft()
	if err := d.cat.Load(bytes.NewReader(file), catalogue.LoadOptions{}); err != nil {
		return err
	}
	generation, failure := rand.Text()[:8], notStored
	if err = d.storeAll(ctx, generation, file); err == nil {
		err, failure = d.ifUnchanged(ctx, clientv3.OpPut(s.keys.version(), generation)), refused
	}
	if err != nil && !errors.Is(err, errChanged) {
		err = failure(err)
	}
	// Remove the generation that is not in use, if that is known.
	cleanup := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		_ = s.catchUp(ctx) // so that this Store serves the new records
		if err := s.remove(cleanup, d.generation); err != nil {
			return fmt.Errorf("etcdstore: the records are loaded, but the keys of those before remain: %w", err)
		}
		return nil
	case errors.Is(err, errChanged):
		err = fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	err = withContext(ctx, err)
	if !errors.Is(err, errUnknownOutcome) {
		err = errors.Join(err, d.discard(cleanup, generation))
	}
	return err
}

// Save writes all records in the form that [Store.Load] reads, each collection at one
// instant after the call.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	return s.replica.Load().cat.Save(w)
}

// remove deletes all keys of a generation.
func (s *Store) remove(ctx context.Context, generation string) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	_, err := s.client.Delete(ctx, s.keys.generation(generation), clientv3.WithPrefix())
	if err != nil {
		return withContext(ctx, unavailable(err))
	}
	return nil
}

// discard deletes all keys of a generation that the draft has stored in part. It writes the
// version, so that transactions whose outcome is not known can no longer be stored.
func (d *draft) discard(ctx context.Context, generation string) error {
	s := d.store
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	version := s.keys.version()
	_, err := s.client.Txn(limited).
		If(clientv3.Compare(clientv3.Value(version), "=", d.generation)).
		Then(clientv3.OpPut(version, d.generation)).
		Commit()
	return errors.Join(s.remove(ctx, generation), unavailable(err))
}

// storeAll stores all records of the draft, which were loaded from a file, as a generation.
func (d *draft) storeAll(ctx context.Context, generation string, file []byte) error {
	lastIDs, err := d.lastIDs(file)
	if err != nil {
		return err
	}
	keys := d.store.keys
	var puts, ids []clientv3.Op
	for key := range d.cat.All() {
		records, err := d.all(ctx, key)
		if err != nil {
			return err
		}
		last := lastIDs[key]
		for id, record := range records {
			last = max(last, id)
			puts = append(puts, clientv3.OpPut(keys.record(generation, key, id), string(record)))
		}
		ids = append(ids, clientv3.OpPut(keys.ids(generation, key), strconv.Itoa(last)))
	}
	if err := d.putAll(ctx, puts); err != nil {
		return err
	}
	return d.putAll(ctx, ids) // last: no record is newer than the highest id
}

// lastIDs returns the highest id ever assigned in each collection; a collection absent from
// the file keeps its earlier one.
func (d *draft) lastIDs(file []byte) (map[string]int, error) {
	var loaded map[string]json.RawMessage
	var last struct {
		IDs []struct {
			Collection string
			ID         int
		} `json:"$lastIds"`
	}
	if err := cmp.Or(json.Unmarshal(file, &loaded), json.Unmarshal(file, &last)); err != nil {
		return nil, err
	}
	ids := map[string]int{}
	for key, p := range d.positions {
		if loaded[key] == nil {
			ids[key] = p.lastID
		}
	}
	for _, l := range last.IDs {
		ids[l.Collection] = max(ids[l.Collection], l.ID)
	}
	return ids, nil
}

// putAll writes keys in many transactions. The error is errChanged after another write.
func (d *draft) putAll(ctx context.Context, puts []clientv3.Op) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for len(puts) > 0 {
		n := 0
		for size := 0; n < min(maxOps, len(puts)); n++ {
			if size += len(puts[n].ValueBytes()); size > maxBytes && n > 0 {
				break
			}
		}
		ops := puts[:n]
		puts = puts[n:]
		group.Go(func() error { return d.ifUnchanged(ctx, ops...) })
	}
	return group.Wait()
}

// ifUnchanged performs operations if there was no write since the draft was made. Otherwise
// the error is errChanged.
func (d *draft) ifUnchanged(ctx context.Context, ops ...clientv3.Op) error {
	ctx, cancel := context.WithTimeout(ctx, d.store.opts.Timeout)
	defer cancel()
	unchanged := clientv3.Compare(clientv3.ModRevision(d.store.keys.version()), "=", d.version)
	got, err := d.store.client.Txn(ctx).If(unchanged).Then(ops...).Commit()
	if err == nil && !got.Succeeded {
		err = errChanged
	}
	return err
}
