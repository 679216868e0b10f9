package etcdstore

import (
	"bytes"
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
	d := s.newDraft()
	if err := d.house.Load(r); err != nil {
		return err
	}
	generation := rand.Text()[:8]
	stored, err := d.switchTo(ctx, generation)
	switch {
	case err != nil:
		err = withContext(ctx, refused(err))
	case !stored:
		err = fmt.Errorf("%w: other writes came in between", httpapi.ErrConflict)
	}
	// A generation that is no longer needed: the new one if it may not be in use, and
	// otherwise the one before.
	if err == nil {
		return s.remove(ctx, d.generation)
	}
	if !errors.Is(err, errUnknownOutcome) {
		err = errors.Join(err, s.remove(context.WithoutCancel(ctx), generation))
	}
	return err
}

// Save writes all records in the form that [Store.Load] reads, each collection at one
// instant after the call.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	return s.replica.Load().house.Save(w)
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

// switchTo stores the records of the draft as a new generation and makes it the current
// one, unless there was a write since the draft was made.
func (d *draft) switchTo(ctx context.Context, generation string) (stored bool, err error) {
	s := d.store
	if err := d.storeAll(ctx, generation); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	version := s.keys.version()
	got, err := s.client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(version), "=", d.version)).
		Then(clientv3.OpPut(version, generation)).
		Commit()
	if err != nil || !got.Succeeded {
		return false, err
	}
	_ = s.progress.wait(ctx, got.Header.Revision)
	return true, nil
}

// storeAll stores all records of the draft as a generation, in many transactions.
func (d *draft) storeAll(ctx context.Context, generation string) error {
	s := d.store
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	var ops []clientv3.Op
	size := 0
	flush := func() {
		batch := ops
		group.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
			defer cancel()
			_, err := s.client.Txn(limited).Then(batch...).Commit()
			return err
		})
		ops, size = nil, 0
	}
	put := func(key string, value []byte) {
		if len(ops) == maxOps || size+len(value) > maxBytes && len(ops) > 0 {
			flush()
		}
		ops = append(ops, clientv3.OpPut(key, string(value)))
		size += len(value)
	}
	records, lastIDs, err := saved(d.house)
	if err != nil {
		return err
	}
	for key := range d.house.All() {
		for _, r := range records[key] {
			put(s.keys.record(generation, key, r.id), r.record)
		}
		put(s.keys.ids(generation, key), strconv.AppendInt(nil, int64(lastIDs[key]), 10))
	}
	flush()
	return group.Wait()
}

// saved returns the records of all collections, and the highest ids ever used.
func saved(house *catalogue.Catalogue) (records map[string][]change, lastIDs map[string]int, err error) {
	var file bytes.Buffer
	if err := house.Save(&file); err != nil {
		return nil, nil, err
	}
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		return nil, nil, err
	}
	records, lastIDs = map[string][]change{}, map[string]int{}
	for key, list := range all {
		for _, record := range list {
			var about struct {
				ID         int
				Collection string // in $lastIds
			}
			if err := json.Unmarshal(record, &about); err != nil {
				return nil, nil, err
			}
			if key == "$lastIds" {
				lastIDs[about.Collection] = max(lastIDs[about.Collection], about.ID)
				continue
			}
			records[key] = append(records[key], change{about.ID, record})
			lastIDs[key] = max(lastIDs[key], about.ID)
		}
	}
	return records, lastIDs, nil
}
