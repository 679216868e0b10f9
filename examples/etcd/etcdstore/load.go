package etcdstore

import (
	"bytes"
	"context"
	"crypto/rand"
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
// between, nothing changes and the error wraps [httpapi.ErrConflict]. The old and
// the new records are in etcd at the same time. If the process ends during Load, the keys that
// it wrote remain; no Store reads them. O(n) for all records of the catalogue.
func (s *Store) Load(ctx context.Context, r io.Reader) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	d := s.newDraft()
	if err := d.loadAll(r); err != nil {
		return err
	}
	generation, failure := rand.Text()[:8], notStored
	err := d.storeAll(ctx, generation)
	if err == nil {
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

// loadAll loads a file into the draft, and stages the records of all collections, including
// those that are not in the file. The file determines the highest ids, so the catalogue that
// stages them has none yet.
func (d *draft) loadAll(file io.Reader) error {
	if err := d.cat.Load(file, catalogue.LoadOptions{}); err != nil {
		return err
	}
	var all bytes.Buffer
	if err := d.cat.Save(&all); err != nil {
		return err
	}
	fresh, _, err := newCatalogue(d.store.opts.Definitions)
	if err != nil {
		return err
	}
	if err := fresh.Journal(d.stage); err != nil {
		return err
	}
	return fresh.Load(&all, catalogue.LoadOptions{})
}

// storeAll stores all records of the draft as a generation.
func (d *draft) storeAll(ctx context.Context, generation string) error {
	keys := d.store.keys
	var puts, ids []clientv3.Op
	for _, ch := range d.changes {
		if ch.record != nil {
			puts = append(puts, clientv3.OpPut(keys.record(generation, ch.collection, ch.name), string(ch.record)))
		}
	}
	for key, last := range d.lastIDs {
		ids = append(ids, clientv3.OpPut(keys.ids(generation, key), strconv.Itoa(last)))
	}
	if err := d.putAll(ctx, puts); err != nil {
		return err
	}
	return d.putAll(ctx, ids) // last: no record is newer than the highest id
}

// putAll writes keys in many transactions. The error is errChanged after another write.
func (d *draft) putAll(ctx context.Context, puts []clientv3.Op) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for len(puts) > 0 {
		n := fitting(puts, func(op clientv3.Op) int { return len(op.ValueBytes()) })
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
